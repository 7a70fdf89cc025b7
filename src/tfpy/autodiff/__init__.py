"""``tf.autodiff``, and the differentiation under ``tf`` itself."""

from tfpy.autodiff.custom import custom_grad, custom_gradient, recompute_grad, stop_gradient
from tfpy.autodiff.forward import ForwardAccumulator
from tfpy.autodiff.functional import (
    grad,
    gradients,
    grads,
    hessians,
    value_and_grad,
    value_and_grads,
    variable_grads,
)
from tfpy.autodiff.gradient_tape import GradientTape, UnconnectedGradients

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "UnconnectedGradients",
    "custom_grad",
    "custom_gradient",
    "grad",
    "gradients",
    "grads",
    "hessians",
    "recompute_grad",
    "stop_gradient",
    "value_and_grad",
    "value_and_grads",
    "variable_grads",
]
