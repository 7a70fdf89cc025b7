"""Programs of float16, run by TensorFlow, by tfpy on NumPy, and by devices with float16.

Each program returns a list of tensors. Programs in ``EXACT`` return the same bits everywhere,
because they round after each operation as TensorFlow does. The others agree within some units in
the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Programs = dict[str, Callable[[Any], list[Any]]]

INF, NAN = float("inf"), float("nan")
SPECIAL = (0.0, -0.0, 1.0, -1.5, 65504.0, -65504.0, 6e-8, -6.1e-5, 1e-3, 2049.0, INF, -INF, NAN)
"""Special values: the largest, the smallest, a subnormal, and an odd number that needs 12 bits."""


def halves(*shape: int, seed: int = 1, scale: float = 1.0) -> Any:
    return (np.random.default_rng(seed).normal(size=shape) * scale).astype(np.float16)


def specials() -> tuple[Any, Any]:
    """Return all pairs of special values."""
    x = np.array(SPECIAL, np.float16)
    return np.repeat(x, x.size), np.tile(x, x.size)


def arithmetic(tf: Any) -> list[Any]:
    x, y = map(tf.constant, specials())
    found = [x + y, x - y, x * y, x / y, tf.maximum(x, y), tf.minimum(x, y), -x, abs(x)]
    return [*found, tf.sign(x), tf.square(x), tf.nn.relu(x), tf.where(x > y, x, y)]


def comparisons(tf: Any) -> list[Any]:
    x, y = map(tf.constant, specials())
    found = [x < y, x <= y, x > y, x >= y, x == y, x != y]
    return [*found, *(f(x) for f in (tf.math.is_nan, tf.math.is_inf, tf.math.is_finite))]


def casts(tf: Any) -> list[Any]:
    wide = tf.constant([0.1, 65519.9, 65520.0, -7e4, 3e-8, 2.9e-8, 9e-8, 1.00048828125, 1e-40, NAN])
    whole = tf.constant([0, 1, -3, 2049, 2051, 65519, 65520, -(2**31)])
    x = tf.constant(np.float16([0, -0.0, 1.75, -2.5, 2049, 65504, 6e-8]))
    found = [tf.cast(given, tf.float16) for given in (wide, whole, whole > 0)]
    return [*found, *(tf.cast(x, to) for to in (tf.float32, tf.int32, tf.bool))]


def chain(tf: Any) -> list[Any]:
    """Return a chain that is fused when compiled, in which each step is still rounded."""

    @tf.function
    def f(x: Any, y: Any) -> Any:
        z = tf.nn.relu(x * y + 0.3) * x - y * 0.7
        return z * z * z + tf.cast(tf.cast(x, tf.float32) * 1.001, tf.float16), z > 0.1

    return [*f(tf.constant(halves(33, 7)), tf.constant(halves(7, seed=2)))]


def odd_counts(tf: Any) -> list[Any]:
    """Upload and read an odd number of elements, small and large."""
    arrays = [halves(n, seed=n) for n in (0, 1, 2, 3, 5, 7, 33, 40001)]
    return [*map(tf.constant, arrays), *(tf.constant(a) * 2.0 for a in arrays)]


def movement(tf: Any) -> list[Any]:
    x, y = tf.constant(halves(5, 7)), tf.constant(halves(5, 3, seed=2))
    found = [tf.concat([x, y, x], 1), tf.pad(x, [[1, 0], [2, 3]], constant_values=0.1)]
    found += [tf.transpose(x), x[1:4, ::2], tf.reverse(x, [1]), tf.tile(y, [2, 3])]
    found += [tf.gather(x, [4, 0, 4]), tf.stack([x, x]), tf.sort(x), tf.argsort(x)]
    found += [tf.tensor_scatter_nd_update(x, [[1], [3]], x[:2]), tf.boolean_mask(x, y[:, 0] > 0)]
    return [
        *found,
        *tf.math.top_k(x, 3),
        tf.argmax(x, 1, tf.int32),
        tf.one_hot([1, 0], 3, dtype=tf.float16),
    ]


def extremes(tf: Any) -> list[Any]:
    x = tf.constant(halves(3, 70, 5))
    found = [f(x, axis) for f in (tf.reduce_max, tf.reduce_min) for axis in (None, 0, 1, 2)]
    return [
        *found,
        tf.reduce_max(tf.zeros([2, 0], tf.float16), 1),
        tf.nn.max_pool1d(x, 3, 2, "SAME"),
    ]


EXACT: Programs = {
    f.__name__: f for f in (arithmetic, comparisons, casts, chain, odd_counts, movement, extremes)
}


def functions(tf: Any) -> list[Any]:
    x = tf.constant(np.concatenate([halves(40, scale=3.0), np.array(SPECIAL, np.float16)]))
    m = tf.math
    plain = (m.exp, m.log, m.sqrt, m.sin, m.cos, m.tanh, m.sigmoid, m.softplus, m.erf, m.log1p)
    found = [f(x) for f in (*plain, m.expm1, m.rsqrt, m.atan, m.sinh)]
    found += [f(x) for f in (tf.nn.elu, tf.nn.gelu, tf.nn.silu, tf.nn.leaky_relu, tf.nn.selu)]
    y = tf.constant(halves(53, seed=4))
    return [*found, tf.pow(abs(x), y), tf.math.squared_difference(x, y), tf.math.floormod(x, y)]


def sums(tf: Any) -> list[Any]:
    """Add up in float32: 0.1 repeated 4096 times is not 256, where half precision would stop."""
    x = tf.constant(halves(3, 120, 5))
    found = [f(x, axis) for f in (tf.reduce_sum, tf.reduce_mean) for axis in (None, 0, 1, 2)]
    found += [tf.reduce_sum(tf.fill([8192], tf.constant(0.1, tf.float16))), tf.reduce_prod(x, 2)]
    return [*found, tf.reduce_sum(abs(x), [0, 2]), tf.math.cumsum(x[:, :20], 1)]


def products(tf: Any) -> list[Any]:
    a, b = tf.constant(halves(33, 65)), tf.constant(halves(65, 17, seed=2))
    found = [a @ b, tf.matmul(a, a, transpose_b=True), tf.matmul(b, b, transpose_a=True)]
    found += [tf.einsum("bij,bjk->bik", *(tf.constant(halves(2, 8, 8, seed=s)) for s in (3, 4)))]
    x, w = tf.constant(halves(1, 512)), tf.constant(halves(512, 64, seed=2))
    found += [x @ w, tf.constant(halves(128, 128)) @ tf.constant(halves(128, 128, seed=2))]
    return [*found, tf.tensordot(x, w, 1), tf.linalg.matvec(b, tf.constant(halves(17)))]


def windows(tf: Any) -> list[Any]:
    x, w = tf.constant(halves(2, 9, 9, 4)), tf.constant(halves(3, 3, 4, 8, seed=2, scale=0.3))
    d = tf.constant(halves(3, 3, 4, 1, seed=3))
    with tf.GradientTape() as tape:
        tape.watch([x, w, d])
        y = tf.nn.conv2d(x, w, 2, "SAME")
        y = tf.concat([y, tf.nn.depthwise_conv2d(x, d, [1, 2, 2, 1], "SAME")], 3)
        z = tf.nn.avg_pool2d(y, 2, 1, "VALID") + tf.nn.max_pool2d(y, 2, 1, "VALID")
    return [y, z, *tape.gradient(z, [x, w, d])]


def normalized(tf: Any) -> list[Any]:
    """Normalize with separate equations, and compiled, where rows are one kernel."""

    def f(x: Any, scale: Any) -> Any:
        mean = tf.reduce_mean(x, -1, keepdims=True)
        variance = tf.reduce_mean(tf.math.squared_difference(x, mean), -1, keepdims=True)
        normal = (x - mean) * tf.math.rsqrt(variance + 1e-3) * scale
        return tf.nn.softmax(x), tf.nn.log_softmax(x), normal

    scales = [(halves(6, n), halves(n, seed=2)) for n in (10, 128)]
    tensors = [tuple(map(tf.constant, pair)) for pair in scales]
    return [y for pair in tensors for g in (f, tf.function(f)) for y in g(*pair)]


def network(tf: Any) -> list[Any]:
    """Return gradients of a compiled network with a scaled loss."""
    x, y = tf.constant(halves(12, 10)), tf.constant([0, 2, 1] * 4)
    weights = [halves(10, 16, scale=0.4), halves(16, seed=2), halves(16, 3, seed=3, scale=0.4)]

    @tf.function
    def gradients(w: Any, b: Any, v: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([w, b, v])
            logits = tf.cast(tf.nn.gelu(x @ w + b) @ v, tf.float32)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
            scaled = loss * 128.0
        return loss, *tape.gradient(scaled, [w, b, v])

    return [*gradients(*map(tf.constant, weights))]


CLOSE: Programs = {f.__name__: f for f in (functions, sums, products, windows, normalized, network)}
UNITS = dict.fromkeys(("sums", "windows"), 24.0)
"""Units in the last place by which programs of CLOSE may differ, if not 8.

On a CPU, NumPy and TensorFlow add long sums in float16.
"""


def results(tf: Any, name: str) -> list[Any]:
    """Return the arrays of a program."""
    return [tensor.numpy() for tensor in (EXACT | CLOSE)[name](tf)]


def differences(name: str, found: list[Any], expected: list[Any]) -> list[str]:
    """Return the errors in a program's results."""
    wrong, units = [], UNITS.get(name, 8.0)
    for number, (a, b) in enumerate(zip(found, expected, strict=True)):
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            wrong.append(f"{number}: {a.dtype}{a.shape} instead of {b.dtype}{b.shape}")
            continue
        same = (a == b) | ((a != a) & (b != b))
        if name in CLOSE and a.dtype.kind == "f" and a.size:
            x, y = a.astype(np.float32), b.astype(np.float32)
            size = np.maximum(np.abs(y), np.abs(y[np.isfinite(y)]).max() / 8)
            with np.errstate(invalid="ignore"):
                same |= np.abs(x - y) <= units * 2.0**-11 * size
        if not same.all():
            at = tuple(np.argwhere(~same)[0])
            wrong.append(f"{number}: {(~same).sum()} of {same.size}; at {at} {a[at]}, not {b[at]}")
    return wrong
