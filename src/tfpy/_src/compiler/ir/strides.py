"""Index spaces of broadcast inputs, in as few dimensions as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tfpy._src.base.errors import NotLowerable

MAX_DIMS = 6


@dataclass(frozen=True)
class View:
    """The mapping from an index space to an array: `offset + sum(index * strides)`, in elements."""

    strides: tuple[int, ...]
    offset: int = 0


def dense_strides(shape: Sequence[int]) -> list[int]:
    """Return row-major strides in elements: `[12, 4, 1]` for `[2, 3, 4]`."""
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1]
    return strides


def broadcast_strides(shape: Sequence[int], out_shape: Sequence[int]) -> list[int]:
    """Return strides that read `shape` as if it were `out_shape`, 0 for repeated dimensions."""
    pad = len(out_shape) - len(shape)
    own = [0 if n == 1 else s for n, s in zip(shape, dense_strides(shape), strict=True)]
    return [0] * pad + own


def merge(
    dims: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[list[int], list[list[int]]]:
    """Merge adjacent dimensions that are contiguous in every operand; drop dimensions of size 1.

    Returns:
        ``(dims, strides)`` with at least one dimension; ``strides`` has a list per operand.
    """
    out_dims: list[int] = []
    out_strides: list[list[int]] = [[] for _ in strides]
    for axis, n in enumerate(dims):
        if n == 1:
            continue
        joins = bool(out_dims) and all(
            o[-1] == s[axis] * n for o, s in zip(out_strides, strides, strict=True)
        )
        if joins:
            out_dims[-1] *= n
            for o, s in zip(out_strides, strides, strict=True):
                o[-1] = s[axis]
        else:
            out_dims.append(n)
            for o, s in zip(out_strides, strides, strict=True):
                o.append(s[axis])
    if not out_dims:
        return [1], [[0] for _ in strides]
    return out_dims, out_strides


def dense_view(space: Sequence[int]) -> View:
    """Return a view that reads an array in the order of the index space."""
    return View(tuple(dense_strides(space)))


def broadcast_view(shape: Sequence[int], out_shape: Sequence[int]) -> View:
    """Return a view that reads `shape` as if it were `out_shape`."""
    return View(tuple(broadcast_strides(shape, out_shape)))


def collapse(out_shape: Sequence[int], views: Sequence[View]) -> tuple[list[int], list[list[int]]]:
    """Return an elementwise kernel's index space in as few dimensions as possible, and strides.

    Example: ``collapse((8, 4, 16), [View((64, 16, 1)), View((0, 0, 1))])`` is
    ``([32, 16], [[16, 1], [0, 1]])``.
    """
    return merge(out_shape, [view.strides for view in views])


def pad_front(values: Sequence[int], fill: int) -> list[int]:
    """Return `values` as a list of `MAX_DIMS` numbers, filled at the front.

    Raises:
        NotLowerable: If there are more values.
    """
    if len(values) > MAX_DIMS:
        raise NotLowerable(f"kernels take at most {MAX_DIMS} dimensions, got {len(values)}")
    return [fill] * (MAX_DIMS - len(values)) + list(values)
