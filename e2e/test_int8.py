"""Loops, branches and convolutions in int8 compute the same as NumPy, step by step."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from tfpy.testing import run_in_browser

STEPS, BATCH, INPUTS, UNITS = 6, 3, 40, 64
BOUND = 0.05


def error(got: np.ndarray, wanted: np.ndarray) -> float:
    """Return the largest error, relative to the largest value."""
    return float(np.abs(got - wanted).max() / np.abs(wanted).max())


def gaining() -> Any:
    """Return a patch under which webgpu computes even small products in int8."""
    from tfpy._src.compiler.lower.webgpu import packed

    least = ("MIN_USES", "MIN_DEPTH", "MIN_PACKED", "MIN_PRODUCTS", "MIN_WEIGHTS")
    small: dict[str, Any] = dict.fromkeys(least, 1)
    return patch.multiple(packed, **small)


def check(backend: str, got: np.ndarray, exact: np.ndarray, quantized: np.ndarray) -> None:
    """Check int8 results where a backend supports int8; a few elements may round differently."""
    if backend in ("wasm", "webgpu"):
        assert error(got, quantized) < 0.1 * error(quantized, exact) + 1e-3
        assert 1e-3 < error(got, exact) < BOUND
    else:
        assert error(got, exact) < 1e-5


def recurrent(product: Any, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the last state of a small recurrent network, computed by NumPy."""
    state = np.zeros((BATCH, UNITS), np.float32)
    for row in x:
        state = np.tanh(product(np.concatenate([row, state], 1), w))
    return state


