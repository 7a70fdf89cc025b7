"""Products and convolutions in int8, equal to NumPy except for rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ops.quantized import MAX_DEPTH, quantized_conv2d, quantized_matmul

from .node_process import RuntimeFailed
from .node_runtime import Array, NodeRuntime, aval_of, kernel_program
from .test_epilogues import EPILOGUES, apply, epilogue_params
from .test_windows import Case

SIZES = [  # rows, depth, channels
    *[(1, 1, 1), (1, 49, 33), (2, 7, 5), (3, 16, 8), (4, 15, 4), (5, 17, 9), (6, 8, 16)],
    *[(7, 31, 30), (49, 300, 100), (70, 513, 17), (130, 64, 65), (1, 1024, 1000)],
]
SPECIAL = [
    np.zeros(24),
    np.ones(24),
    np.full(24, -3.5),
    np.arange(24) - 5,
    np.linspace(-1e38, 3e38, 24),
    np.linspace(-3.4e38, 3.4e38, 24),
    np.linspace(1e-42, 1e-38, 24),
    np.linspace(-1e-30, 2e-30, 24),
    np.where(np.arange(24) == 7, 1e30, np.linspace(-1, 1, 24)),
    np.where(np.arange(24) == 23, np.nan, 1),
    np.where(np.arange(24) == 0, np.inf, -1),
    np.where(np.arange(24) % 2, np.inf, -np.inf),
]


def product(
    runtime: NodeRuntime, a: Array, b: Array, transpose_b: bool = False, *bias: Array, **params: Any
) -> Array:
    """Return the kernel's result."""
    assert quantized_matmul.kernel is not None
    call = quantized_matmul.kernel(aval_of(a), aval_of(b), transpose_b)
    inputs = ("a", "b", "bias")[: 2 + len(bias)]
    out = quantized_matmul.infer(aval_of(a), aval_of(b), transpose_b)
    return runtime.run_kernel(
        KernelCall(call.name, inputs, {**call.params, **params}), (a, b, *bias), out
    )


def reference(a: Array, b: Array, transpose_b: bool = False) -> Array:
    with np.errstate(all="ignore"):
        result: Array = quantized_matmul.ref(a, b, transpose_b)
    return result


def close(got: Array, wanted: Array) -> None:
    """Compare results. Sums are exact, so only the rounding of two products remains."""
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_agrees_with_the_reference(
    size: tuple[int, int, int],
    transpose_b: bool,
    runtime: NodeRuntime,
    rng: np.random.Generator,
) -> None:
    m, k, n = size
    a = (rng.standard_normal((m, k)) * rng.uniform(0.1, 100, (m, 1))).astype(np.float32)
    a += rng.uniform(-50, 50, (m, 1)).astype(np.float32)
    b = rng.standard_normal((n, k) if transpose_b else (k, n)).astype(np.float32)
    bias = rng.standard_normal(n).astype(np.float32)
    wanted = reference(a, b, transpose_b)
    for has_bias, clamp in EPILOGUES:
        more = (bias,) if has_bias else ()
        got = product(runtime, a, b, transpose_b, *more, **epilogue_params(has_bias, clamp))
        expected = apply(wanted, bias if has_bias else None, clamp)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())


