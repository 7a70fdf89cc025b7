"""KerasHub's preprocessing layers as host functions, because tensorflow_text does not run on tfpy.

On TensorFlow, a layer that is called in a `tf.function` or in a function of a dataset uses ops of
tensorflow_text. Here, the function is not traced. It runs op by op, and the layer calls the same
Python code as in an eager call.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.tensors.ragged.making import constant

METHODS = ("tokenize", "detokenize", "generate_preprocess", "generate_postprocess")
"""Methods of preprocessing layers that functions of datasets call."""


def replace(module: types.ModuleType) -> None:
    """Make preprocessing layers run Python code, and return tensors to functions of datasets."""
    layer = module.PreprocessingLayer
    plain_choice = layer._use_tf_workflow

    def _use_tf_workflow(self: Any) -> bool:
        """Return False. Raise an error while a function is traced."""
        if tracing.inside_function() and self._allow_python_workflow:
            raise NotTraceableError(
                f"The layer {self.name!r} of KerasHub runs as Python code, so the function that "
                "calls it cannot be traced."
            )
        return bool(plain_choice(self))

    def prepare(cls: type[Any], /, **kwargs: Any) -> None:
        super(layer, cls).__init_subclass__(**kwargs)
        for name in METHODS:
            if name in vars(cls):
                setattr(cls, name, _for_elements(vars(cls)[name]))

    layer._use_tf_workflow = _use_tf_workflow
    layer.__init_subclass__ = classmethod(prepare)
    layer.__call__ = _for_elements(layer.__call__)


def _for_elements(plain: Any) -> Any:
    """Return a method whose results are tensors where a function of a dataset calls it."""

    @functools.wraps(plain)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        in_dataset = tracing.local.element
        tracing.local.element = False  # layers that this one calls return lists, as elsewhere
        try:
            result = plain(self, *args, **kwargs)
        finally:
            tracing.local.element = in_dataset
        return _with_tensors(result, self.compute_dtype) if in_dataset else result

    return method


def _with_tensors(value: Any, dtype: str) -> Any:
    """Convert the lists in a result: nested ones are rows of different lengths."""
    if isinstance(value, tuple):
        return tuple([_with_tensors(item, dtype) for item in value])
    if isinstance(value, dict):
        return {key: _with_tensors(item, dtype) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    is_text = any(isinstance(leaf, str) for leaf in nest.flatten(value))
    kind = "string" if is_text else dtype
    if any(isinstance(item, list) for item in value):
        return constant(value, kind)
    return convert_to_tensor(value, kind)
