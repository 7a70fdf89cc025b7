"""Steps of attention on WebGPU, by shape."""

from __future__ import annotations

from typing import Any

import pytest

import tfpy as tf
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.webgpu import WebGPUTarget, attention, lower
from tfpy._src.compiler.passes.pipeline import optimize

VEC4 = 16
"""Bytes of four elements in workgroup memory."""

SHARED_BYTES = 16384
"""Minimum workgroup memory of any device."""


def attend(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    scores = tf.matmul(q, k, transpose_b=True) * 0.125
    return tf.matmul(tf.nn.softmax(scores if mask is None else scores + mask), v)


def steps_of(program: Program) -> list[tuple[str, list[int]]]:
    return [(program.kernels[s.kernel].name, s.extra["groups"]) for s in program.steps]


def lowered(heads: int, m: int, n: int, width: int = 64, *mask: tuple[int, ...]) -> Program:
    shapes = [(heads, m, width), (heads, n, width), (heads, n, width), *mask]
    specs = [tf.TensorSpec(shape) for shape in shapes]
    graph = tf.function(attend).get_concrete_function(*specs).traced.graph
    program = lower(optimize(graph, WebGPUTarget()))
    verify(program)
    return program


@pytest.mark.parametrize(
    ("program", "steps"),
    [
        (lowered(12, 1, 512), [("attention_rows", [12, 1, 1])]),
        (lowered(12, 1, 1025), [("attention_rows", [60, 1, 1]), ("attention_join", [1, 1, 1])]),
        (lowered(12, 64, 64), [("attention_rows", [768, 1, 1])]),
        (lowered(12, 100, 100), [("attention_tile", [48, 1, 1]), ("attention_join", [75, 1, 1])]),
        (lowered(12, 512, 512), [("attention_tile", [384, 1, 1]), ("attention_join", [384, 1, 1])]),
        (lowered(12, 2048, 2048), [("attention_tile", [384, 1, 1])]),
        (lowered(12, 2048, 2048, 128), [("attention_tile", [768, 1, 1])]),
        (lowered(999, 1, 999), [("attention_rows", [1998, 1, 1]), ("attention_join", [63, 1, 1])]),
        (
            lowered(12, 2048, 2048, 64, (2048, 2048)),
            [("attention_blocks", [1024, 1, 1]), ("attention_tile", [384, 1, 1])],
        ),
        (
            lowered(12, 512, 512, 64, (512, 512)),
            [("attention_blocks", [128, 1, 1]), ("attention_tile", [192, 1, 1])],
        ),
        (
            lowered(12, 2048, 2048, 64, (12, 1, 2048)),
            [("attention_blocks", [384, 1, 1]), ("attention_tile", [384, 1, 1])],
        ),
    ],
)  # fmt: skip
def test_without_scores_in_memory(program: Program, steps: list[tuple[str, list[int]]]) -> None:
    assert steps_of(program) == steps


@pytest.mark.parametrize(
    "program",
    [lowered(12, 16, 8192), lowered(12, 512, 512, 256)],
)
def test_products_where_they_are_as_fast(program: Program) -> None:
    assert not any(name.startswith("attention") for name, _ in steps_of(program))


def test_large_scores_are_never_in_memory() -> None:
    assert [name for name, _ in steps_of(lowered(1, 64, 1 << 20))] == [
        "attention_rows",
        "attention_join",
    ]


@pytest.mark.parametrize("tile", {*attention.LARGE, *attention.SMALL})
def test_tiles_fit(tile: attention.AttentionTile) -> None:
    """Check that tiles of attention fit every device.

    Each thread loads the same amount, swizzled positions stay inside the tile, and workgroup memory
    suffices on any device.
    """
    threads = tile.tx * tile.ty
    rows, keys, columns = tile.rows // 4, tile.block // 4, tile.columns // 4
    for fours, loaded in ((rows, tile.depth), (keys, tile.depth), (columns, tile.keys)):
        assert 4 * loaded * fours % threads == 0
    assert keys % tile.keys == 0
    assert rows % 8 == keys % 8 == 0
    assert tile.tx % 8 == tile.ty % 4 == 0
    assert threads <= 256
    most = max(4 * tile.depth * (rows + keys), 4 * tile.keys * (rows + columns), tile.tx * rows)
    assert most * VEC4 <= SHARED_BYTES
