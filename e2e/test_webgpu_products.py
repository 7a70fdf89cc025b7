"""Cooperative kernels of the WebGPU runtime, compared with NumPy.

Elements are small integers, so sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from e2e.module_page import Evaluate, module_page
from e2e.webgl_page import call_of as page_call, whole
from tfpy._src.base.dtypes import float32, int32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate as run_by_numpy
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ir.kernel import KernelCall, float_bits
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.webgpu import (
    WebGPUTarget,
    kernels,
    lower,
    packed,
    products,
    tiles,
    winograd,
)
from tfpy._src.compiler.lower.webgpu.kernels import add_kernel
from tfpy._src.compiler.ops.packed_bytes import POINT
from tfpy._src.compiler.passes.packing import pack_quantized
from tfpy._src.compiler.passes.pipeline import optimize
from tfpy._src.compiler.passes.rewrite import Builder

Array = np.ndarray[Any, Any]
Case = tuple[Program, list[Array], Array]


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluate]:
    with module_page("webgpu_runtime.mjs") as call:
        yield call


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute products in tiles, however small they are."""
    monkeypatch.setattr(products, "SMALL", 1)


def case(name: str, *arrays: Array, **attrs: Any) -> Case:
    op = OPS[name]
    graph = single_equation(op, [Aval(a.shape, float32) for a in arrays], tuple(attrs.items()))
    return lower(graph), list(arrays), op.ref(*arrays, **attrs)


def check(evaluate: Evaluate, cases: list[Case], kernels: set[str]) -> None:
    calls = [page_call(program, arrays) for program, arrays, _ in cases]
    for values, (program, _, expected) in zip(evaluate("results", calls), cases, strict=True):
        assert kernels & {program.kernels[step.kernel].name for step in program.steps}
        assert values == expected.ravel().tolist()


# Each tile, with each memory order of the operands: (tile, m, n, k, transpose_a, transpose_b).
# There are partial and whole tiles, and partial and whole texels.
PRODUCTS = [
    (tiles.LARGE, 130, 132, 36, False, True),
    (tiles.MEDIUM, 70, 65, 33, False, False),
    (tiles.SMALL_TILE, 33, 36, 300, True, True),
    (tiles.SMALL_SHORT, 32, 64, 16, True, False),
]


def test_products_in_tiles(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = []
    for tile, m, n, k, a, b in PRODUCTS:
        monkeypatch.setattr(tiles, "tile_for", lambda product, tile=tile: tile)
        x, y = whole(2, k, m) if a else whole(2, m, k), whole(2, n, k) if b else whole(2, k, n)
        cases.append(case("matmul", x, y, transpose_a=a, transpose_b=b))
    check(evaluate, cases, {"matmul_tile"})


def test_convolutions_in_tiles(evaluate: Evaluate) -> None:
    windows = {"strides": (2, 1), "dilations": (1, 2), "padding": ((1, 1), (2, 2))}
    x, f = whole(2, 9, 8, 4), whole(3, 3, 4, 8)
    made = case("conv2d", x, f, **windows)
    dy = whole(*made[2].shape)
    cases = [
        made,
        case("conv2d", whole(1, 9, 8, 9), whole(3, 3, 9, 5), **windows),
        case("conv2d_backprop_input", dy, f, **windows, input_shape=x.shape),
        case("conv2d_backprop_filter", x, dy, **windows, filter_shape=f.shape),
    ]
    check(evaluate, cases, {"matmul_tile"})


SAME = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}