def test_all_values_of_int8(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    """Check that extreme values on both sides do not saturate dot products of relaxed SIMD."""
    for signs in ([1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0]):
        a = rng.choice(np.float32(signs), (9, 512))
        b = rng.choice(np.float32(signs), (512, 24))
        close(product(runtime, a, b), reference(a, b))
        np.testing.assert_allclose(product(runtime, a, b), a @ b, atol=512 / 127)
    a = rng.integers(-128, 128, (16, 256)).astype(np.float32)
    a[:, :2] = -128, 127
    b = rng.integers(-127, 128, (256, 256)).astype(np.float32)
    b[0] = 127
    np.testing.assert_allclose(product(runtime, a, b), a @ b, rtol=1e-6, atol=1)


@pytest.mark.parametrize("width", [17, 24])
def test_special_rows(width: int, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    """Check that each row has its own scale, so that no row affects another."""
    a = np.stack(SPECIAL).astype(np.float32)[:, 24 - width :]
    b = rng.standard_normal((width, 40)).astype(np.float32)
    got, wanted = product(runtime, a, b), reference(a, b)
    close(got, wanted)
    finite = np.isfinite(a).all(1)
    assert np.isnan(got[~finite]).all()
    assert np.isfinite(got[finite & (np.abs(a) < 1e37).all(1)]).all()
    assert (got[0] == 0).all()


def test_special_channels(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    w = np.stack(SPECIAL).astype(np.float32)
    a = rng.standard_normal((6, 24)).astype(np.float32)
    for transpose_b in (False, True):
        b = w if transpose_b else np.ascontiguousarray(w.T)
        close(product(runtime, a, b, transpose_b), reference(a, b, transpose_b))


def test_deepest(runtime: NodeRuntime) -> None:
    """Test the largest sums that int32 holds."""
    a = np.ones((3, MAX_DEPTH), np.float32)
    a[1] *= -1
    a[2, ::2] = -1
    b = np.ones((MAX_DEPTH, 2), np.float32)
    b[:, 1] = -1
    close(product(runtime, a, b), reference(a, b))
    assert abs(product(runtime, a, b)[0, 0] / MAX_DEPTH - 1) < 1e-5


def test_weights_are_packed_once(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    """Use the same slots in several calls, then other weights, then another bias."""
    m, k, n = 13, 40, 70
    shapes = [(m, k), (k, n), (n,)]
    params = {"m": m, "n": n, "k": k, "transpose_b": "false", "bias": "true"}
    call = KernelCall("quantized_matmul", ("a", "b", "bias"), params)
    out = Aval((m, n), ex.F)
    number = runtime.register(kernel_program(call, [Aval(s, ex.F) for s in shapes], out))
    arrays = [rng.standard_normal((3, *s)).astype(np.float32) for s in shapes]
    slots = [[runtime.write(x) for x in three] for three in arrays]
    for chosen in [(0, 0, 0), (1, 0, 0), (2, 1, 0), (0, 0, 1), (1, 2, 2), (0, 0, 0)]:
        given = [three[i] for three, i in zip(slots, chosen, strict=True)]
        a, b, bias = (three[i] for three, i in zip(arrays, chosen, strict=True))
        result = runtime.call("run", program=number, slots=given)
        np.testing.assert_allclose(
            runtime.read(result, out), reference(a, b) + bias, rtol=1e-5, atol=1e-5
        )
        runtime.call("free", slots=[result])
    runtime.call("free", slots=[slot for three in slots for slot in three])
    runtime.call("release", program=number)


CONVOLUTIONS = [
    Case((2, 7, 9), (3, 3), (12, 20)),
    Case((1, 9, 8), (3, 3), (33, 17), stride=(2, 2), pad=((0, 1), (1, 1))),
    Case((1, 12, 10), (3, 2), (16, 8), stride=(1, 2), dilation=(2, 1), pad=((2, 2), (0, 1))),
    Case((3, 5, 5), (1, 1), (40, 12), stride=(2, 2)),
    Case((2, 4, 4), (4, 4), (8, 70)),
    Case((1, 3, 3), (5, 5), (4, 4), pad=((4, 4), (3, 3))),
    Case((1, 30, 31), (3, 3), (64, 24), pad=((1, 1), (1, 1))),
]


def convolution(
    runtime: NodeRuntime, case: Case, x: Array, filters: Array, *bias: Array, **params: Any
) -> Array:
    """Return the kernel's result."""
    channels = {"in_c": case.channels[0], "out_c": case.channels[1], "groups": 1}
    call = KernelCall(
        "quantized_conv2d",
        ("x", "filter", "bias")[: 2 + len(bias)],
        {**case.params(), **channels, **params},
    )
    out = Aval((case.size[0], *case.out, case.channels[1]), ex.F)
    return runtime.run_kernel(call, (x, filters, *bias), out)


def convolved(case: Case, x: Array, filters: Array) -> Array:
    with np.errstate(all="ignore"):
        result: Array = quantized_conv2d.ref(
            x, filters, strides=case.stride, dilations=case.dilation, padding=case.pad
        )
    return result


@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_convolutions(case: Case, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    scales = rng.uniform(0.1, 10, (*case.size, 1))
    x = rng.normal(rng.uniform(-1, 1), scales, (*case.size, case.channels[0])).astype(np.float32)
    filters = rng.standard_normal((*case.filter, *case.channels)).astype(np.float32)
    bias = rng.standard_normal(case.channels[1]).astype(np.float32)
    wanted = convolved(case, x, filters)
    for has_bias, clamp in EPILOGUES:
        more = (bias,) if has_bias else ()
        got = convolution(runtime, case, x, filters, *more, **epilogue_params(has_bias, clamp))
        expected = apply(wanted, bias if has_bias else None, clamp)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=2e-6 * np.abs(wanted).max())


def test_special_pixels(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    """Check that a pixel that is not finite causes NaN only in the windows that contain it."""
    case = Case((1, 6, 6), (3, 3), (24, 9), pad=((1, 1), (1, 1)))
    x = rng.standard_normal((1, 6, 6, 24)).astype(np.float32)
    filters = rng.standard_normal((3, 3, 24, 9)).astype(np.float32)
    filters[1, 1, 4, 7] = np.inf
    x[0, 0, 0, 3] = np.nan
    x[0, 2, 3] = 0
    got, wanted = convolution(runtime, case, x, filters), convolved(case, x, filters)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    assert np.isnan(got[..., 7]).all()
    assert np.isnan(got).sum() == 36 + 4 * 8


REFUSED_CONVOLUTIONS: list[tuple[dict[str, Any], str]] = [
    ({"in_c": 0}, "x has"),
    ({"out_h": 4}, "y has"),
    ({"bias": "true"}, "number of inputs"),
]


@pytest.mark.parametrize(("extra", "message"), REFUSED_CONVOLUTIONS, ids=str)
def test_refused_convolutions(extra: dict[str, Any], message: str, runtime: NodeRuntime) -> None:
    case = Case((1, 5, 5), (3, 3), (8, 8))
    x, filters = np.zeros((1, 5, 5, 8), np.float32), np.zeros((3, 3, 8, 8), np.float32)
    with pytest.raises(RuntimeFailed, match=message):
        convolution(runtime, case, x, filters, **extra)


def test_groups_are_refused(runtime: NodeRuntime) -> None:
    case = Case((1, 5, 5), (3, 3), (8, 8))
    x, filters = np.zeros((1, 5, 5, 8), np.float32), np.zeros((3, 3, 4, 8), np.float32)
    with pytest.raises(RuntimeFailed, match="groups are not computed in int8"):
        convolution(runtime, case, x, filters, groups=2)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"k": 0}, "k is not an integer"),
    ({"k": MAX_DEPTH + 1}, "k is not an integer"),
    ({"m": 5}, "a has 16 elements"),
    ({"n": 5}, "b has 32 elements"),
    ({"m": -1}, "m is not an integer"),
    ({"m": 2, "k": 8, "n": 4}, "the output has 32 elements"),
    ({"transpose_b": "yes"}, "transpose_b does not have one of its values"),
    ({"bias": "true"}, "number of inputs"),
    ({"clamp_min_bits": 0, "clamp_max_bits": -(2**31) + 2**23}, "not a range"),
]


@pytest.mark.parametrize(("extra", "message"), REFUSED, ids=str)
def test_refused(extra: dict[str, Any], message: str, runtime: NodeRuntime) -> None:
    params = {"m": 4, "k": 4, "n": 8, "transpose_b": "false", **extra}
    call = KernelCall("quantized_matmul", ("a", "b"), params)
    inputs = [Aval((4, 4), ex.F), Aval((4, 8), ex.F)]
    with pytest.raises(RuntimeFailed, match=message):
        runtime.register(kernel_program(call, inputs, Aval((4, 8), ex.F)))
