"""Special functions of tf.math composed of primitives, and less common arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import same

import tfpy

X = np.linspace(-3, 3, 13, dtype=np.float32)
UNIT = np.linspace(0.02, 0.98, 9, dtype=np.float32)
POSITIVE = np.linspace(0.3, 9, 12, dtype=np.float32)


@same
def test_composed(tf: Any) -> Any:
    return [
        tf.math.bessel_i0(X),
        tf.math.bessel_i1(X),
        tf.math.erfcinv(UNIT * 2),
        tf.math.erfcinv([0.0, 2.0, 3.0]),
        tf.math.lbeta(POSITIVE.reshape(3, 4)),
        tf.math.polygamma([[0.0], [1.0], [3.0]], POSITIVE),
        tf.math.polygamma([0.5, -1.0], [1.0, 1.0]),
    ]


@same
def test_integer_division(tf: Any) -> Any:
    x, y = tf.constant([7, -7, 7, -7, -(2**31)]), tf.constant([2, 2, -2, -2, 3])
    return [tf.truncatediv(x, y), tf.truncatemod(x, y), tf.math.floormod(x, y)]


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("lgamma", POSITIVE),
        ("digamma", POSITIVE),
        ("digamma", np.array([-0.3, -1.6, 0.4], np.float32)),
        ("erfinv", UNIT),
        ("ndtri", UNIT),
        ("erfc", X),
        ("bessel_i0e", X),
        ("bessel_i1e", X + 0.1),
    ],
)
def test_gradients(name: str, at: Any) -> None:
    found = []
    for tf in (tfpy, tensorflow):
        x = tf.constant(at)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf.math, name)(x)
        found.append(np.asarray(tape.gradient(y, x)))
    np.testing.assert_allclose(*found, rtol=1e-4, atol=1e-4)