@pytest.mark.parametrize("kind", ["while_loop", "scan", "cond"])
@run_in_browser(backends=["cpu", "wasm", "webgpu"])
def test_loops(tf: Any, backend: str, kind: str) -> None:
    from tfpy._src.compiler.ops.quantized import quantized_matmul

    rng = np.random.default_rng(3)
    x = rng.standard_normal((STEPS, BATCH, INPUTS)).astype(np.float32)
    w = (rng.standard_normal((INPUTS + UNITS, UNITS)) / 10).astype(np.float32)
    v, zeros = tf.Variable(w), tf.zeros([BATCH, UNITS])

    def cell(state: Any, row: Any) -> Any:
        return tf.tanh(tf.concat([row, state], 1) @ v)

    def forward(x: Any) -> Any:
        if kind == "scan":
            return tf.scan(cell, x, zeros)[-1]
        if kind == "cond":
            wanted = tf.reduce_sum(x) < 1e9
            return tf.cond(wanted, lambda: tf.foldl(cell, x, zeros), lambda: zeros)

        def step(i: Any, state: Any) -> Any:
            return i + 1, cell(state, x[i])

        return tf.while_loop(lambda i, _: i < STEPS, step, (tf.constant(0), zeros))[1]

    def int8(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result: np.ndarray = quantized_matmul.ref(a, b, transpose_b=False)
        return result

    exact, quantized = recurrent(np.matmul, x, w), recurrent(int8, x, w)
    with gaining():
        got = tf.function(forward, quantize="int8")(tf.constant(x)).numpy()
    check(backend, got, exact, quantized)
    assert error(tf.function(forward)(tf.constant(x)).numpy(), exact) < 1e-5


@pytest.mark.parametrize("stride", [1, 2])
@run_in_browser(backends=["cpu", "wasm", "webgl", "webgpu"])
def test_convolutions(tf: Any, backend: str, stride: int) -> None:
    from tfpy._src.compiler.ops.convolution import conv2d
    from tfpy._src.compiler.ops.quantized import quantized_conv2d

    rng = np.random.default_rng(4)
    x = rng.standard_normal((2, 13, 13, 40)).astype(np.float32)
    filters = rng.standard_normal((3, 3, 40, 48)).astype(np.float32)
    bias = rng.standard_normal(48).astype(np.float32)
    w = tf.Variable(filters)

    @tf.function(quantize="int8")
    def forward(x: Any) -> Any:
        return tf.nn.relu(tf.nn.conv2d(x, w, stride, "SAME") + bias)

    attrs = {"strides": (stride, stride), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}
    wanted = [
        np.maximum(op.ref(x, filters, **attrs) + bias, 0) for op in (conv2d, quantized_conv2d)
    ]
    with gaining():
        got = forward(tf.constant(x)).numpy()
    check(backend, got, *wanted)


@run_in_browser(backends=["cpu", "wasm", "webgl", "webgpu"])
def test_weights_that_are_stored_as_bytes(tf: Any, backend: str) -> None:
    """Check products with an int8 Variable and its rows, as in Keras's quantized layers."""
    rng = np.random.default_rng(5)
    numbers = rng.integers(-127, 128, (64, 96)).astype(np.int8)
    x = rng.integers(-127, 128, (3, 64)).astype(np.float32)
    w = tf.Variable(numbers)

    @tf.function
    def forward(x: Any, ids: Any) -> Any:
        narrow = tf.cast(tf.cast(x, tf.int8), tf.int32)
        products = tf.matmul(narrow, tf.cast(w, tf.int32)), x @ tf.cast(w, tf.float32)
        return *products, tf.cast(tf.gather(w, ids), tf.float32)

    for _ in range(2):
        whole, floats, rows = forward(tf.constant(x), tf.constant([5, 0, 63]))
        np.testing.assert_array_equal(whole.numpy(), x.astype(np.int32) @ numbers.astype(np.int32))
        np.testing.assert_allclose(floats.numpy(), x @ numbers.astype(np.float32), rtol=1e-6)
        np.testing.assert_array_equal(rows.numpy(), numbers[[5, 0, 63]].astype(np.float32))
        np.testing.assert_array_equal(w.numpy(), numbers)


PRODUCTS = [  # rows, depth, channels, bits, numbers of a group or 0
    *[(1, 64, 96, 4, 0), (1, 64, 96, 8, 20), (1, 64, 1096, 4, 20), (5, 72, 96, 4, 16)],
    *[(20, 64, 96, 4, 20), (2, 49, 33, 8, 0), (1, 49, 33, 4, 7), (0, 64, 96, 8, 0)],
    *[(1, 3000, 64, 8, 0), (2, 3000, 64, 4, 128), (1, 1500, 2080, 4, 128), (8, 96, 48, 8, 0)],
]
INTEGERS = [(1, 64, 96), (2, 3000, 64), (8, 96, 48), (3, 49, 33), (20, 3000, 64), (9, 49, 33)]
"""Sizes of products of int8 numbers: rows, depth, channels."""


@run_in_browser(backends=["cpu", "wasm", "webgpu"])
def test_products_with_stored_numbers(tf: Any) -> None:
    """Check products of both orders of weights, with groups in order and mixed, and an epilogue."""
    from tfpy._src.compiler.ops.stored_bytes import bytes_of, gather_stored, multiply_stored

    rng = np.random.default_rng(6)

    @tf.function
    def product(x: Any, w: Any, *scales: Any, **attrs: Any) -> Any:
        return tf.nn.relu(multiply_stored(x, w, *scales, **attrs) + 1.0)

    @tf.function
    def rows(w: Any, ids: Any, bits: int) -> Any:
        return tf.cast(
            gather_stored(w, ids, width=int(w.shape[1]) * 8 // bits, bits=bits), tf.float32
        )

    for m, k, n, bits, size in PRODUCTS:
        for turned in (False, True):
            x = rng.standard_normal((m, k)).astype(np.float32)
            shape = (n, bytes_of(k, bits)) if turned else (k, bytes_of(n, bits))
            given = [x, rng.integers(-128, 128, shape).astype(np.int8)]
            if size:
                group = rng.permutation(np.arange(k) // size) if m > 1 else np.arange(k) // size
                scale = rng.uniform(0.5, 1.5, (group.max() + 1, n)).astype(np.float32)
                zero = rng.integers(-8, 8, scale.shape).astype(np.int8)
                given += [scale, zero, group.astype(np.int32)]
            attrs = {"shape": (k, n), "transpose_b": turned, "bits": bits}
            wanted = np.maximum(multiply_stored.ref(*given, **attrs) + 1, 0)
            got = product(*map(tf.constant, given), **attrs).numpy()
            np.testing.assert_allclose(got, wanted, atol=3e-6 * k * 2**bits)
    for m, k, n in INTEGERS:
        for turned in (False, True):
            numbers = rng.integers(-128, 128, (m, k)).astype(np.int32)
            w = rng.integers(-128, 128, (n, k) if turned else (k, n)).astype(np.int8)
            attrs = {"shape": (k, n), "transpose_b": turned, "bits": 8}
            wanted = multiply_stored.ref(numbers, w, **attrs)
            got = tf.function(multiply_stored)(tf.constant(numbers), tf.constant(w), **attrs)
            np.testing.assert_array_equal(got.numpy(), wanted)
    for bits in (8, 4):
        w = rng.integers(-128, 128, (7, 5)).astype(np.int8)
        ids = np.array([[4, 0], [6, 4]], np.int32)
        wanted = gather_stored.ref(w, ids, 5 * 8 // bits, bits)
        np.testing.assert_array_equal(rows(tf.constant(w), tf.constant(ids), bits).numpy(), wanted)
