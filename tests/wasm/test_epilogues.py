"""Bias and clamp as the last part of convolutions and products, compared with NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall, float_bits
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.wasm.lowering import add_kernel

from .node_process import RuntimeFailed
from .node_runtime import Array, NodeRuntime, kernel_program
from .test_windows import Case, close

CLAMPS: list[tuple[float | None, float | None]] = [(None, None), (0.0, None), (-0.5, 6.0)]
EPILOGUES = [(bias, clamp) for bias, clamp in itertools.product([False, True], CLAMPS)]


def epilogue_params(bias: bool, clamp: tuple[float | None, float | None]) -> dict[str, Any]:
    low, high = clamp
    params: dict[str, Any] = {"bias": "true"} if bias else {}
    if low is not None:
        params["clamp_min_bits"] = float_bits(low)
    if high is not None:
        params["clamp_max_bits"] = float_bits(high)
    return params


def apply(y: Array, bias: Array | None, clamp: tuple[float | None, float | None]) -> Array:
    low, high = clamp
    y = y if bias is None else y + bias
    return y if low is None and high is None else np.clip(y, low, high)


def check(
    runtime: NodeRuntime, name: str, params: dict[str, Any], wanted: Array, *operands: Array
) -> None:
    """Run the kernel with each epilogue. ``wanted`` is its result without any."""
    arrays = tuple(a.astype(np.float32) for a in operands)
    bias = np.linspace(-1, 1, wanted.shape[-1]).astype(np.float32)
    for has_bias, clamp in EPILOGUES:
        inputs = (*arrays, bias) if has_bias else arrays
        names = ("x", "filter", "bias")[: len(inputs)]
        call = KernelCall(name, names, {**params, **epilogue_params(has_bias, clamp)})
        got = runtime.run_kernel(call, inputs, Aval(wanted.shape, ex.F))
        close(got, apply(wanted, bias if has_bias else None, clamp))


CASES = [
    Case((2, 7, 9), (1, 1), (12, 20)),
    Case((1, 9, 8), (3, 2), (3, 5), stride=(2, 3), pad=((1, 0), (0, 2))),
    Case((1, 8, 8), (3, 3), (8, 8), pad=((1, 1), (1, 1))),
    Case((2, 8, 7), (3, 3), (6, 9), groups=3, pad=((1, 1), (1, 1))),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_conv2d(case: Case, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    (c_in, c_out), groups = case.channels, case.groups
    x = rng.standard_normal((*case.size, c_in))
    w = rng.standard_normal((*case.filter, c_in // groups, c_out))
    patches = case.patches(x, 0)
    grouped = patches.reshape(*patches.shape[:-1], groups, c_in // groups)
    filters = w.reshape(*w.shape[:-1], groups, c_out // groups)
    y = np.einsum("bhwijgc,ijcgo->bhwgo", grouped, filters)
    y = y.reshape(case.size[0], *case.out, c_out)
    params = {**case.params(), "in_c": c_in, "out_c": c_out, "groups": groups}
    check(runtime, "conv2d", params, y, x, w)


@pytest.mark.parametrize("multiplier", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_depthwise(
    case: Case, multiplier: int, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    c_in = case.channels[1]
    x = rng.standard_normal((*case.size, c_in))
    w = rng.standard_normal((*case.filter, c_in, multiplier))
    y = np.einsum("bhwijc,ijcm->bhwcm", case.patches(x, 0), w)
    params = {**case.params(), "in_c": c_in, "out_c": c_in * multiplier, "multiplier": multiplier}
    y = y.reshape(*y.shape[:3], c_in * multiplier)
    check(runtime, "depthwise_conv2d", params, y, x, w)


SIZES = [(1, 7, 30), (3, 5, 9), (8, 16, 8), (13, 40, 21), (70, 600, 1034), (33, 9, 1), (5, 0, 6)]


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("batch", [1, 3])
def test_matmul(
    batch: int,
    size: tuple[int, int, int],
    transpose: bool,
    runtime: NodeRuntime,
    rng: np.random.Generator,
) -> None:
    m, k, n = size
    a, b = rng.standard_normal((batch, m, k)), rng.standard_normal((batch, k, n))
    params = {
        **{"batch": batch, "m": m, "n": n, "k": k},
        **{"a_batch_stride": m * k, "b_batch_stride": k * n},
        **{"transpose_a": str(transpose).lower(), "transpose_b": str(transpose).lower()},
    }
    operands = (a.swapaxes(1, 2), b.swapaxes(1, 2)) if transpose else (a, b)
    check(runtime, "matmul", params, a @ b, *(np.ascontiguousarray(x) for x in operands))


WEIGHTED = [(1, 49, 600, 33), (2, 31, 17, 8), (1, 10, 513, 70), (3, 64, 512, 100), (1, 9, 5, 3)]


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("size", WEIGHTED, ids=str)
def test_a_matrix_that_comes_again_is_packed_once(
    size: tuple[int, int, int, int],
    transpose: bool,
    runtime: NodeRuntime,
    rng: np.random.Generator,
) -> None:
    """Multiply by the same slot in several calls with other left sides, then by a new matrix."""
    batch, m, k, n = size
    params: dict[str, Any] = {
        **{"batch": batch, "m": m, "n": n, "k": k, "a_batch_stride": m * k, "b_batch_stride": 0},
        **{"transpose_a": "false", "transpose_b": str(transpose).lower()},
        **epilogue_params(True, (-1.0, 20.0)),
    }
    shapes = [(batch, m, k), (n, k) if transpose else (k, n), (n,)]
    call = KernelCall("matmul", ("a", "b", "bias"), params)
    out = Aval((batch, m, n), ex.F)
    number = runtime.register(kernel_program(call, [Aval(s, ex.F) for s in shapes], out))
    before = runtime.call("memory")["bytes"]
    for _ in range(2):
        b, bias = (rng.standard_normal(s).astype(np.float32) for s in shapes[1:])
        kept = [runtime.write(b), runtime.write(bias)]
        for _ in range(4):
            a = rng.standard_normal(shapes[0]).astype(np.float32)
            slot = runtime.write(a)
            result = runtime.call("run", program=number, slots=[slot, *kept])
            wanted = np.clip(a @ (b.T if transpose else b) + bias, -1, 20)
            close(runtime.read(result, out), wanted)
            runtime.call("free", slots=[slot, result])
        runtime.call("free", slots=kept)
    left = runtime.call("memory")["bytes"] - before
    assert left < 2**20, "only the scratch of unpacked products may stay"
    runtime.call("release", program=number)


def test_packed_filters_follow_their_bias(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    """Check that another bias, or one in a new slot, takes effect.

    A filter is packed with its bias.
    """
    program = Program("wasm")
    shapes = ((1, 4, 4, 4), (1, 1, 4, 4), (4,), (1, 4, 4, 4))
    buffers = [program.add_buffer(shape, ex.F) for shape in shapes]
    program.inputs, program.outputs = buffers[:3], buffers[3:]
    params = {**Case((1, 4, 4), (1, 1), (4, 4)).params(), "in_c": 4, "out_c": 4, "groups": 1}
    call = KernelCall("conv2d", ("x", "filter", "bias"), {**params, "bias": "true"})
    add_kernel(program, call, program.inputs, buffers[3])
    number = runtime.register(program)
    x, w = (rng.standard_normal(s).astype(np.float32) for s in shapes[:2])
    x_slot, w_slot = runtime.write(x), runtime.write(w)
    for _ in range(3):
        biases = rng.standard_normal((6, 4)).astype(np.float32)
        slots = [runtime.write(b) for b in biases]
        for _ in range(2):
            for slot, bias in zip(slots, biases, strict=True):
                out = runtime.call("run", program=number, slots=[x_slot, w_slot, slot])
                close(runtime.read(out, Aval(shapes[3], ex.F)), x @ w[0, 0] + bias)
                runtime.call("free", slots=[out])
        runtime.call("free", slots=slots)
    runtime.call("free", slots=[x_slot, w_slot])
    runtime.call("release", program=number)


REFUSED: list[tuple[dict[str, Any], list[tuple[tuple[int, ...], str]], str]] = [
    ({"bias": "true"}, [], "number of inputs"),
    ({"bias": "maybe"}, [], "bias does not have one of its values"),
    ({}, [((4,), "float32")], "number of inputs"),
    ({"bias": "true"}, [((3,), "float32")], "bias has 3 elements"),
    ({"bias": "true"}, [((4,), "int32")], "dtype"),
    ({"clamp_min_bits": float_bits(2), "clamp_max_bits": float_bits(1)}, [], "not a range"),
    ({"clamp_min_bits": float_bits(float("nan"))}, [], "not a range"),
    ({"clamp_max_bits": 0.5}, [], "clamp_max_bits is not an integer"),
]


@pytest.mark.parametrize(("extra", "more", "message"), REFUSED)
@pytest.mark.parametrize("name", ["conv2d", "depthwise_conv2d", "matmul"])
def test_refused(
    name: str,
    extra: dict[str, Any],
    more: list[tuple[tuple[int, ...], str]],
    message: str,
    runtime: NodeRuntime,
) -> None:
    window = {**Case((1, 4, 4), (1, 1), (4, 4)).params(), "in_c": 4}
    params: dict[str, Any] = {
        "conv2d": {**window, "out_c": 4, "groups": 1},
        "depthwise_conv2d": {**window, "out_c": 4, "multiplier": 1},
        "matmul": {
            **{"batch": 1, "m": 16, "n": 4, "k": 4, "a_batch_stride": 64, "b_batch_stride": 16},
            **{"transpose_a": "false", "transpose_b": "false"},
        },
    }[name]
    second = (1, 1, 4, 1) if name == "depthwise_conv2d" else (1, 1, 4, 4)
    inputs = [Aval((1, 4, 4, 4), ex.F), Aval(second, ex.F)]
    inputs += [Aval(shape, as_dtype(dtype)) for shape, dtype in more]
    call = KernelCall(name, tuple("abcd"[: len(inputs)]), {**params, **extra})
    program = kernel_program(call, inputs, Aval((1, 4, 4, 4), ex.F))
    with pytest.raises(RuntimeFailed, match=message):
        runtime.register(program)
