"""Shapes of the results of functions that cannot be called on likely values.

The decoders of files raise an error for bytes that are not a file. The sizes of the arguments of
scatter functions depend on each other, and so do a tensor and its new shape, so that likely sizes
seldom match. As in TensorFlow, the shapes of the results follow from the arguments, and a run
checks the values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike
from tfpy._src.functions.graph_mode.tensors import GraphTensor

Declared = tuple[list[int | None] | None, DTypeLike]
"""Shape and dtype of a result. A shape of None is unknown."""


def declared(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Declared | None:
    """Return the shape and dtype of the result of a call, or None if they are not known.

    Args:
        function: The function.
        args, kwargs: Its arguments. At least one has an unknown value.
    """
    first, rule = _RULES.get(getattr(function, "__name__", ""), ("", None))
    if rule is None or first not in inspect.signature(function).parameters:
        return None
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return rule(bound.arguments)


def _image(given: Mapping[str, Any]) -> Declared | None:
    channels = given.get("channels") or None
    return _decoded(given, [None, None, channels])


def _image_or_animation(given: Mapping[str, Any]) -> Declared | None:
    if given["expand_animations"]:
        return _decoded(given, None)
    return _image(given)


def _decoded(given: Mapping[str, Any], shape: list[int | None] | None) -> Declared | None:
    if given.get("channels") not in (None, 0, 1, 3, 4):
        return None
    return shape, given.get("dtype", dtypes.uint8)


def _cropped(given: Mapping[str, Any]) -> Declared | None:
    window = given["crop_window"]
    known = window.known if isinstance(window, GraphTensor) else window
    sizes = [None, None] if known is None else _ints(known)[2:]
    return _decoded(given, [*sizes, given["channels"] or None])


def _scattered(given: Mapping[str, Any]) -> Declared | None:
    """Return the shape of the result of `tf.scatter_nd`."""
    if not _is_open(given, "indices", "updates", "shape"):
        return None
    return _specified(given["shape"]), convert_to_tensor(given["updates"]).dtype


def _updated(given: Mapping[str, Any]) -> Declared | None:
    """Return the shape of a tensor with other values at some indices."""
    if not _is_open(given, "tensor", "indices", "updates"):
        return None
    like = convert_to_tensor(given["tensor"])
    return (like.shape.as_list() if like.shape.rank is not None else None), like.dtype


def _reshaped(given: Mapping[str, Any]) -> Declared | None:
    """Return the shape that a tensor of unknown values specifies."""
    if not _is_unknown(given["shape"]):
        return None
    return _specified(given["shape"]), convert_to_tensor(given["tensor"]).dtype


def _permuted(given: Mapping[str, Any]) -> Declared | None:
    """Return a shape with the sizes of a tensor in an unknown order."""
    tensor = convert_to_tensor(given["a"])
    if not _is_unknown(given["perm"]):
        return None
    return _unknown_sizes(tensor.shape.rank), tensor.dtype


def _padded(given: Mapping[str, Any]) -> Declared | None:
    """Return the shape of a tensor with unknown paddings."""
    tensor = convert_to_tensor(given["tensor"])
    if not _is_unknown(given["paddings"]):
        return None
    rows = convert_to_tensor(given["paddings"]).shape
    rank = rows[0] if rows.rank == 2 and tensor.shape.rank is None else tensor.shape.rank
    return _unknown_sizes(rank), tensor.dtype


def _stacked(given: Mapping[str, Any]) -> Declared | None:
    """Return the shape of tensors along a new axis, from the sizes that any of them has.

    Raises:
        ValueError: If the known sizes differ.
    """
    tensors = [convert_to_tensor(t) for t in given["values"]]
    if not any(isinstance(t, GraphTensor) and t.aval.is_open for t in tensors):
        return None
    merged = TensorShape(None)
    for tensor in tensors:
        merged = merged.merge_with(tensor.shape)
    if merged.rank is None:
        return None, tensors[0].dtype
    sizes: list[int | None] = [*merged.as_list()]
    axis = given["axis"]
    sizes.insert(axis if axis >= 0 else axis + len(sizes) + 1, len(tensors))
    return sizes, tensors[0].dtype


def _convolved(given: Mapping[str, Any]) -> Declared | None:
    """Return the shape of a convolution of images with an unknown number of dimensions."""
    images, filters = convert_to_tensor(given["input"]), convert_to_tensor(given["filters"])
    if images.shape.rank is not None or filters.shape.rank != 4:
        return None
    channels = filters.shape[3]
    is_first = given["data_format"] == "NCHW"
    sizes = [None, channels, None, None] if is_first else [None, None, None, channels]
    return sizes, images.dtype


def _elementwise(name: str, dtype: DTypeLike) -> Callable[[Mapping[str, Any]], Declared | None]:
    """Return a rule for functions of each string or number of an argument."""

    def rule(given: Mapping[str, Any]) -> Declared | None:
        shape = convert_to_tensor(given[name]).shape
        return (None if shape.rank is None else shape.as_list()), dtype

    return rule


def _is_unknown(value: Any) -> bool:
    return isinstance(value, GraphTensor) and value.known is None


def _unknown_sizes(rank: int | None) -> list[int | None] | None:
    return None if rank is None else [None] * rank


def _is_open(given: Mapping[str, Any], *names: str) -> bool:
    """Return True if one of the arguments has an unknown shape or specifies one."""
    return any(isinstance(given[n], GraphTensor) and given[n].aval.is_open for n in names)


def _specified(sizes: Any) -> list[int | None] | None:
    """Return the shape that an argument specifies, or None for an unknown rank."""
    if _is_unknown(sizes):
        return _unknown_sizes(sizes.shape[0] if sizes.shape.rank == 1 else None)
    if isinstance(sizes, list | tuple | TensorShape):
        return [None if isinstance(n, GraphTensor) else n for n in sizes]
    return [*_ints(sizes.known if isinstance(sizes, GraphTensor) else sizes)]


def _ints(values: Any) -> list[int]:
    return [int(n) for n in host_values(convert_to_tensor(values))]


_RULES: dict[str, tuple[str, Callable[[Mapping[str, Any]], Declared | None]]] = {
    "conv2d": ("filters", _convolved),
    "decode_and_crop_jpeg": ("contents", _cropped),
    "decode_bmp": ("contents", _image),
    "decode_gif": ("contents", lambda given: _decoded(given, [None, None, None, 3])),
    "decode_image": ("contents", _image_or_animation),
    "decode_jpeg": ("contents", _image),
    "decode_json_example": ("json_examples", _elementwise("json_examples", dtypes.string)),
    "decode_png": ("contents", _image),
    "extract_jpeg_shape": ("contents", lambda given: ([3], as_dtype(given["output_type"]))),
    "pad": ("paddings", _padded),
    "parse_tensor": ("serialized", lambda given: (None, as_dtype(given["out_type"]))),
    "reshape": ("shape", _reshaped),
    "scatter_nd": ("updates", _scattered),
    "stack": ("values", _stacked),
    "transpose": ("perm", _permuted),
    "unicode_script": ("input", _elementwise("input", dtypes.int32)),
    **{
        f"tensor_scatter_nd_{kind}": ("updates", _updated)
        for kind in ("add", "max", "min", "sub", "update")
    },
}
"""Rules by the name of a function, with a parameter by which it is recognized."""
