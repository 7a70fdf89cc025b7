"""KerasHub's preprocessing layers as host functions, because tensorflow_text does not run on tfpy.

On TensorFlow, a layer that is called in a `tf.function` or in a function of a dataset uses ops of
tensorflow_text. Here, the function is not traced. It runs op by op, and the layer calls the same
Python code as in an eager call.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.tensors.ragged.making import constant

METHODS = ("tokenize", "detokenize", "generate_preprocess", "generate_postprocess")
"""Methods of preprocessing layers that functions of datasets call."""
LENGTHS = (
    *("sequence_length", "encoder_sequence_length", "decoder_sequence_length"),
    "mask_selection_length",
)
"""Attributes of preprocessing layers with the lengths to which they pad."""


def replace(module: types.ModuleType) -> None:
    """Make preprocessing layers run Python code, and return tensors to functions of datasets."""
    layer = module.PreprocessingLayer
    plain_choice = layer._use_tf_workflow

    def _use_tf_workflow(self: Any) -> bool:
        """Return the choice of KerasHub. Raise an error instead of using tensorflow_text."""
        uses_ops, kind = bool(plain_choice(self)), self.__class__
        if uses_ops and _needs_tensorflow_text(kind) and self._allow_python_workflow:
            raise NotTraceableError(
                f"The layer {self.name!r} of KerasHub runs as Python code, so the function that "
                "calls it cannot be traced."
            )
        return uses_ops

    def prepare(cls: type[Any], /, **kwargs: Any) -> None:
        super(layer, cls).__init_subclass__(**kwargs)
        for name in METHODS:
            if name in vars(cls):
                setattr(cls, name, _for_elements(vars(cls)[name]))

    layer._use_tf_workflow = _use_tf_workflow
    layer.__init_subclass__ = classmethod(prepare)
    layer.__call__ = _for_elements(layer.__call__)


@functools.cache
def _needs_tensorflow_text(layer: type) -> bool:
    """Return True if a class is defined in a module that has tried to import tensorflow_text."""
    modules = [sys.modules[base.__module__] for base in layer.__mro__]
    return any(vars(module).get("tf_text", layer) is None for module in modules)


def _for_elements(plain: Any) -> Any:
    """Return a method that returns tensors where a function of a dataset calls it."""

    @functools.wraps(plain)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        in_dataset = tracing.local.element
        tracing.local.element = False  # layers that this one calls return lists, as elsewhere
        try:
            result = plain(self, *args, **kwargs)
        finally:
            tracing.local.element = in_dataset
        if in_dataset:
            result = _with_tensors(result, self.compute_dtype)
            _declare_lengths(self, result)
        return result

    return method


def _declare_lengths(layer: Any, result: Any) -> None:
    """Declare the shapes of padded sequences, of resized images and of spectrograms.

    Labels of sequences have no padded axis. They have fewer axes than the sequences.
    """
    lengths = [getattr(layer, name, None) for name in LENGTHS]
    images = getattr(getattr(layer, "image_converter", None), "image_size", None)
    is_audio = all(hasattr(layer, name) for name in ("num_samples", "stride", "num_mels"))
    spectrogram = [layer.num_samples // layer.stride, layer.num_mels] if is_audio else None
    features, *labels = result if isinstance(result, tuple) else (result,)
    found, others = _tensors(features), _tensors(labels)
    rank = max([tensor.ndim for tensor in found if not tensor.dtype.is_floating], default=0)
    for tensor in (*found, *others):
        sizes = list(tensor.shape)
        if len(sizes) == rank > 0 and sizes[-1] in lengths:
            known = 1
        elif images and sizes[-3:-1] == list(images):
            known = 3
        elif sizes[-2:] == spectrogram:
            known = 2
        else:
            continue
        shape = TensorShape([*[None] * (len(sizes) - known), *sizes[-known:]])
        tracing.declare_shape(tensor, shape)


def _tensors(value: Any) -> list[Tensor]:
    return [leaf for leaf in nest.flatten(value) if isinstance(leaf, Tensor)]


def _with_tensors(value: Any, dtype: str) -> Any:
    """Convert the lists in a result: nested ones are rows of different lengths."""
    if isinstance(value, tuple):
        return tuple([_with_tensors(item, dtype) for item in value])
    if isinstance(value, dict):
        return {key: _with_tensors(item, dtype) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return convert_to_tensor(value)
    if not isinstance(value, list):
        return value
    is_text = any(isinstance(leaf, str) for leaf in nest.flatten(value))
    kind = "string" if is_text else dtype
    if any(isinstance(item, list) for item in value):
        return constant(value, kind)
    return convert_to_tensor(value, kind)
