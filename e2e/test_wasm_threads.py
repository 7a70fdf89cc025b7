"""The threaded variants of the wasm runtime compute the same as the single-threaded ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from e2e.module_page import ROOT, Evaluate, module_page
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.strides import broadcast_view
from tfpy._src.compiler.lower.calls import Elementwise
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.wasm.lowering import add_elementwise, add_kernel

ASSETS = ROOT / "src" / "tfpy" / "assets"
Shape = tuple[int, ...]


@contextmanager
def isolated_page(headers: Mapping[str, str] | None = None) -> Iterator[Evaluate]:
    """Open an isolated page of Chromium that calls functions of ``wasm_threads.mjs``."""
    if not (ASSETS / "xnnpack-relaxed-threads.wasm").is_file():
        pytest.skip("needs the assets: python build.py wheel")
    with module_page("wasm_threads.mjs", headers) as call:
        yield call


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluate]:
    with isolated_page() as call:
        yield call


def job(program: Program) -> dict[str, Any]:
    inputs = [program.buffers[i] for i in program.inputs]
    return {
        "json": program.to_json(),
        "inputs": [{"count": b.count, "dtype": b.dtype.name} for b in inputs],
        "count": program.buffers[program.outputs[0]].count,
    }


def kernel_job(name: str, params: dict[str, Any], *shapes: Shape) -> dict[str, Any]:
    """Return a job of one kernel over float32 arrays. The last shape is the output's."""
    program = Program("wasm")
    buffers = [program.add_buffer(s, ex.F) for s in shapes]
    program.inputs, program.outputs = buffers[:-1], buffers[-1:]
    names = ("a", "b")[: len(program.inputs)]
    add_kernel(program, KernelCall(name, names, params), program.inputs, buffers[-1])
    return job(program)


def elementwise_job(root: ex.Expr, *shapes: Shape) -> dict[str, Any]:
    program = Program("wasm")
    program.inputs = [program.add_buffer(s, ex.F) for s in shapes]
    program.outputs = [program.add_buffer(shapes[0], root.dtype)]
    views = tuple(broadcast_view(s, shapes[0]) for s in shapes)
    call = Elementwise(root, views, Aval(shapes[0], root.dtype))
    add_elementwise(program, call, program.inputs, program.outputs[0])
    return job(program)


def window(batch: int, size: int, filter_size: int, **channels: int) -> dict[str, int]:
    """Return the parameters of a window of stride 1 that keeps the size."""
    before = (filter_size - 1) // 2
    after = filter_size - 1 - before
    sizes = {f"{name}_{axis}": size for name in ("in", "out") for axis in "hw"}
    return {
        **{"batch": batch, "filter_h": filter_size, "filter_w": filter_size},
        **{"stride_h": 1, "stride_w": 1, "dilation_h": 1, "dilation_w": 1},
        **{"pad_top": before, "pad_bottom": after, "pad_left": before, "pad_right": after},
        **sizes,
        **{"in_d": 1, "out_d": 1, "filter_d": 1, "stride_d": 1, "dilation_d": 1, "pad_front": 0},
        **channels,
    }


def matmul(batch: int, m: int, k: int, n: int) -> dict[str, Any]:
    strides = {"a_batch_stride": m * k, "b_batch_stride": k * n}
    params: dict[str, Any] = {"batch": batch, "m": m, "k": k, "n": n, **strides}
    params |= {"transpose_a": "false", "transpose_b": "false"}
    return kernel_job("matmul", params, (batch, m, k), (batch, k, n), (batch, m, n))


def quantized(m: int, k: int, n: int) -> dict[str, Any]:
    params = {"m": m, "k": k, "n": n, "transpose_b": "false"}
    return kernel_job("quantized_matmul", params, (m, k), (k, n), (m, n))


# Products for all ways to divide rows and columns: many rows of few columns, few rows of many
# columns, one panel, one tile, and more tiles and panels than threads, with and without a
# remainder.
CUTS = (
    (1001, 515, 5),
    (9, 257, 2001),
    (196, 384, 64),
    (49, 960, 161),
    (13, 30_011, 8),
    (97, 300, 17),
    (1152, 64, 48),
)


