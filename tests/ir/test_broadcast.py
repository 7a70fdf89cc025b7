"""Index spaces: merged dimensions read the same elements as NumPy's broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.strides import (
    MAX_DIMS,
    broadcast_strides,
    broadcast_view,
    collapse,
    dense_strides,
    merge,
    pad_front,
)


def walk(dims: list[int], strides: list[int]) -> Any:
    """Return the flat positions that an index space reads, in row-major order."""
    if not all(dims):
        return []
    grid = np.indices(dims).reshape(len(dims), -1)
    return (np.array(strides)[:, None] * grid).sum(axis=0).tolist()


def collapsed(
    out: Sequence[int], shapes: Sequence[Sequence[int]]
) -> tuple[list[int], list[list[int]]]:
    return collapse(out, [broadcast_view(shape, out) for shape in shapes])


def test_examples() -> None:
    assert dense_strides((2, 3, 4)) == [12, 4, 1]
    assert broadcast_strides((3, 1), (2, 3, 5)) == [0, 1, 0]
    assert collapsed((8, 4, 16), [(8, 4, 16), (16,)]) == ([32, 16], [[16, 1], [0, 1]])
    assert collapsed((4, 5), [(4, 5), (4, 5)]) == ([20], [[1], [1]])
    assert collapsed((), [()]) == ([1], [[0]])
    assert collapsed((1, 1), [(1,), ()]) == ([1], [[0], [0]])


@given(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=6, max_side=3))
def test_collapse_reads_what_broadcasting_reads(shapes: Any) -> None:
    out = shapes.result_shape
    dims, strides = collapsed(out, shapes.input_shapes)
    assert np.prod(dims) == np.prod(out)
    assert len(dims) <= max(len(out), 1)
    for shape, own in zip(shapes.input_shapes, strides, strict=True):
        x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        assert walk(dims, own) == np.broadcast_to(x, out).reshape(-1).tolist()


def test_merge_keeps_negative_strides() -> None:
    assert merge([2, 3, 4], [[12, 4, -1]]) == ([6, 4], [[4, -1]])
    assert merge([2, 3], [[-3, -1]]) == ([6], [[-1]])


def test_pad_front() -> None:
    assert pad_front([2, 3], 1) == [1, 1, 1, 1, 2, 3]
    with pytest.raises(NotLowerable, match="7"):
        pad_front([1] * (MAX_DIMS + 1), 1)
