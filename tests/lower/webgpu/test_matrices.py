"""The selection of subgroup matrices of float16 on WebGPU, and their tiles."""

from __future__ import annotations

from typing import Any

import pytest
from blocks import random_weights

from tfpy._src.base.dtypes import DType, float16, float32, int8
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.webgpu import MATRIX_BYTES, lower, matrices, products
from tfpy._src.compiler.lower.webgpu.matrices import MatrixTile
from tfpy._src.compiler.ops.blocks import multiply_blocks

WORKGROUP_BYTES = 48 << 10
"""Memory of a workgroup of NVIDIA's and AMD's devices."""

TILES = [tile for _, tile in (*matrices.HALVES, *matrices.SPLITS)]


def lowered(name: str, avals: list[Aval], **attrs: Any) -> Program:
    graph = single_equation(OPS[name], avals, tuple(attrs.items()))
    program = lower(graph, half=True, matrices=[int8, float16])
    verify(program)
    return program


def product(m: int, n: int, k: int, dtype: DType = float16, second: DType | None = None) -> Program:
    avals = [Aval((m, k), dtype), Aval((k, n), second or dtype)]
    return lowered("matmul", avals, transpose_a=False, transpose_b=False)


def steps_of(program: Program) -> list[tuple[str, list[int]]]:
    return [(program.kernels[s.kernel].name, s.extra["groups"]) for s in program.steps]


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ((4096, 4096, 4096), [32, 32, 1]),
        ((2048, 2048, 2048), [16, 16, 1]),
        ((1024, 1024, 1024), [16, 8, 1]),
        ((512, 512, 256), [8, 8, 2]),
    ],
)
def test_products_of_float16(sizes: tuple[int, int, int], groups: list[int]) -> None:
    assert steps_of(product(*sizes))[0] == ("matmul_matrix", groups)


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (product(1024, 1024, 1024, float32), "matmul_tile"),
        (product(20, 2048, 2048), "matmul_tile"),
        (product(1, 2048, 2048), "matvec"),
        (product(1024, 1024, 16), "matmul_tile"),
    ],
)
def test_products_without_matrices(program: Program, name: str) -> None:
    assert steps_of(program)[0][0] == name


def test_devices_without_matrices() -> None:
    avals = [Aval((1024, 1024), float16)] * 2
    attrs = (("transpose_a", False), ("transpose_b", False))
    program = lower(single_equation(OPS["matmul"], avals, attrs), half=True, matrices=[int8])
    assert steps_of(program)[0][0] == "matmul_tile"


def test_convolutions_of_float16_are_not_transformed() -> None:
    """Check that 3 x 3 filters use matrices, which are faster than Winograd's transforms."""
    windows = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}
    for dtype, names in ((float16, {"matmul_matrix"}), (float32, {"matmul_tile"})):
        avals = [Aval((16, 56, 56, 128), dtype), Aval((3, 3, 128, 128), dtype)]
        found = {name for name, _ in steps_of(lowered("conv2d", avals, **windows))}
        assert names <= found
        assert ("winograd_input" in found) == (dtype == float32)


def blocks(m: int, matrices_of: list[DType]) -> Program:
    """Return two products of the same rows with weights in blocks."""
    data, _ = random_weights("Q4_0", 1536, 576)
    graph = Graph()
    x, w = (graph.add_input(a) for a in (Aval((m, 576), float32), Aval(data.shape, int8)))
    attrs = (("form", "Q4_0"), ("shape", (1536, 576)), ("transpose_b", True))
    graph.outputs = [graph.add_eqn(multiply_blocks, [x, w], attrs) for _ in range(2)]
    program = lower(graph, half=True, matrices=matrices_of)
    verify(program)
    return program


def test_weights_in_blocks_share_the_scales_of_rows() -> None:
    names = [name for name, _ in steps_of(blocks(512, [float16]))]
    assert names == ["row_scales", "matmul_matrix", "matmul_matrix"]
    assert {name for name, _ in steps_of(blocks(512, [int8]))} == {"matmul_tile"}
    assert {name for name, _ in steps_of(blocks(4, [float16]))} == {"blocks_rows"}


def test_rows_of_another_length_have_other_scales() -> None:
    """Check products that read the same array as rows of 576 and of 288 numbers."""
    program = Program("webgpu")
    x = program.add_buffer((512, 576), float32)
    steps = products.WebGPUSteps(program, KernelCall("matmul", ("a", "b"), {}), [x], x)
    rows, same, halves = (
        products.row_scales(steps, x, products.Product(1, m, 64, k, True, True))
        for m, k in ((512, 576), (512, 576), (1024, 288))
    )
    assert rows == same != halves
    assert program.buffers[halves].shape == (1024,)


@pytest.mark.parametrize("tile", TILES)
def test_tiles_of_matrices_fit(tile: MatrixTile) -> None:
    """Check that each thread loads the same amount, and that workgroup memory suffices."""
    threads = 32 * tile.down * tile.along
    assert threads <= 256
    for side in (tile.rows, tile.columns):
        assert side * tile.depth % threads == 0
    assert threads % tile.depth == 0
    assert tile.rows % (16 * tile.down) == tile.columns % (16 * tile.along) == 0
    assert tile.bytes <= MATRIX_BYTES[float16] <= WORKGROUP_BYTES


def test_matrices_begin_at_multiples_of_16_bytes() -> None:
    """Check that all variables in the workgroup's memory have such a size.

    Drivers put one variable after the other, and loads of matrices ignore the last bits of an
    address.
    """
    kernel = next(k for k in blocks(512, [float16]).kernels if k.name == "matmul_matrix")
    lines = [line for line in kernel.source.splitlines() if line.startswith("var<workgroup>")]
    sizes = {"Block": 768, "vec4<f32>, 64": 1024, "atomic<u32>, 4": 16}
    assert len(lines) == 6
    for line in lines:
        (size,) = [size for element, size in sizes.items() if element in line]
        assert size % 16 == 0


def test_the_parts_of_numbers_are_multiplied_three_times() -> None:
    tile = MatrixTile(32, 16, 1, 1, depth=8, line=4, split=True)
    statements = dict(define.split(" ", 1) for define in tile.defines())["PRODUCTS"]
    assert statements.count("MultiplyAccumulate") == 6
    assert "MultiplyAccumulate(left_rest1, right0, sum1_0)" in statements
    assert "left_rest1, right_rest0" not in statements
    assert tile.bytes == 48 * (32 + 16) * 2 * 2 + 4 * 16 * 16


def test_long_sums_of_few_tiles_are_divided() -> None:
    sums = products.Product(1, 512, 576, 1536, True, True, transpose_b=True)
    tile = matrices.half_tile_for(sums, split=True)
    assert tile == matrices.SPLITS[0][1]
    assert products.chunk_for(sums, tile) == 384
