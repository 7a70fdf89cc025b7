"""``tf.autodiff``: forward mode, and the differentiation under ``tf`` itself."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.autodiff.custom import (
    custom_grad as custom_grad,
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
)
from tfpy._src.autodiff.forward import ForwardAccumulator as ForwardAccumulator
from tfpy._src.autodiff.functional import (
    grad as grad,
    grads as grads,
    value_and_grad as value_and_grad,
    value_and_grads as value_and_grads,
    variable_grads as variable_grads,
)
from tfpy._src.autodiff.gradient_tape import (
    GradientTape as GradientTape,
    UnconnectedGradients as UnconnectedGradients,
)
from tfpy._src.autodiff.graph_gradients import gradients as gradients, hessians as hessians
from tfpy._src.core.tape import stop_gradient as stop_gradient
