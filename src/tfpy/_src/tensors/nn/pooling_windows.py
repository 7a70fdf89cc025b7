"""Pooling of the windows of images in any data format."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import pooling as primitives
from tfpy._src.compiler.ops.concatenation import without_elements
from tfpy._src.compiler.ops.window import Window
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import attribute_ints
from tfpy._src.tensors.math.reductions import reduce_max
from tfpy._src.tensors.nn.data_format import DataFormat


def pool_windows(
    name: str,
    rank: int,
    op: Op,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any = None,
) -> Tensor:
    """Apply a pooling primitive to the windows of an image with `rank` spatial axes."""
    form = DataFormat.of(name, rank, data_format)
    x = form.channels_last(convert_to_tensor(input))
    if op is primitives.max_pool and form.depth(ksize) > 1:
        return _max_of_channels(form, x, ksize, strides)
    extent = form.spatial("ksize", ksize)
    step, spread, pads = form.window(tuple(x.aval.shape[1:-1]), extent, strides, padding, dilations)
    batch, *spatial, depth = x.aval.shape
    out = Window(step, spread, pads).out_size(name, tuple(spatial), extent)
    if 0 in out:
        return form.original(without_elements((batch, *out, depth), x))
    return form.original(op(x, ksize=extent, strides=step, dilations=spread, padding=pads))


def _max_of_channels(form: DataFormat, x: Tensor, ksize: Any, strides: Any) -> Tensor:
    """Pool over adjacent channels; TensorFlow supports only windows without overlap here."""
    sizes, window = attribute_ints(ksize), form.depth(ksize)
    if form.rank == 3 or form.channels_first:
        problem = f"input must be 2-D images with channels last, got shape {list(x.aval.shape)}"
    elif max(sizes[:-1]) > 1:
        problem = f"ksize {list(sizes)} must be 1 on the batch and spatial axes"
    elif form.depth(strides) != window:
        problem = f"ksize {list(sizes)} and strides {strides} must be equal on the channel axis"
    elif x.aval.shape[-1] % window:
        problem = f"ksize {list(sizes)} must divide the number of channels, {x.aval.shape[-1]}"
    else:
        return reduce_max(reshape(x, [*x.aval.shape[:-1], x.aval.shape[-1] // window, window]), -1)
    raise UnimplementedError(None, form.op, f"{form.op} over the channels: {problem}")


def lowest(x: Tensor) -> float:
    """Return a number that is not above any element of a tensor."""
    return -math.inf if x.dtype.is_floating else x.dtype.min
