"""The windows of convolutions and pooling, from ONNX's attributes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tfpy._src.base.errors import invalid
from tfpy._src.formats.onnx.reader.record import Ints

Pads = tuple[tuple[int, int], ...]
MAX_WINDOW = 1 << 17
"""Maximum number of elements in a window; larger windows would block the host for minutes."""
MAX_PAD = 1 << 14


@dataclass(frozen=True)
class Windows:
    """Window parameters for each spatial axis."""

    kernel: Ints
    strides: Ints
    dilations: Ints
    pads: Pads

    @property
    def extent(self) -> Ints:
        """Size of a window including dilation."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True))


def windows(
    op: str, spatial: Ints, kernel: Ints, strides: Ints | None, dilations: Ints | None,
    pads: Ints | None, auto_pad: str, ceil: bool = False,
) -> Windows:  # fmt: skip
    """Return the windows over axes of given sizes.

    With `ceil`, the pads at the end are extended, so that the last window may be partly outside.

    Raises:
        InvalidArgumentError: If the attributes do not match each other.
    """
    rank = len(spatial)
    step, spread = strides or (1,) * rank, dilations or (1,) * rank
    if not len(kernel) == len(step) == len(spread) == rank or min(*kernel, *step, *spread) < 1:
        raise invalid(
            op, f"kernel {kernel}, strides {step}, dilations {spread} are invalid for {rank} axes"
        )
    if math.prod(kernel) > MAX_WINDOW or max(*step, *spread) > MAX_WINDOW:
        raise invalid(op, f"kernel {kernel}, strides {step}, dilations {spread} are too large")
    made = Windows(tuple(kernel), tuple(step), tuple(spread), ((0, 0),) * rank)
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        found = _same(spatial, made, auto_pad)
    elif auto_pad == "VALID" or pads is None:
        found = made.pads
    elif (
        auto_pad != "NOTSET" or len(pads) != 2 * rank or not 0 <= min(pads) <= max(pads) <= MAX_PAD
    ):
        raise invalid(op, f"auto_pad {auto_pad!r} or pads {list(pads)} are invalid for {rank} axes")
    else:
        found = tuple(zip(pads[:rank], pads[rank:], strict=True))
    if ceil:
        found = _reaching(spatial, made, found)
    return Windows(made.kernel, made.strides, made.dilations, found)


def _same(spatial: Ints, w: Windows, auto_pad: str) -> Pads:
    """Return pads for `ceil(size / stride)` windows."""
    found = []
    for size, extent, step in zip(spatial, w.extent, w.strides, strict=True):
        total = max(0, (math.ceil(size / step) - 1) * step + extent - size)
        less, more = total // 2, total - total // 2
        found.append((less, more) if auto_pad == "SAME_UPPER" else (more, less))
    return tuple(found)


def _reaching(spatial: Ints, w: Windows, pads: Pads) -> Pads:
    """Extend the pads for one more window that starts inside, if a part of it fits."""
    found = []
    for size, extent, step, (low, high) in zip(spatial, w.extent, w.strides, pads, strict=True):
        count = math.ceil((size + low + high - extent) / step) + 1
        if (count - 1) * step >= size + low:
            count -= 1
        found.append((low, max(high, (count - 1) * step + extent - size - low)))
    return tuple(found)
