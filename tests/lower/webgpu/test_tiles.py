"""Kernels for products and reductions on WebGPU, by shape."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tfpy._src.compiler.ops  # noqa: F401  fills the table
from tfpy._src.base.dtypes import DType, float32, int32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.webgpu import TILE_BYTES, lower, products, tiles

VEC4 = 16
"""Bytes of four elements in workgroup memory."""


def product(
    m: int, n: int, k: int, batch: int = 1, dtype: DType = float32, **options: bool
) -> Program:
    avals = [Aval((batch, m, k), dtype), Aval((batch, k, n), dtype)]
    attrs = (("transpose_a", False), ("transpose_b", False))
    program = lower(single_equation(OPS["matmul"], avals, attrs), **options)
    verify(program)
    return program


def steps_of(program: Program) -> list[tuple[str, list[int]]]:
    return [(program.kernels[s.kernel].name, s.extra["groups"]) for s in program.steps]


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ((4096, 4096, 4096, 1), [32, 32, 1]),
        ((1024, 1024, 1024, 1), [16, 16, 1]),
        ((512, 512, 512, 1), [8, 8, 2]),
        ((49, 1024, 1024, 1), [16, 1, 8]),
        ((128, 128, 128, 1), [4, 4, 1]),
        ((512, 512, 64, 12), [8, 8, 12]),
        ((50176, 64, 576, 1), [1, 784, 1]),
        ((16384, 192, 512, 1), [3, 256, 1]),
        ((64, 64, 64, 64), [2, 2, 64]),
    ],
)
def test_tiles_and_parts_of_sums(sizes: tuple[int, int, int, int], groups: list[int]) -> None:
    """Check that several tiles share a sum if there are few, to keep the device busy.

    A last step adds the parts.
    """
    name, found = steps_of(product(*sizes))[0]
    assert (name, found) == ("matmul_tile", groups)
    rest = [name for name, _ in steps_of(product(*sizes))[1:]]
    assert rest == (["reduce"] if groups[2] > sizes[3] else [])


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (product(20, 20, 20), "matmul"),
        (product(512, 512, 512, dtype=int32), "matmul"),
        (product(512, 512, 512, tiles=False), "matmul"),
        (product(1, 768, 3072), "matvec"),
        (product(4, 768, 3072), "matvec"),
        (product(5, 768, 3072), "matmul_tile"),
        (product(1, 770, 3072), "matmul_tile"),
    ],
)
def test_products_that_are_computed_otherwise(program: Program, name: str) -> None:
    assert steps_of(program)[0][0] == name


@pytest.mark.parametrize(
    "tile",
    [tiles.LARGE, tiles.MEDIUM, tiles.SMALL_TILE, tiles.MEDIUM_SHORT, tiles.SMALL_SHORT],
)
def test_tiles_fit(tile: tiles.Tile) -> None:
    """Check that each thread loads the same amount.

    Workgroup memory suffices, also for sums.
    """
    threads = tile.tx * tile.ty * tile.parts
    for fours in (tile.tm * tile.ty, tile.tn * tile.tx):
        assert 4 * tile.depth * fours % threads == 0
        sums = 2 * tile.tm * tile.tn * tile.tx * tile.ty
        assert tile.parts == 1 or sums <= 2 * tile.depth * 4 * fours
    assert threads % tile.depth == 0
    assert tile.depth % tile.parts == 0
    assert threads <= 256
    panel = 4 * (tile.tm * tile.ty + tile.tn * tile.tx) + 4
    assert 2 * tile.depth * panel * VEC4 <= TILE_BYTES


def test_samples_lower_to_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that each convolution that is computed as a product lowers to a valid Program."""
    monkeypatch.setattr(products, "SMALL", 1)
    for name in ("conv2d", "conv2d_backprop_input", "conv2d_backprop_filter", "conv3d"):
        op = OPS[name]
        assert op.samples is not None
        found = set()
        for arrays, attrs in op.samples(np.random.default_rng(0)):
            avals = [Aval(a.shape, float32) for a in arrays]
            program = lower(single_equation(op, avals, tuple(sorted(attrs.items()))))
            verify(program)
            found |= {name for name, _ in steps_of(program)}
        assert "matmul_tile" in found


def test_a_buffer_that_is_read_under_several_names_is_bound_once() -> None:
    graph = Graph()
    x = graph.add_input(Aval((64, 64), float32))
    attrs = (("transpose_a", False), ("transpose_b", False))
    graph.outputs = [graph.add_eqn(OPS["matmul"], [x, x], attrs)]
    program = lower(graph)
    verify(program)
    (kernel,), (step,) = program.kernels, program.steps
    assert (kernel.inputs, step.inputs) == (("a",), (0,))
    assert re.findall(r"@binding\((\d)\) var<storage, \w+> (\w+):", kernel.source) == [
        ("1", "a_data"),
        ("2", "result_data"),
    ]


def transpose(shape: tuple[int, ...], perm: tuple[int, ...], **options: bool) -> Program:
    graph = single_equation(OPS["transpose"], [Aval(shape, float32)], (("perm", perm),))
    program = lower(graph, **options)
    verify(program)
    return program


@pytest.mark.parametrize(
    ("shape", "perm", "groups"),
    [
        ((8192, 8192), (1, 0), [65536 // 2, 2, 1]),
        ((8191, 8192), (1, 0), [65536 // 2, 2, 1]),
        ((12, 512, 64), (0, 2, 1), [12 * 32, 1, 1]),
        ((2, 60, 60, 64), (0, 3, 1, 2), [2 * 226, 1, 1]),
    ],
)
def test_transpositions_in_tiles(
    shape: tuple[int, ...], perm: tuple[int, ...], groups: list[int]
) -> None:
    """Transpose in tiles of 32 by 32 elements."""
    assert steps_of(transpose(shape, perm)) == [("transpose_tile", groups)]


@pytest.mark.parametrize(
    ("shape", "perm"),
    [
        ((4, 100, 12, 64), (0, 2, 1, 3)),  # adjacent elements stay adjacent
        ((300, 300, 3), (2, 0, 1)),  # tiles would be empty
        ((64, 64), (1, 0)),  # fits into caches
    ],
)
def test_transpositions_without_tiles(shape: tuple[int, ...], perm: tuple[int, ...]) -> None:
    ((name, _),) = steps_of(transpose(shape, perm))
    assert name == "strided"


def test_a_rasterizer_transposes_without_tiles() -> None:
    ((name, _),) = steps_of(transpose((512, 512), (1, 0), tiles=False))
    assert name == "strided"
