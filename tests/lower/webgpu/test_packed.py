"""Kernels for products of bytes on WebGPU, by shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from passes.fusing import traced
from passes.sketch import Sketch

import tfpy as tf
from tfpy._src.base.dtypes import int8, int32
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.lower.webgpu import TILE_BYTES, WebGPUTarget, lower, packed
from tfpy._src.compiler.lower.webgpu.matrices import MatrixTile
from tfpy._src.compiler.ops.packed_bytes import POINT
from tfpy._src.compiler.ops.quantized import quantize_rows
from tfpy._src.compiler.passes.pipeline import optimize, optimize_with_weights

PLAIN = {"transpose_a": False, "transpose_b": False}
WINDOW: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}
VEC4 = 16
"""Bytes of a texel."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make packed products profitable, however small they are."""
    for name in ("MIN_USES", "MIN_DEPTH", "MIN_PACKED", "MIN_PRODUCTS", "MIN_WEIGHTS"):
        monkeypatch.setattr(packed, name, 1)


def product(m: int, n: int, k: int) -> Graph:
    s = Sketch((m, k), (k, n))
    return s.returns(s("matmul", 0, 1, **PLAIN))


def convolution(size: int, c: int, n: int) -> Graph:
    s = Sketch((1, size, size, c), (3, 3, c, n), (n,))
    return s.returns(s("relu", s("add", s("conv2d", 0, 1, **WINDOW), 2)))


def separable(size: int, c: int, n: int, readers: int = 1) -> Graph:
    """Return a depthwise convolution followed by 1x1 convolutions of its result."""
    s = Sketch((1, size, size, c), (3, 3, c, 1), (c,), *[(1, 1, c, n)] * readers)
    y = s("relu6", s("add", s("depthwise_conv2d", 0, 1, **WINDOW), 2))
    return s.returns(*(s("conv2d", y, 3 + i, **POINT) for i in range(readers)))


def programs(graph: Graph, bits: int = 8, **options: bool) -> tuple[Program, Program]:
    weights = range(1, len(graph.inputs))
    prelude, main = optimize_with_weights(graph, WebGPUTarget(), weights, bits)
    found = lower(prelude, **options), lower(main, **options)
    for program in found:
        verify(program)
    return found


def steps_of(program: Program) -> list[tuple[str, list[int]]]:
    return [(program.kernels[s.kernel].name, s.extra["groups"]) for s in program.steps]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("sizes", "name", "groups"),
    [
        ((2048, 2048, 2048), "packed_tile", [16, 16, 1]),
        ((1024, 1024, 1024), "packed_tile", [16, 16, 1]),
        ((196, 512, 512), "packed_tile", [16, 7, 1]),
        ((3136, 128, 128), "packed_tile", [4, 98, 1]),
        ((49, 1024, 1024), "packed_tile", [32, 2, 1]),
        ((4, 768, 3072), "packed_tile", [24, 1, 1]),
    ],
)
def test_products(sizes: tuple[int, int, int], name: str, groups: list[int]) -> None:
    """Check that the prelude packs weights once, and each run packs rows."""
    prelude, main = programs(product(*sizes))
    assert [name for name, _ in steps_of(prelude)][-1] == "pack_bytes"
    *packing, found = steps_of(main)
    assert [name for name, _ in packing] == ["pack_bytes"]
    assert found == (name, groups)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("sizes", "bits", "name", "groups"),
    [
        ((1, 768, 768), 8, "pack_bytes", [96, 1, 1]),
        ((4, 3072, 768), 8, "pack_bytes", [192, 1, 1]),
        ((1, 768, 3072), 4, "pack_nibbles", [192, 1, 1]),
    ],
)
def test_few_rows_are_quantized_by_their_product(
    sizes: tuple[int, int, int], bits: int, name: str, groups: list[int]
) -> None:
    prelude, main = programs(product(*sizes), bits)
    assert [name for name, _ in steps_of(prelude)][-1] == name
    assert steps_of(main) == [("packed_rows", groups)]


def normalized(m: int, n: int, k: int, affine: bool) -> Graph:
    """Return a product of normalized rows."""
    s = Sketch((m, k), (k, n), (k,), (k,))

    def mean(x: Any) -> Any:
        return s("reshape", s("multiply", s("reduce_sum", x, axes=(1, 2)), 1 / k), shape=(m, 1))

    apart = s("subtract", 0, mean(0))
    y = s("multiply", apart, s("rsqrt", s("add", mean(s("square", apart)), 1e-3)))
    if affine:
        y = s("add", s("multiply", y, 2), 3)
    return s.returns(s("matmul", y, 1, **PLAIN))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("m", "affine"), [(1, False), (3, True)])
