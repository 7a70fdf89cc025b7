"""``tf.autodiff``, and the differentiation under ``tf`` itself."""

from tfpy.autodiff.custom import custom_grad, custom_gradient, grad_pass_through, recompute_grad
from tfpy.autodiff.forward import ForwardAccumulator
from tfpy.autodiff.functional import grad, grads, value_and_grad, value_and_grads, variable_grads
from tfpy.autodiff.gradient_tape import GradientTape, UnconnectedGradients
from tfpy.autodiff.graph_gradients import gradients, hessians
from tfpy.core.tape import stop_gradient

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "UnconnectedGradients",
    "custom_grad",
    "custom_gradient",
    "grad",
    "grad_pass_through",
    "gradients",
    "grads",
    "hessians",
    "recompute_grad",
    "stop_gradient",
    "value_and_grad",
    "value_and_grads",
    "variable_grads",
]
