"""Functions of ``tf.math.special``: values and gradients in all intervals of the approximations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import compare, error

import tfpy

NAMES = [
    *("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "bessel_k0", "bessel_k0e"),
    *("bessel_k1", "bessel_k1e", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence"),
]
POSITIVE = np.concatenate([np.linspace(0.05, 9.0, 120), np.linspace(9.0, 60.0, 40), [1.0, 1e5]])
SPECIAL = np.array([np.inf, -np.inf, np.nan, -0.5, -3.0])


@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients(name: str) -> None:
    import tensorflow

    def program(tf: Any) -> Any:
        function = getattr(tf.math.special, name)
        x = tf.constant(POSITIVE.astype(np.float32))
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            slope = tape.gradient(y, x)
        second = outer.gradient(slope, x)
        half = tf.constant([0.5, 3.0], tf.float16)
        short = function(half) if name.startswith("bessel") else half
        return [y, slope, second, short, tf.function(function)(x[:4]), function(1.5)]

    mine, wanted = program(tfpy), program(tensorflow)
    compare(mine[:1], wanted[:1], 2e-6, name)
    compare(mine[1:2], wanted[1:2], 2e-5, f"gradient of {name}")
    large = ~(np.abs(np.asarray(wanted[2])) < 100.0)  # cancellation near 0, and NaN of TensorFlow
    compare(np.asarray(mine[2])[~large], np.asarray(wanted[2])[~large], 2e-3, "second gradient")
    compare(mine[3], wanted[3], 2e-3, "float16")
    compare(mine[4:], wanted[4:], 2e-6, "function")


@pytest.mark.parametrize("name", NAMES)
def test_special_values(name: str) -> None:
    import tensorflow

    x = SPECIAL.astype(np.float32)
    found, wanted = (getattr(tf.math.special, name)(x).numpy() for tf in (tfpy, tensorflow))
    np.testing.assert_allclose(found, wanted, 1e-6)
    of_integers = [error(lambda: getattr(tf.math.special, name)([1])) for tf in (tfpy, tensorflow)]  # noqa: B023
    assert of_integers[0] == of_integers[1]
