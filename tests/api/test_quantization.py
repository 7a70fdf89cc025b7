"""Fake quantization and its gradients."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from api import twin
from api.same import error, same

import tfpy

RANGES = [(-6.0, 6.0), (-1.3, 0.7), (0.0, 5.0), (2.0, 5.0), (-5.0, -2.0), (0.0, 0.0)]
RNG = np.random.default_rng(4)
X = RNG.uniform(-8, 8, (5, 7, 3)).astype(np.float32)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("bits", [2, 5, 8, 16])
def test_bounds(bits: int, narrow: bool) -> None:
    for low, high in RANGES:

        def scalars(tf: Any, x: Any, a: Any, b: Any) -> Any:
            return tf.quantization.fake_quant_with_min_max_vars(x, a, b, bits, narrow)

        def channels(tf: Any, x: Any, a: Any, b: Any) -> Any:
            return tf.quantization.fake_quant_with_min_max_vars_per_channel(x, a, b, bits, narrow)

        def numbers(tf: Any, x: Any, low: float = low, high: float = high) -> Any:
            return tf.quantization.fake_quant_with_min_max_args(x, low, high, bits, narrow)

        bounds = np.float32(low), np.float32(high)
        twin.check(scalars, X, *bounds, grads=True)
        vectors = [np.float32([b, b * 0.5, b * 2]) for b in bounds]
        twin.check(channels, X, *vectors, grads=True)
        if low < high:
            twin.check(numbers, X, grads=True)


@same
def test_gradient_functions(tf: Any) -> Any:
    q, x = tf.quantization, tf.constant(X)
    g = tf.constant(RNG.normal(size=X.shape).astype(np.float32) * 0 + X[::-1] * 0.3)
    low, high = tf.constant([-1.0, 0.0, -3.0]), tf.constant([1.0, 2.0, -1.0])
    return [
        q.fake_quant_with_min_max_args_gradient(g, x, -2, 3, 4),
        list(q.fake_quant_with_min_max_vars_gradient(g, x, -2.0, 3.0, 4, True)),
        list(q.fake_quant_with_min_max_vars_per_channel_gradient(g, x, low, high)),
        tf.function(lambda t: q.fake_quant_with_min_max_vars(t, -1.0, 1.5))(x),
    ]


@same
def test_gradients_at_edges(tf: Any) -> Any:
    """Check gradients at NaN and infinities, and with upstream gradients that are not finite."""
    edges = tf.constant([-np.inf, np.inf, np.nan, -0.5, 0.1], tf.float32)
    q, found = tf.quantization, []
    for upstream in (1.0, np.inf, -np.inf, np.nan):
        given = tf.fill([5], tf.constant(upstream, tf.float32))
        low, high = tf.fill([5], -0.25), tf.fill([5], 0.5)
        with tf.GradientTape() as tape:
            tape.watch(edges)
            y = q.fake_quant_with_min_max_args(edges, -0.25, 0.5)
        found += [
            q.fake_quant_with_min_max_args_gradient(given, edges, -0.25, 0.5, narrow_range=True),
            *q.fake_quant_with_min_max_vars_gradient(given, edges, -0.25, 0.5),
            *q.fake_quant_with_min_max_vars_per_channel_gradient(given, edges, low, high),
            tape.gradient(y, edges, output_gradients=given),
        ]
    return found


@pytest.mark.parametrize("mode", ["HALF_TO_EVEN", "HALF_UP"])
@pytest.mark.parametrize("signed", [True, False])
def test_there_and_back(signed: bool, mode: str) -> None:
    for given in (True, False):
        for bits in (3, 8):
            for low, high in RANGES[:3]:
                options = {
                    "signed_input": signed,
                    "num_bits": bits,
                    "range_given": given,
                    "round_mode": mode,
                }

                def scalars(tf: Any, x: Any, a: Any, b: Any, options: Any = options) -> Any:
                    return tf.quantization.quantize_and_dequantize_v2(x, a, b, **options)

                def axes(tf: Any, x: Any, a: Any, b: Any, options: Any = options) -> Any:
                    return tf.quantization.quantize_and_dequantize_v2(x, a, b, axis=2, **options)

                if not signed and given:
                    low = 0.0
                bounds = np.float32(low), np.float32(high)
                x = np.abs(X) if not signed else X
                twin.check(scalars, x, *bounds, grads=True)
                if not given:
                    twin.check(axes, x, *bounds)


@same
def test_more(tf: Any) -> Any:
    q, x = tf.quantization, tf.constant(X)
    return [
        q.quantize_and_dequantize_v2(x, -1.0, 1.0, num_bits=4, range_given=True, narrow_range=True),
        q.quantize_and_dequantize(x, -1.0, 1.0, range_given=True),
        error(lambda: q.fake_quant_with_min_max_args(x, 1.0, 1.0)),
        error(lambda: q.fake_quant_with_min_max_args(x, num_bits=1)),
        error(lambda: q.fake_quant_with_min_max_vars(x, 0.0, 1.0, num_bits=17)),
        error(lambda: q.fake_quant_with_min_max_vars(x, [0.0], [1.0])),
        error(lambda: q.fake_quant_with_min_max_vars_per_channel(x, [0.0], [1.0])),
        error(lambda: q.fake_quant_with_min_max_args_gradient(x[:1], x)),
        error(lambda: q.fake_quant_with_min_max_vars_gradient(x[0], x, 0.0, 1.0)),
        error(lambda: q.quantize_and_dequantize_v2(x, tf.constant(0), 1.0)),
        error(lambda: q.quantize_and_dequantize_v2(x, 0.0, 1.0, round_mode="UP")),
    ]


KINDS = ("quint8", "qint8", "quint16", "qint16")
MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


@same
def test_quantized_tensors(tf: Any) -> Any:
    found = []
    for kind, mode in itertools.product(KINDS, MODES):
        for low, high in ((-1.0, 1.5), (0.0, 1.0), (-2.0, 0.5), (0.3, 0.3)):
            q = tf.quantization.quantize(X / 4.0, low, high, getattr(tf, kind), mode)
            found += [q.output_min, q.output_max, tf.quantization.dequantize(*q, mode)]
            found += [q.output, tf.cast(q.output, tf.int32), tf.bitcast(q.output, tf.int8)]
    return found


@same
def test_quantized_tensors_with_ranges_along_an_axis(tf: Any) -> Any:
    lows, highs = np.float32([-1, -2, 0]), np.float32([1, 1, 2])
    q = tf.quantization.quantize(X, lows, highs, tf.qint8, "SCALED", axis=2)
    narrow = tf.quantization.quantize(X, -1.0, 1.0, tf.qint8, "SCALED", "HALF_TO_EVEN", None, True)
    back = tf.quantization.dequantize(*q, "SCALED", axis=2)
    parts = [tf.quantization.quantize(X, low, 1.5, tf.quint8)[0] for low in (-1.0, -2.0)]
    joined = tf.quantization.quantized_concat(0, parts, [-1.0, -2.0], [1.5, 1.5])
    return [q, narrow, back, joined]


@same
def test_quantized_tensors_are_moved_and_printed(tf: Any) -> Any:
    q = tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8).output
    return [str(q), repr(q), tf.reshape(q, [3, 1]), tf.concat([q, q], 0), q[1]]


def test_quantized_tensors_in_a_function() -> None:
    @tfpy.function
    def there_and_back(x: Any) -> Any:
        q = tfpy.quantization.quantize(x, 0.0, 1.0, tfpy.quint8).output
        return tfpy.quantization.dequantize(q, 0.0, 1.0)

    np.testing.assert_allclose(there_and_back(tfpy.constant([0.2, 0.8])), [0.2, 0.8], atol=1e-3)


def test_refused_quantized_tensors() -> None:
    for arguments in (
        (tfpy.int8,),
        (tfpy.quint8, "OTHER"),
        (tfpy.quint8, "MIN_FIRST", "HALF_TO_EVEN"),
    ):
        with pytest.raises(tfpy.errors.InvalidArgumentError):
            tfpy.quantization.quantize([0.5], 0.0, 1.0, *arguments)


@same
def test_constants_of_quantized_dtypes(tf: Any) -> Any:
    kinds = (tf.qint8, tf.quint8, tf.qint16, tf.qint32)
    made = [tf.constant([1, 2], kind) for kind in kinds]
    arrays = np.array([(3,), (4,)], tf.qint8.as_numpy_dtype)
    found = [tf.constant(arrays), tf.constant(3, tf.quint8, shape=[2])]
    names = [x.dtype.name for x in (*made, *found)]
    return names, [tf.cast(x, tf.int32) for x in (*made, *found)]
