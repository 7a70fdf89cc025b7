"""``tf.autodiff``: forward and reverse mode."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.tensors.autodiff.forward import ForwardAccumulator as ForwardAccumulator
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape as GradientTape