def test_convolutions_by_transforms(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check tiles that cross edges, paddings other than half a filter, and the gradient."""
    monkeypatch.setattr(winograd, "LEAST", 1)
    monkeypatch.setattr(winograd, "CHANNELS", 4)
    cases = []
    for height, width, padding in ((9, 7, ((1, 1), (1, 1))), (6, 8, ((0, 0), (2, 0)))):
        windows = SAME | {"padding": padding}
        x, f = whole(2, height, width, 8), whole(3, 3, 8, 12)
        made = case("conv2d", x, f, **windows)
        dy = whole(*made[2].shape)
        cases += [made, case("conv2d_backprop_input", dy, f, **windows, input_shape=x.shape)]
    check(evaluate, cases, {"winograd_output"})
    graph = Graph()
    x, f, bias = whole(1, 6, 6, 4), whole(3, 3, 4, 8), whole(8)
    a, b, c = (graph.add_input(Aval(v.shape, float32)) for v in (x, f, bias))
    y = graph.add_eqn(OPS["conv2d"], [a, b], tuple(SAME.items()))
    graph.outputs = [graph.add_eqn(OPS["relu"], [graph.add_eqn(OPS["add"], [y, c], ())], ())]
    program = lower(optimize(graph, WebGPUTarget()))
    assert len(program.steps) == 4  # the last step computes the ops after the product
    y = OPS["conv2d"].ref(x, f, **SAME)
    check(evaluate, [(program, [x, f, bias], np.maximum(y + bias, 0))], {"winograd_output"})


def test_a_product_in_tiles_is_finished(evaluate: Evaluate) -> None:
    """Check that the ops after a product are computed where its tiles are stored."""
    x, w, bias = whole(40, 16), whole(16, 36), whole(36)
    graph = Graph()
    a, b, c = (graph.add_input(Aval(v.shape, float32)) for v in (x, w, bias))
    product = graph.add_eqn(OPS["matmul"], [a, b], (("transpose_a", False), ("transpose_b", False)))
    graph.outputs = [graph.add_eqn(OPS["relu"], [graph.add_eqn(OPS["add"], [product, c], ())], ())]
    program = lower(optimize(graph, WebGPUTarget()))
    assert len(program.steps) == 1
    expected = np.maximum(x @ w + bias, 0)
    check(evaluate, [(program, [x, w, bias], expected)], {"matmul_tile"})


def test_products_of_few_rows(evaluate: Evaluate) -> None:
    cases = [
        case("matmul", whole(2, 3, 64), whole(2, 64, 20), transpose_a=False, transpose_b=False),
        case("matmul", whole(1, 100), whole(77, 100), transpose_a=False, transpose_b=True),
    ]
    check(evaluate, cases, {"matvec"})


def test_reductions_are_shared(evaluate: Evaluate) -> None:
    """Reduce rows and columns of whole and partial texels, in one step and split."""
    shapes = [(1, 9001), (300, 70), (5, 65, 3), (2, 300, 20)]
    cases = [case("reduce_sum", whole(*shape), axes=(1, 2)) for shape in shapes]
    check(evaluate, cases, {"reduce_group"})


def test_transpositions_in_tiles(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Transpose whole and partial texels and tiles, inner dimensions, a fused result and a part."""
    monkeypatch.setattr(kernels, "SMALL_TRANSPOSE", 1)
    cases = [
        case("transpose", whole(70, 132), perm=(1, 0)),
        case("transpose", whole(3, 33, 70), perm=(0, 2, 1)),
        case("transpose", whole(2, 36, 3, 20), perm=(2, 3, 0, 1)),
        case("transpose", whole(17, 5, 19), perm=(2, 1, 0)),
    ]
    check(evaluate, cases, {"transpose_tile"})
    x, bias = whole(40, 72), whole(40)
    graph = Graph()
    a, b = (graph.add_input(Aval(v.shape, float32)) for v in (x, bias))
    slice_ = (("begin", (0, 8)), ("size", (40, 60)), ("strides", (1, 1)))
    part = graph.add_eqn(OPS["strided_slice"], [a], slice_)
    turned = graph.add_eqn(OPS["transpose"], [part], (("perm", (1, 0)),))
    graph.outputs = [graph.add_eqn(OPS["greater"], [turned, b], ())]
    program = lower(optimize(graph, WebGPUTarget()))
    check(evaluate, [(program, [x, bias], bias < x[:, 8:68].T)], {"transpose_tile"})


def test_rows_are_held(evaluate: Evaluate) -> None:
    """Check softmax, its logarithm and layer norm of rows that do not fill the threads' texels."""
    rows, n = 5, 300
    x, scale, offset = whole(rows, n), whole(n), whole(n)
    powers = np.exp(x - x.max(-1, keepdims=True))
    share = powers / powers.sum(-1, keepdims=True)
    apart = x - x.mean(-1, keepdims=True)
    norm = apart / np.sqrt((apart**2).mean(-1, keepdims=True) + 0.5) * scale + offset
    sizes: dict[str, Any] = {"rows": rows, "n": n}
    affine = {"epsilon_bits": float_bits(0.5), "center": "true", "scale": "true", "offset": "true"}
    found = evaluate(
        "results",
        [
            call_of(KernelCall("softmax", ("x",), sizes), x),
            call_of(KernelCall("log_softmax", ("x",), sizes), x),
            call_of(
                KernelCall("layer_norm", ("x", "scale", "offset"), sizes | affine), x, scale, offset
            ),
        ],
    )
    for values, expected in zip(found, (share, np.log(share), norm), strict=True):
        np.testing.assert_allclose(values, expected.ravel(), rtol=1e-5, atol=1e-5)


def call_of(call: KernelCall, *arrays: Array) -> dict[str, Any]:
    """Return a call of a Program with one kernel and a result as large as its first input."""
    program = Program("webgpu")
    program.inputs = [program.add_buffer(a.shape, float32) for a in arrays]
    program.outputs = [program.add_buffer(arrays[0].shape, float32)]
    add_kernel(program, call, program.inputs, program.outputs[0])
    assert [program.kernels[step.kernel].name for step in program.steps] == [ROWS[call.name]]
    return page_call(program, [*arrays])


ROWS = {
    "softmax": "softmax_group",
    "log_softmax": "softmax_group",
    "layer_norm": "layer_norm_group",
}


# Each tile, and few rows: (tile, m, n, k), with partial and whole tiles and texels.
PACKED = [
    (packed.LARGE_BYTES, 130, 132, 40),
    (tiles.MEDIUM, 70, 65, 300),
    (tiles.SMALL_TILE, 33, 36, 530),
    (tiles.SMALL_SHORT, 32, 64, 128),
]
# Few rows: (bits, m, n, k).
ROWS_OF_BYTES = [(8, 3, 77, 100), (8, 1, 70, 770), (4, 2, 77, 100), (4, 1, 70, 1090)]
DEPTHWISE = {"strides": (2, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}
WINDOW = {"strides": (2, 1), "dilations": (1, 2), "padding": ((0, 1), (2, 2))}


def packed_case(graph: Graph, arrays: list[Array], bits: int = 8) -> Case:
    """Return the Program of a quantized product, its inputs and NumPy's result."""
    quantized = pack_quantized(graph, WebGPUTarget(), bits)
    assert quantized is not graph
    (expected,) = run_by_numpy(quantized, arrays)
    return lower(optimize(quantized, WebGPUTarget())), arrays, expected


def packed_cases(monkeypatch: pytest.MonkeyPatch) -> Iterator[Case]:
    rng = np.random.default_rng(7)
    for tile, m, n, k in PACKED:
        monkeypatch.setattr(packed, "tile_for", lambda *_, tile=tile: tile)
        x = rng.normal(0.5, 1, (m, k)).astype(np.float32)
        w = rng.normal(0, 1, (k, n)).astype(np.float32)
        graph = graph_of("quantized_matmul", x, w, transpose_b=False)
        yield packed_case(graph, [x, w])
    for bits, m, n, k in ROWS_OF_BYTES:
        x = rng.normal(0.5, 1, (m, k)).astype(np.float32)
        w = rng.normal(0, 1, (n, k)).astype(np.float32)
        yield packed_case(graph_of("quantized_matmul", x, w, transpose_b=True), [x, w], bits)
    monkeypatch.setattr(packed, "tile_for", lambda *_: tiles.MEDIUM_SHORT)
    x = rng.normal(0.5, 1, (2, 9, 8, 40)).astype(np.float32)
    f = rng.normal(0, 1, (3, 2, 40, 68)).astype(np.float32)
    yield packed_case(graph_of("quantized_conv2d", x, f, **WINDOW), [x, f])


def made_cases() -> Iterator[Case]:
    """Yield products whose rows are computed and packed by one kernel."""
    rng = np.random.default_rng(8)
    for channels in (40, 300):
        x = rng.normal(0.5, 1, (2, 7, 6, channels)).astype(np.float32)
        f, w = (
            rng.normal(0, 1, shape).astype(np.float32)
            for shape in ((3, 3, channels, 1), (channels, 36))
        )
        builder = Builder(Graph())
        a, b, c = (builder.graph.add_input(Aval(v.shape, float32)) for v in (x, f, w))
        made = builder.add(OPS["depthwise_conv2d"], (a, b), tuple(DEPTHWISE.items()))
        made = builder.apply(OPS["relu"], made)
        found = builder.apply(OPS["quantized_matmul"], made, c, transpose_b=False)
        builder.graph.outputs = [found]
        yield packed_case(builder.graph, [x, f, w])
    for m, k, affine in ((2, 772, True), (1, 1200, False)):
        x = rng.normal(0.5, 1, (m, k)).astype(np.float32)
        w = rng.normal(0, 1, (k, 70)).astype(np.float32)
        scale, offset = (rng.normal(1, 0.3, k).astype(np.float32) for _ in range(2))
        graph = normalized_product(m, k, 70, affine)
        yield packed_case(graph, [x, w, scale, offset])


def normalized_product(m: int, k: int, n: int, affine: bool) -> Graph:
    builder = Builder(Graph())
    apply = {name: partial(builder.apply, op) for name, op in OPS.items()}
    shapes = ((m, k), (k, n), (k,), (k,))
    x, w, scale, offset = (builder.graph.add_input(Aval(s, float32)) for s in shapes)

    def number(value: float) -> int:
        return builder.add_constant(np.asarray(value, np.float32), float32)

    def mean(x: int) -> int:
        total = apply["reduce_sum"](x, axes=(1, 2))
        return apply["reshape"](apply["multiply"](total, number(1 / k)), shape=(m, 1))

    apart = apply["subtract"](x, mean(x))
    variance = apply["add"](mean(apply["square"](apart)), number(1e-3))
    y = apply["multiply"](apart, apply["rsqrt"](variance))
    if affine:
        y = apply["add"](apply["multiply"](y, scale), offset)
    found = apply["quantized_matmul"](y, w, transpose_b=False)
    builder.graph.outputs = [found]
    return builder.graph


def whole_case() -> Case:
    """Return a product of values that are bytes already."""
    x, w = whole(40, 70), whole(36, 70)
    builder = Builder(Graph())

    def apply(name: str, *values: int, **attrs: Any) -> int:
        return builder.apply(OPS[name], *values, **attrs)

    packed = []
    for count in (40, 36):
        given = builder.graph.add_input(Aval((count, 70), float32))
        rows = apply("reshape", apply("cast", given, dtype=int32), shape=(count, 1, 70))
        packed.append(apply("pack_bytes", rows, kind="whole"))
    shapes: dict[str, Any] = {"in_shape": (1, 1, 40, 70), "filter_shape": (1, 1, 70, 36)}
    product = apply("packed_conv2d", *packed, **shapes, **POINT, whole=True)
    builder.graph.outputs = [apply("cast", product, dtype=float32)]
    return lower(optimize(builder.graph, WebGPUTarget())), [x, w], x @ w.T


def graph_of(name: str, *arrays: Array, **attrs: Any) -> Graph:
    avals = [Aval(a.shape, float32) for a in arrays]
    return single_equation(OPS[name], avals, tuple(attrs.items()))


def test_products_of_packed_bytes(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that products of packed bytes also work without WGSL's dot product of bytes."""
    made = list(made_cases())
    assert [len(program.steps) for program, _, _ in made] == [4, 4, 3, 3]  # two are for weights
    cases = [*packed_cases(monkeypatch), whole_case(), *made]
    calls = [page_call(program, arrays) for program, arrays, _ in cases]
    found = evaluate("results", calls)
    for values, (_, _, expected) in zip(found, cases, strict=True):
        np.testing.assert_allclose(values, expected.ravel(), rtol=2e-6, atol=1e-4)
    assert evaluate("plainResults", calls[3:6]) == found[3:6]
