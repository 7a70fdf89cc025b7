"""Arguments of window functions in any data format: channels first or last, strides, padding.

Windows are computed with channels last. A :class:`DataFormat` brings tensors there and back.
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


@dataclass(frozen=True)
class DataFormat:
    """The order of ``rank`` spatial dimensions and the channels, for the function ``op``."""

    op: str
    rank: int
    channels_first: bool

    @classmethod
    def of(cls, op: str, rank: int, data_format: str | None) -> DataFormat:
        """The format that ``data_format`` names.

        Raises:
            ValueError: when it is none of rank 1.
            InvalidArgumentError: when it is none of rank 2 or 3.
        """
        formats = _FORMATS[rank]
        if data_format not in (None, *formats):
            text = f"data_format must be one of {formats}, got {data_format!r}"
            raise ValueError(f"{op}: {text}") if rank == 1 else invalid(op, text)
        return cls(op, rank, data_format == formats[1])

    def channels_last(self, x: Tensor) -> Tensor:
        """The image as ``[batch, *spatial, channels]``.

        Raises:
            InvalidArgumentError: when it has another rank.
        """
        if x.ndim != self.rank + 2:
            raise invalid(
                self.op,
                f"input must be {self.rank + 2}-dimensional, got shape {list(x.aval.shape)}",
            )
        return transpose(x, self.order()) if self.channels_first else x

    def original(self, y: Tensor) -> Tensor:
        """Undoes :meth:`channels_last`."""
        return transpose(y, [0, self.rank + 1, *self.spatial_axes()]) if self.channels_first else y

    def shape_last(self, shape: Sizes) -> Sizes:
        """A shape of this format in the order of :meth:`channels_last`.

        Raises:
            ValueError: when it has another rank.
        """
        if len(shape) != self.rank + 2:
            raise ValueError(f"{self.op}: {list(shape)} must have {self.rank + 2} dimensions")
        return tuple(shape[i] for i in self.order()) if self.channels_first else shape

    def order(self) -> list[int]:
        """The dimensions of a channels-first tensor, channels last."""
        return [0, *range(2, self.rank + 2), 1]

    def spatial_axes(self) -> range:
        """The spatial dimensions when channels are last."""
        return range(1, self.rank + 1)

    def spatial(self, what: str, value: Any) -> Sizes:
        """One number a spatial dimension, from one, as many, or one a dimension of the data.

        Raises:
            UnimplementedError: when the batch's or channels' number is not 1.
            ValueError: for another count of numbers.
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
        """The channels' number of a list that has one for each dimension of the data, or 1."""
        values = attribute_ints(value)
        return self.shape_last(values)[-1] if len(values) == self.rank + 2 else 1

    def window(
        self, size: Sizes, ksize: Sizes, strides: Any, padding: Any, dilations: Any = None
    ) -> tuple[Sizes, Sizes, Padding]:
        """Strides, dilations and pads of windows ``ksize`` over images of spatial ``size``."""
        step, spread = self.spatial("strides", strides), self.spatial("dilations", dilations)
        return step, spread, self.padding(padding, size, ksize, step, spread)

    def padding(
        self, padding: Any, size: Sizes, ksize: Sizes, strides: Sizes, dilations: Sizes
    ) -> Padding:
        """Pads before and after each spatial dimension for "SAME", "VALID" or a list of pairs.

        Raises:
            InvalidArgumentError: for another name.
            ValueError: for another list.
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
        spatial = pairs[2:] if self.channels_first else pairs[1:-1]
        return tuple((low, high) for low, high in spatial)


def spatial_rank(op: str, rank: int) -> int:
    """The number of spatial dimensions of a tensor of that rank.

    Raises:
        ValueError: when there are not 1, 2 or 3.
    """
    if rank not in (3, 4, 5):
        raise ValueError(f"{op}: 1, 2 or 3 spatial dimensions are supported, got {rank - 2}")
    return rank - 2


def same_padding(size: Sizes, ksize: Sizes, strides: Sizes, dilations: Sizes) -> Padding:
    """TensorFlow's "SAME": as many outputs as strides fit, the odd pixel at the end.

    Raises:
        ValueError: for a stride below 1.
    """
    pads = []
    for n, f, s, d in zip(size, ksize, strides, dilations, strict=True):
        if s < 1:
            raise ValueError(f"strides must be positive, got {list(strides)}")
        total = max((-(-n // s) - 1) * s + (f - 1) * d + 1 - n, 0)
        pads.append((total // 2, total - total // 2))
    return tuple(pads)


def flat_batch(x: Tensor, rank: int) -> tuple[Tensor, Sizes]:
    """``x`` with all dimensions before the last ``rank + 1`` as one batch, and these."""
    lead = tuple(x.aval.shape[: x.ndim - rank - 1])
    if len(lead) <= 1:
        return x, lead
    return reshape(x, [math.prod(lead), *x.aval.shape[-rank - 1 :]]), lead
