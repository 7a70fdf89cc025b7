"""Products and convolutions on the WebGL2 runtime, in tiles and in bands, compared with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from e2e.module_page import Evaluate
from e2e.webgl_page import CLEAN, call_of, equation, matmul_call
from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.webgl import WebGLTarget, lower, tiles as webgl_tiles
from tfpy._src.compiler.passes.pipeline import optimize

TRANSPOSES = [(a, b) for a in ("false", "true") for b in ("false", "true")]


@pytest.mark.parametrize("targets", [4, 8])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_products_in_tiles(
    evaluate: Evaluate,
    monkeypatch: pytest.MonkeyPatch,
    rng: np.random.Generator,
    targets: int,
    dtype: Any,
) -> None:
    monkeypatch.setattr(webgl_tiles, "SMALL", 0)
    # Whole texels, no whole texel, remaining rows and columns, a sum in chunks with a remainder,
    # and pairs of rows far apart.
    sizes = [(1, 8, 16, 16), (3, 9, 10, 17), (2, 7, 12, 20), (2, 8, 4, 66), (1, 5, 1, 103)]
    sizes += [(1, 130, 20, 32)]
    cases = [matmul_call(rng, *size, a, b, dtype, targets) for a, b in TRANSPOSES for size in sizes]
    found = evaluate("results", {}, [call for call, _, _ in cases])
    assert found["left"] == CLEAN
    assert all(names == ["matmul_tile", "join"] for *_, names in cases)
    for values, (_, expected, _) in zip(found["values"], cases, strict=True):
        assert values == expected.ravel().tolist()


# Whole texels, no whole texel, an odd number of terms, a partial band, chunks of even and odd
# length, few and many chunks, wide and narrow bands.
BANDS = [(1, 16, 16, 16), (3, 9, 10, 17), (2, 7, 12, 20), (1, 20, 8, 600), (2, 10, 20, 1022)]
BANDS += [(1, 11, 270, 5), (1, 70, 4, 33)]


@pytest.mark.usefixtures("small_bands")
def test_products_in_bands(evaluate: Evaluate, rng: np.random.Generator) -> None:
    cases = [
        matmul_call(rng, *size, a, b, np.float32, 8, 1 << 14)
        for a, b in TRANSPOSES
        for size in BANDS
    ]
    cases += [
        matmul_call(rng, 3, 9, n, 12, "false", b, np.float32, 8, 1 << 14, shared=True)
        for n in (8, 9)
        for b in ("false", "true")
    ]
    found = evaluate("results", {}, [call for call, _, _ in cases])
    assert found["left"] == CLEAN
    for values, (_, expected, names) in zip(found["values"], cases, strict=True):
        assert "matmul_bands" in names
        assert values == expected.ravel().tolist()


@pytest.mark.usefixtures("small_bands")
def test_products_in_bands_are_finished(evaluate: Evaluate, rng: np.random.Generator) -> None:
    """Check that the ops after a product are computed where the bands are joined."""
    x, w, bias = (
        rng.integers(-9, 9, size).astype(np.float32) for size in [(19, 16), (16, 32), (32,)]
    )
    graph = Graph()
    a, b, c = (graph.add_input(Aval(v.shape, float32)) for v in (x, w, bias))
    product = graph.add_eqn(OPS["matmul"], [a, b], (("transpose_a", False), ("transpose_b", False)))
    graph.outputs = [graph.add_eqn(OPS["relu"], [graph.add_eqn(OPS["add"], [product, c], ())], ())]
    program = lower(optimize(graph, WebGLTarget()), targets=8, block=1 << 14)
    names = [program.kernels[step.kernel].name for step in program.steps]
    assert names == ["pack_bands", "matmul_bands", "join_bands"]
    found = evaluate("results", {}, [call_of(program, [x, w, bias])])
    assert found["values"][0] == np.maximum(x @ w + bias, 0).ravel().tolist()


WINDOWS = [
    {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))},
    {"strides": (2, 1), "dilations": (1, 2), "padding": ((0, 1), (2, 0))},
    {"strides": (1, 2, 1), "dilations": (2, 1, 1), "padding": ((2, 0), (0, 1), (1, 1))},
]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("channels", [(8, 8, 8), (16, 8, 8), (8, 4, 12), (3, 3, 4)])
@pytest.mark.parametrize("targets", [4, 8])
def test_convolutions_in_tiles(
    evaluate: Evaluate,
    monkeypatch: pytest.MonkeyPatch,
    rng: np.random.Generator,
    window: dict[str, Any],
    channels: tuple[int, int, int],
    targets: int,
) -> None:
    monkeypatch.setattr(webgl_tiles, "SMALL", 0)
    in_c, group_in, out_c = channels
    rank = len(window["strides"])
    if rank == 3:
        group_in = in_c  # volumes have no grouped convolution
    x = rng.normal(size=(2, *(5, 7, 6)[-rank:], in_c)).astype(np.float32)
    size = (*(2, 3, 2)[-rank:], group_in, out_c * in_c // group_in)
    kernel = rng.normal(size=size).astype(np.float32)
    op = f"conv{rank}d"
    y = OPS[op].ref(x, kernel, **window)
    dy = rng.normal(size=y.shape).astype(np.float32)
    cases = [
        (op, [x, kernel], window),
        (f"{op}_backprop_input", [dy, kernel], {**window, "input_shape": x.shape}),
        (f"{op}_backprop_filter", [x, dy], {**window, "filter_shape": kernel.shape}),
    ]
    calls = [
        call_of(lower(equation(name, a, **attrs), targets=targets), a) for name, a, attrs in cases
    ]
    found = evaluate("results", {}, calls)
    assert found["left"] == CLEAN
    for values, (name, arrays, attrs) in zip(found["values"], cases, strict=True):
        expected = OPS[name].ref(*(v.astype(np.float64) for v in arrays), **attrs)
        np.testing.assert_allclose(values, expected.ravel(), rtol=1e-4, atol=1e-4, err_msg=name)


@pytest.mark.usefixtures("small_bands")
def test_second_run_in_chunks_allocates_nothing(
    evaluate: Evaluate, rng: np.random.Generator
) -> None:
    call, *_ = matmul_call(rng, 1, 40, 16, 16, "false", "false", np.float32, 8, 1 << 14)
    made = ["createTexture", "createFramebuffer", "createBuffer", "bufferData"]
    counts = evaluate("callsOfSecondRun", call, [*made, "readPixels", "drawArrays"])
    assert [counts[name] for name in made] == [0] * 4
    assert (counts["readPixels"], counts["drawArrays"]) == (1, 1 + 5 + 1)
