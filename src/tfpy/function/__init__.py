"""``tf.function``: a Python function traced into one Graph per signature and compiled."""

from tfpy.function.polymorphic import Function, function
from tfpy.function.signature import TensorSpec

__all__ = ["Function", "TensorSpec", "function"]
