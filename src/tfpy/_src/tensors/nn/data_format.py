"""Strides, padding and dilations of window functions in any data format.

Windows are computed with the channels last. A `DataFormat` converts tensors to this order and back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tfpy._src.base.errors import UnimplementedError, invalid
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.static import attribute_ints

Sizes = tuple[int, ...]
Padding = tuple[tuple[int, int], ...]

_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}

_MISSING_BATCH = "; the first dimension counts the examples: pass x[tf.newaxis] for a single one"


@dataclass(frozen=True)
class DataFormat:
    """The order of the spatial axes and the channels, for one call of the function `op`.

    Attributes:
        op: Name of the function, for error messages.
        rank: Number of spatial axes.
        channels_first: True if the channels come before the spatial axes.
    """

    op: str
    rank: int
    channels_first: bool

    @classmethod
    def of(cls, op: str, rank: int, data_format: str | None) -> DataFormat:
        """Parse `data_format`; None means that the channels are last.

        Raises:
            ValueError: If it is not a format of rank 1.
            InvalidArgumentError: If it is not a format of rank 2 or 3.
        """
        formats = _FORMATS[rank]
        if data_format not in (None, *formats):
            text = f"data_format must be one of {formats}, got {data_format!r}"
            raise ValueError(f"{op}: {text}") if rank == 1 else invalid(op, text)
        return cls(op, rank, data_format == formats[1])

    def channels_last(self, x: Tensor) -> Tensor:
        """Transpose an image to `[batch, *spatial, channels]`.

        Raises:
            InvalidArgumentError: If the image has a different rank.
        """
        if x.ndim != self.rank + 2:
            raise invalid(
                self.op,
                f"input must be {self.rank + 2}-dimensional, got shape {list(x.aval.shape)}"
                f"{_MISSING_BATCH if x.ndim == self.rank + 1 else ''}",
            )
        return transpose(x, self.order()) if self.channels_first else x

    def original(self, y: Tensor) -> Tensor:
        """Transpose a result back to this format; the inverse of `channels_last`."""
        return transpose(y, [0, self.rank + 1, *self.spatial_axes()]) if self.channels_first else y

    def shape_last(self, shape: Sizes) -> Sizes:
        """Reorder a shape in this format to the order of `channels_last`.

        Raises:
            ValueError: If the shape has a different rank.
        """
        if len(shape) != self.rank + 2:
            raise ValueError(f"{self.op}: {list(shape)} must have {self.rank + 2} elements")
        return tuple(shape[i] for i in self.order()) if self.channels_first else shape

    def order(self) -> list[int]:
        """Return the permutation that moves the channels of a channels-first tensor to the end."""
        return [0, *range(2, self.rank + 2), 1]

    def spatial_axes(self) -> range:
        """Return the spatial axes of a channels-last tensor."""
        return range(1, self.rank + 1)

    def spatial(self, what: str, value: Any) -> Sizes:
        """Return one integer for each spatial axis.

        Args:
            what: Name of the argument, for error messages.
            value: One integer, one integer for each spatial axis, one for each axis of the input,
                or None, which means 1.

        Raises:
            UnimplementedError: If the integer of the batch or channel axis is not 1.
            ValueError: If the number of integers is different.
        """
        values = (1,) if value is None else attribute_ints(value)
        if len(values) == 1:
            return values * self.rank
        if len(values) == self.rank + 2:
            values = self.shape_last(values)
            if values[0] != 1 or values[-1] != 1:
                raise UnimplementedError(
                    None,
                    self.op,
                    f"{self.op}: {what} {list(values)} must be 1 in the batch and depth dimensions",
                )
            return values[1:-1]
        if len(values) != self.rank:
            raise ValueError(
                f"{self.op}: {what} should be of length 1, {self.rank} or {self.rank + 2} "
                f"but was {len(values)}"
            )
        return values

    def depth(self, value: Any) -> int:
        """Return the integer of the channels, or 1 if there is not one for each axis."""
        values = attribute_ints(value)
        return self.shape_last(values)[-1] if len(values) == self.rank + 2 else 1

    def window(
        self, size: Sizes, ksize: Sizes, strides: Any, padding: Any, dilations: Any = None
    ) -> tuple[Sizes, Sizes, Padding]:
        """Return strides, dilations and pads of windows over images of spatial `size`."""
        step, spread = self.spatial("strides", strides), self.spatial("dilations", dilations)
        return step, spread, self.padding(padding, size, ksize, step, spread)

    def padding(
        self, padding: Any, size: Sizes, ksize: Sizes, strides: Sizes, dilations: Sizes
    ) -> Padding:
        """Return the pads before and after each spatial axis.

        Args:
            padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of
                the input.

        Raises:
            InvalidArgumentError: If `padding` is a different string, or pads the batch or channels.
            ValueError: If `padding` does not have one pair for each axis of the input.
        """
        if isinstance(padding, str):
            kind = padding.upper()
            if kind == "VALID":
                return ((0, 0),) * self.rank
            if kind == "SAME":
                return same_padding(size, ksize, strides, dilations)
            raise invalid(
                self.op, f"padding must be 'SAME', 'VALID' or a list of pairs, got {padding!r}"
            )
        pairs = [tuple(int(v) for v in p) for p in padding]
        if len(pairs) != self.rank + 2 or any(len(p) != 2 for p in pairs):
            raise ValueError(
                f"{self.op}: explicit padding needs {self.rank + 2} pairs, got {padding!r}"
            )
        others = pairs[:2] if self.channels_first else (pairs[0], pairs[-1])
        if any(map(any, others)):
            raise invalid(
                self.op, f"the batch and channels cannot be padded, got explicit padding {pairs}"
            )
        spatial = pairs[2:] if self.channels_first else pairs[1:-1]
        return tuple((low, high) for low, high in spatial)


def spatial_rank(op: str, rank: int) -> int:
    """Return the number of spatial axes of a tensor of rank `rank`.

    Raises:
        ValueError: If this number is not 1, 2 or 3.
    """
    if rank not in (3, 4, 5):
        raise ValueError(f"{op}: 1, 2 or 3 spatial dimensions are supported, got {rank - 2}")
    return rank - 2


def same_padding(size: Sizes, ksize: Sizes, strides: Sizes, dilations: Sizes) -> Padding:
    """Return the pads of TensorFlow's "SAME" padding; an odd pixel goes to the end.

    Raises:
        ValueError: If a stride is below 1.
    """
    pads = []
    for n, f, s, d in zip(size, ksize, strides, dilations, strict=True):
        if s < 1:
            raise ValueError(f"strides must be positive, got {list(strides)}")
        total = max((-(-n // s) - 1) * s + (f - 1) * d + 1 - n, 0)
        pads.append((total // 2, total - total // 2))
    return tuple(pads)


def flat_batch(x: Tensor, rank: int) -> tuple[Tensor, Sizes]:
    """Merge all axes before the last `rank + 1` into one; also return their sizes."""
    lead = tuple(x.aval.shape[: x.ndim - rank - 1])
    if len(lead) <= 1:
        return x, lead
    return reshape(x, [math.prod(lead), *x.aval.shape[-rank - 1 :]]), lead
