"""Products with weights that stay as they are stored, and their rows, equal to NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tfpy._src.base.dtypes import float32, int8, int32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ops.stored_bytes import bytes_of, gather_stored, multiply_stored

from .node_process import RuntimeFailed
from .node_runtime import Array, NodeRuntime, aval_of

SIZES = [  # rows, depth, channels
    *[(1, 1, 1), (1, 49, 33), (2, 7, 5), (3, 16, 8), (4, 33, 65), (5, 17, 9), (6, 8, 70)],
    *[(1, 64, 1040), (34, 130, 100), (7, 300, 129)],
]


def weights(rng: np.random.Generator, rows: int, length: int, bits: int) -> Array:
    return rng.integers(-128, 128, (rows, bytes_of(length, bits))).astype(np.int8)


def product(runtime: NodeRuntime, given: list[Array], **attrs: object) -> tuple[Array, Array]:
    """Return the results of the kernel and of NumPy."""
    assert multiply_stored.kernel is not None
    avals = [aval_of(a) for a in given]
    call = multiply_stored.kernel(*avals, **attrs)
    got = runtime.run_kernel(call, given, multiply_stored.infer(*avals, **attrs))
    return got, multiply_stored.ref(*given, **attrs)


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_products(
    size: tuple[int, int, int], transpose_b: bool, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    m, k, n = size
    rows, length = (n, k) if transpose_b else (k, n)
    attrs = {"shape": (k, n), "transpose_b": transpose_b}
    whole = rng.integers(-128, 128, (m, k)).astype(np.int32)
    got, wanted = product(runtime, [whole, weights(rng, rows, length, 8)], bits=8, **attrs)
    np.testing.assert_array_equal(got, wanted)
    x = rng.normal(size=(m, k)).astype(np.float32)
    for bits in (8, 4):
        w = weights(rng, rows, length, bits)
        got, wanted = product(runtime, [x, w], bits=bits, **attrs)
        np.testing.assert_allclose(got, wanted, atol=2e-6 * k * 2**bits)
        for group in (32, 5):
            index = (np.arange(k) // group).astype(np.int32)
            scale = rng.uniform(0.5, 1.5, (index[-1] + 1, n)).astype(np.float32)
            zero = rng.integers(-8, 8, scale.shape).astype(np.int8)
            got, wanted = product(runtime, [x, w, scale, zero, index], bits=bits, **attrs)
            np.testing.assert_allclose(got, wanted, atol=2e-6 * k * 2**bits)


def test_rows(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    assert gather_stored.kernel is not None
    indices = np.array([[4, 0], [6, 4]], np.int32)
    for bits, width in ((8, 5), (4, 5), (4, 6)):
        w = weights(rng, 7, width, bits)
        call = gather_stored.kernel(aval_of(w), aval_of(indices), width=width, bits=bits)
        got = runtime.run_kernel(call, (w, indices), Aval((2, 2, width), int32))
        np.testing.assert_array_equal(got, gather_stored.ref(w, indices, width, bits))
        with pytest.raises(RuntimeFailed, match=r"\[1\] = 7 is not in \[0, 7\)"):
            runtime.run_kernel(call, (w, np.arange(6, 10, dtype=np.int32)), Aval((4, width), int32))


def test_groups_out_of_range(runtime: NodeRuntime) -> None:
    one = np.ones((1, 1), np.float32)
    number = np.ones((1, 1), np.int8)
    given: list[Array] = [one, number, one, number, np.array([1], np.int32)]
    with pytest.raises(RuntimeFailed, match=r"a group is not in \[0, 1\)"):
        product(runtime, given, shape=(1, 1), transpose_b=False, bits=8)


def test_other_kernels_do_not_read_bytes(runtime: NodeRuntime) -> None:
    x, out = np.ones(4, np.int8), Aval((4,), float32)
    params = {"batch": 1, "m": 1, "n": 4, "k": 1, "a_batch_stride": 0, "b_batch_stride": 0}
    flags = {"transpose_a": "false", "transpose_b": "false"}
    call = KernelCall("matmul", ("a", "b"), {**params, **flags})
    with pytest.raises(RuntimeFailed, match="not the output's"):
        runtime.run_kernel(call, (np.ones(1, np.float32), x), out)
    axis = {"batch": 1, "outer": 1, "n": 4, "inner": 1, "m": 1}
    with pytest.raises(RuntimeFailed, match="x's dtype is not the output's"):
        runtime.run_kernel(KernelCall("gather", ("x", "indices"), axis), (x, x[:1]), out)
    with pytest.raises(RuntimeFailed, match="makes int8"):
        runtime.run_kernel(
            KernelCall("gather", ("x", "indices"), axis), (x, x[:1]), Aval((4,), int8)
        )