def jobs() -> dict[str, dict[str, Any]]:
    x = ex.input_(0, ex.F)
    chain = x
    for i in range(20):
        chain = ex.maximum(chain * (1.0 + i / 100) + ex.input_(1, ex.F), -1.0 - i)
    image, filters = (3, 30, 30, 33), (3, 3, 33, 40)
    out = (*image[:3], 40)
    conv = window(3, 30, 3, in_c=33, out_c=40, groups=1)
    depthwise = window(3, 30, 3, in_c=33, out_c=33, multiplier=1)
    pooling = window(3, 30, 3, channels=33)
    turn = {"dims": [1, 1, 1, 9, 301, 401], "strides": [0, 0, 0, 301 * 401, 1, 301], "offset": 0}
    n = math.prod(image)
    return {
        "matmul": matmul(1, 301, 299, 303),
        **{f"matmul {m} x {k} x {n}": matmul(1, m, k, n) for m, k, n in CUTS},
        "small matmuls": matmul(37, 40, 30, 50),
        "row times matrix": matmul(1, 2, 700, 1001),
        "int8 product": quantized(301, 299, 303),
        "int8 row": quantized(1, 700, 1001),
        **{f"int8 product {m} x {k} x {n}": quantized(m, k, n) for m, k, n in CUTS},
        "int8 convolution": kernel_job("quantized_conv2d", conv, image, filters, out),
        "conv2d": kernel_job("conv2d", conv, image, filters, out),
        "conv2d_backprop_input": kernel_job("conv2d_backprop_input", conv, out, filters, image),
        "conv2d_backprop_filter": kernel_job("conv2d_backprop_filter", conv, image, out, filters),
        "depthwise": kernel_job("depthwise_conv2d", depthwise, image, (3, 3, 33, 1), image),
        "depthwise_backprop_input": kernel_job(
            "depthwise_conv2d_backprop_input", depthwise, image, (3, 3, 33, 1), image
        ),
        "depthwise_backprop_filter": kernel_job(
            "depthwise_conv2d_backprop_filter", depthwise, image, image, (3, 3, 33, 1)
        ),
        "pool": kernel_job("pool", {**pooling, "kind": "max"}, image, image),
        "max_pool_grad": kernel_job(
            "max_pool_grad", {**pooling, "ties": "first"}, image, image, image
        ),
        "sum of all": kernel_job(
            "reduce", {"kind": "sum", "outer": 1, "n": n * 9, "inner": 1}, (n * 9,), (1,)
        ),
        "sum of rows": kernel_job(
            "reduce", {"kind": "sum", "outer": 900, "n": 999, "inner": 1}, (900, 999), (900,)
        ),
        "transpose": kernel_job("strided", turn, (9, 401, 301), (9, 301, 401)),
        "elementwise": elementwise_job(ex.unary("exp", x) * ex.unary("sin", x) + x, (1001, 333)),
        "chain": elementwise_job(chain, (1001, 1024), (1024,)),
        "odd rows": elementwise_job(x * ex.input_(1, ex.F), (777, 1001), (1001,)),
        "short rows": elementwise_job(x - ex.input_(1, ex.F), (77_777, 7), (77_777, 1)),
    }


DIFFERENCE = 4e-6
"""Tolerance for sums of some thousand terms, which threads divide differently."""


@pytest.mark.parametrize("where", ["compare", "compareInWorker"])
@pytest.mark.parametrize("variants", [("simd", "simd-threads"), ("relaxed", "relaxed-threads")])
def test_threads_change_nothing(where: str, variants: tuple[str, str], evaluate: Evaluate) -> None:
    named = jobs()
    answer = evaluate(where, variants, list(named.values()), 4)
    for name, finding in zip(named, answer["findings"], strict=True):
        print(f"{name:28} {finding}")
        assert finding["difference"] < DIFFERENCE, name
        if name in ("elementwise", "chain", "odd rows", "short rows"):
            assert finding["generated"][0] == 0, name
            assert finding["generated"][1] > 0, name
    assert answer["memory"]["threads"] == 4
    assert answer["memory"]["refused"] == 0, "a thread could not make a function"
    assert answer["memory"]["slots"] == 0


def test_opens_and_closes_again(evaluate: Evaluate) -> None:
    assert evaluate("reopen", "relaxed-threads") is True


def test_runs_where_workers_are_forbidden() -> None:
    """Check that the backend runs in one thread if the page does not allow Blob workers."""
    with isolated_page({"Content-Security-Policy": "worker-src 'self'"}) as call:
        answer = call("compare", ["simd", "relaxed-threads"], [jobs()["matmul"]], 4)
    assert answer["findings"][0]["difference"] < DIFFERENCE
    assert answer["memory"]["threads"] == 1
