"""``tf.function`` and control flow.

A Python function is traced into one Graph per signature (``trace.py``), which is compiled
(``executable.py``) and can be differentiated (``traced.py``).
"""

from tfpy.function.polymorphic import Function, compile_model, function
from tfpy.function.signature import TensorSpec

__all__ = ["Function", "TensorSpec", "compile_model", "function"]
