"""Convolution of int32 images: sums of products over the positions in a window.

Devices have no kernel for integer convolutions. The channels are last.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.indexing import getitem
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.linalg.products import tensordot
from tfpy._src.tensors.nn.data_format import Padding, Sizes


def convolve(x: Tensor, f: Tensor, strides: Sizes, dilations: Sizes, padding: Padding) -> Tensor:
    """Compute the convolution of images `[n, h, w, c]` with filters `[h, w, c, out]`."""
    wide = pad(x, [[0, 0], *map(list, padding), [0, 0]])
    extents = [(k - 1) * d + 1 for k, d in zip(f.aval.shape, dilations, strict=False)]
    sizes = [
        (n - k) // s + 1 for n, k, s in zip(wide.aval.shape[1:3], extents, strides, strict=True)
    ]
    y = zeros([x.aval.shape[0], *sizes, f.aval.shape[-1]], x.dtype)
    for i, j, filter_ in _places(f):
        down, right = (
            slice(k * d, k * d + (n - 1) * s + 1, s)
            for k, d, n, s in zip((i, j), dilations, sizes, strides, strict=True)
        )
        y += tensordot(getitem(wide, (slice(None), down, right)), filter_, 1)
    return y


def convolve_back(
    dy: Tensor, f: Tensor, shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Tensor:
    """Compute the adjoint of `convolve`: images of `shape`."""
    wide = [n + sum(p) for n, p in zip(shape[1:3], padding, strict=True)]
    x = zeros([shape[0], *wide, shape[-1]], dy.dtype)
    for i, j, filter_ in _places(f):
        part = _spread(tensordot(dy, transpose(filter_), 1), strides)
        room = [
            [k * d, n - k * d - m]
            for k, d, n, m in zip((i, j), dilations, wide, part.aval.shape[1:3], strict=True)
        ]
        x += pad(part, [[0, 0], *room, [0, 0]])
    inside = (slice(p, p + n) for n, (p, _) in zip(shape[1:3], padding, strict=True))
    return getitem(x, (slice(None), *inside))


def _places(f: Tensor) -> Iterator[tuple[int, int, Tensor]]:
    """Yield each position in a window with its filter `[c, out]`."""
    for i in range(f.aval.shape[0]):
        for j in range(f.aval.shape[1]):
            yield i, j, getitem(f, (i, j))


def _spread(x: Tensor, strides: Sizes) -> Tensor:
    """Insert zeros between pixels, so that they are a stride apart."""
    n, height, width, depth = x.aval.shape
    down, right = strides
    apart = reshape(x, [n, height, 1, width, 1, depth])
    room = [[0, 0], [0, 0], [0, down - 1], [0, 0], [0, right - 1], [0, 0]]
    spread = reshape(pad(apart, room), [n, height * down, width * right, depth])
    ends = slice(0, (height - 1) * down + 1), slice(0, (width - 1) * right + 1)
    return getitem(spread, (slice(None), *ends))