def test_few_rows_are_normalized_by_their_product(m: int, affine: bool) -> None:
    _, main = programs(normalized(m, 768, 768, affine))
    assert steps_of(main) == [("packed_rows", [96, 1, 1])]
    assert "* scale_texel" not in main.kernels[0].source or affine
    _, main = programs(normalized(m, 768, 770, affine))
    assert [name for name, _ in steps_of(main)][-2:] == ["layer_norm", "packed_rows"]


@pytest.mark.usefixtures("small")
def test_nibbles_are_as_exact_as_they_can_be() -> None:
    """Check that 4-bit weights are the nearest representable values.

    They are in groups of 128, one of which is partial.
    """
    graph = product(3, 96, 300)
    rng = np.random.default_rng(3)
    x, w = rng.normal(0.5, 1, (3, 300)).astype(np.float32), np.zeros((300, 96), np.float32)
    w[:] = rng.normal(0, 1, w.shape) * rng.uniform(0.1, 10, (1, 96))
    prelude, main = optimize_with_weights(graph, WebGPUTarget(), (1,), 4)
    (found,) = evaluate(main, [x, w, *evaluate(prelude, [w])])
    groups = [w[:128], w[128:256], w[256:]]
    nearest = [np.rint(g * (7 / np.abs(g).max(0))) * (np.abs(g).max(0) / 7) for g in groups]
    rows = quantize_rows(x)
    np.testing.assert_allclose(
        found, (rows.values * rows.scales) @ np.concatenate(nearest), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize(("m", "few"), [(1, True), (8, True), (20, False)])
@pytest.mark.parametrize("transposed", [False, True])
def test_products_of_int8(m: int, few: bool, transposed: bool) -> None:
    """Check that few rows are multiplied by bytes as they are stored, and others by packed ones."""
    s = Sketch(((m, 72), int32), ((80, 72) if transposed else (72, 80), int8))
    product = s("multiply_stored", 0, 1, shape=(72, 80), transpose_b=transposed, bits=8)
    main = lower(optimize(s.returns(s("multiply", product, 2)), WebGPUTarget()))
    verify(main)
    steps = [name for name, _ in steps_of(main)]
    kernel = "stored_rows" if transposed else "stored_columns"
    assert steps == ([kernel] if few else ["pack_bytes", "stored_packed", "packed_tile"])


@pytest.mark.usefixtures("small")
def test_convolutions_with_bias() -> None:
    _, main = programs(convolution(14, 64, 128))
    assert steps_of(main) == [("pack_bytes", [13, 1, 1]), ("packed_tile", [4, 7, 1])]


@pytest.mark.usefixtures("small")
def test_depthwise_convolutions_pack_their_pixels() -> None:
    """Check that one thread packs one word of a pixel."""
    _, main = programs(separable(14, 128, 256))
    assert steps_of(main) == [("pack_bytes", [25, 1, 1]), ("packed_tile", [8, 7, 1])]
    source = main.kernels[main.steps[0].kernel].source
    assert "fn window_at" in source
    assert "const HELD = 1;" in source
    _, main = programs(separable(14, 128, 256, readers=2))
    assert [name for name, _ in steps_of(main)] == ["pack_bytes", "packed_tile", "packed_tile"]


@pytest.mark.usefixtures("small")
def test_what_others_read_is_packed_by_itself() -> None:
    graph = separable(14, 128, 256)
    graph.outputs.append(graph.eqns[-1].inputs[0])
    _, main = programs(graph)
    names = [name for name, _ in steps_of(main)]
    assert names == ["depthwise_conv2d", "pack_bytes", "packed_tile"]


GAINS = {
    "large": (product(1024, 1024, 1024), True),
    "packed by a step of its own": (product(196, 512, 512), False),
    "packed by what makes it": (separable(14, 512, 512), True),
    "read by others, too": (separable(14, 512, 512, readers=2), False),
    "few channels": (product(1 << 16, 32, 1024), False),
    "few rows": (product(1, 1024, 2048), True),
    "few rows, few weights": (product(1, 512, 512), False),
    "windows": (convolution(56, 128, 128), True),
    "shallow windows": (convolution(224, 16, 256), False),
}


@pytest.mark.parametrize("name", GAINS)
def test_what_gains(name: str) -> None:
    graph, gains = GAINS[name]
    _, main = programs(graph)
    assert any(name.startswith("packed") for name, _ in steps_of(main)) == gains


def test_tiles_that_are_finished_have_fewer_sums() -> None:
    product_ = packed.Product(1, 12544, 512, 512, True, True)
    found = [packed.tile_for(product_, True, finished) for finished in (False, True)]
    assert found == [packed.LARGE_BYTES, packed.LARGE]


MATRICES = {
    "large": (product(2048, 2048, 2048), "packed_matrix", [16, 16, 1]),
    "not as large": (product(1000, 1000, 2048), "packed_matrix", [16, 16, 1]),
    "shallow": (product(1 << 16, 128, 32), "packed_tile", [1, 512, 1]),
    "few tiles": (product(128, 128, 8192), "packed_tile", [4, 4, 1]),
    "windows": (convolution(56, 128, 128), "packed_tile", [4, 98, 1]),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", MATRICES)
def test_subgroup_matrices(name: str) -> None:
    """Check that products of enough pixels use subgroup matrices."""
    graph, kernel, groups = MATRICES[name]
    _, main = optimize_with_weights(graph, WebGPUTarget(), range(1, len(graph.inputs)), 8)
    program = lower(main, matrices=[int8])
    verify(program)
    assert steps_of(program)[-1] == (kernel, groups)
    source = program.kernels[-1].source
    assert source.startswith("enable subgroups;") == (kernel == "packed_matrix")


def test_each_matrix_of_sums_is_a_variable() -> None:
    tile = MatrixTile(64, 32, 2, 1, depth=2)
    texts = dict(define.split(" ", 1) for define in tile.defines())
    assert texts["SUMS"] == (
        "var sum0_0: Sums; var sum0_1: Sums; var sum1_0: Sums; var sum1_1: Sums;"
    )
    assert texts["PRODUCTS"].count("MultiplyAccumulate") == 4
    assert "store_sums(sum1_0, slice, subgroup, lane, row + 16, column + 0);" in texts["RESULTS"]
    assert tile.bytes == (4 + 2) * 16 * 3 * 16 + 2 * 16 * 16 * 4


def test_software_has_the_smallest_tile() -> None:
    _, main = programs(product(2048, 2048, 2048), tiles=False)
    assert steps_of(main)[1] == ("packed_tile", [64, 64, 1])


@pytest.mark.usefixtures("small")
def test_products_of_one_array_pack_it_once() -> None:
    s = Sketch((7, 70), (70, 80), (70, 90))
    graph = s.returns(s("matmul", 0, 1, **PLAIN), s("matmul", 0, 2, **PLAIN))
    _, main = programs(graph)
    assert [name for name, _ in steps_of(main)] == ["pack_bytes", "packed_tile", "packed_tile"]


def test_the_largest_tile_fits() -> None:
    tile = packed.LARGE_BYTES
    panel = 4 * (tile.tm * tile.ty + tile.tn * tile.tx) + 4
    assert 2 * tile.depth * panel * VEC4 <= TILE_BYTES
    for fours in (tile.tm * tile.ty, tile.tn * tile.tx):
        assert 4 * tile.depth * fours % (tile.tx * tile.ty) == 0


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "graph", [product(9, 70, 70), convolution(9, 40, 112), separable(9, 64, 70)]
)
def test_packed_products_are_the_quantized_ones(graph: Graph) -> None:
    """Check that results of packed bytes on WebGPU equal wasm's."""
    rng = np.random.default_rng(3)
    given = [rng.normal(0.5, 1, graph.avals[i].shape).astype(np.float32) for i in graph.inputs]
    weights = range(1, len(graph.inputs))
    found = []
    for target in (WebGPUTarget(), WasmTarget()):
        prelude, main = optimize_with_weights(graph, target, weights, bits=8)
        early = evaluate(prelude, given[1:]) if prelude.outputs else []
        (result,) = evaluate(main, [*given, *early])
        found.append(result)
    assert np.abs(found[0] - evaluate(graph, given)[0]).max() > 0
    np.testing.assert_allclose(*found, rtol=1e-5, atol=1e-6)


def norm(x: Any) -> Any:
    mean, variance = tf.nn.moments(x, [1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-3)


@pytest.mark.parametrize("reader", [tf.nn.softmax, lambda x: tf.reduce_max(x, 1), norm])
def test_only_products_of_bytes_normalize_rows(reader: Callable[[Any], Any]) -> None:
    graph = optimize(traced(lambda x: reader(norm(x)), (64, 256)), WebGPUTarget())
    verify(lower(graph))
