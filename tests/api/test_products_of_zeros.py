"""Derivatives up to third order of products with zeros and of cumulative sums of exponentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "reduce_prod": lambda tf, x: tf.reduce_prod(x),
    "reduce_prod of rows": lambda tf, x: tf.reduce_prod(tf.reshape(x, [2, 2]), 1) * WEIGHTS[:2],
    "cumprod": lambda tf, x: tf.math.cumprod(x) * WEIGHTS,
    "cumprod backwards": lambda tf, x: tf.math.cumprod(x, exclusive=True, reverse=True) * WEIGHTS,
    "cumulative_logsumexp": lambda tf, x: tf.math.cumulative_logsumexp(x) * WEIGHTS,
    "cumulative_logsumexp backwards": lambda tf, x: (
        tf.math.cumulative_logsumexp(x, exclusive=True, reverse=True) * WEIGHTS
    ),
}
INPUTS = {
    "none": [2.0, 3.0, 4.0, 5.0],
    "one": [2.0, 0.0, 4.0, 5.0],
    "two": [2.0, 0.0, 4.0, 0.0],
    "three": [0.0, 0.0, 4.0, 0.0],
    "all": [0.0, 0.0, 0.0, 0.0],
}


def derivative(lib: Any, name: str, values: list[float], order: int) -> Any:
    x = lib.constant(values)

    def nested(depth: int) -> Any:
        if not depth:
            return PROGRAMS[name](lib, x)
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = nested(depth - 1)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return np.asarray(nested(order))


# TensorFlow's third derivatives of cumulative_logsumexp are NaN.
CASES = [(n, order) for n in PROGRAMS for order in (1, 2, 3) if order < 3 or "prod" in n]


@pytest.mark.parametrize("zeros", INPUTS)
@pytest.mark.parametrize(("name", "order"), CASES)
def test_derivatives(name: str, zeros: str, order: int) -> None:
    mine, wanted = (derivative(lib, name, INPUTS[zeros], order) for lib in (tfpy, tensorflow))
    np.testing.assert_allclose(mine, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize(
    "values",
    [[-np.inf, 1.0, 2.0, -np.inf], [-np.inf] * 4, [1.0, np.inf, 0.0, 2.0], [1e3, -1e3] * 2],
)
def test_infinite_exponents(values: list[float], order: int) -> None:
    name = "cumulative_logsumexp"
    mine, wanted = (derivative(lib, name, values, order) for lib in (tfpy, tensorflow))
    np.testing.assert_allclose(mine, wanted, rtol=1e-5)
