"""`tf.autodiff`: automatic differentiation in forward and reverse mode."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.tensors.autodiff.forward import ForwardAccumulator as ForwardAccumulator
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape as GradientTape
