"""Composed functions and kernels at special values, on cpu and wasm, as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

from .conftest import require_assets
from .node_backend import active

INF, NAN = np.inf, np.nan
TAILS = [*np.linspace(-13, 13, 53), -14.0, -20.0, -INF, INF, NAN, 1e-30, -1e-10]

CASES: list[Callable[[Any], Any]] = [
    lambda tf: tf.nn.gelu(tf.constant(TAILS, tf.float32)),
    lambda tf: tf.math.cumprod(tf.constant([1e30, 1e30, 0.0, 2.0])),
    lambda tf: tf.math.cumprod(tf.constant([[1e30, 2.0], [1e30, INF], [0.0, 0.0]])),
    lambda tf: tf.math.cumprod(tf.constant([2.0, 0.0, 1e30, 1e30]), reverse=True),
    lambda tf: tf.cast(tf.constant([NAN, 1e20, -1e20, INF, 2.0**31, -3.7]), tf.int32),
    lambda tf: tf.sin(tf.constant([1e30, -3e38, 2.0**100, 1e6, 1e7, 0.5])),
    lambda tf: tf.math.erfcinv(tf.constant([1e-30, 1e-8, 0.5, 1.5, 2.0, 0.0])),
    lambda tf: tf.math.bessel_i1(tf.constant([1e-20, -1e-30, 3.0])),
    lambda tf: tf.math.polygamma(tf.constant([0.0, 1.0, 2.0]), tf.constant([-1e-6, -2.5, 0.25])),
    lambda tf: tf.gather(tf.zeros([0, 3]), tf.zeros([0], tf.int32)),
    lambda tf: tf.gather(tf.zeros([0, 0]), tf.zeros([2], tf.int32)),
]


@pytest.fixture(params=["cpu", "wasm"])
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "cpu":
        yield
        return
    require_assets("simd")
    with active("simd", "never"):
        yield


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("call", CASES)
def test_as_in_tensorflow(call: Callable[[Any], Any]) -> None:
    wanted = call(tensorflow).numpy()
    np.testing.assert_allclose(call(tfpy).numpy(), wanted, rtol=3e-6, atol=1e-37)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("axis", [0, 1])
def test_an_empty_axis_has_no_index(axis: int) -> None:
    for tf in (tensorflow, tfpy):
        x = tf.zeros([0, 3] if axis == 0 else [3, 0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"in \[0, 0\)"):
            tf.gather(x, [0], axis=axis)
