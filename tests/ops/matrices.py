"""Random matrices, and comparison of their functions with TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from ops.test_complex import gradients, values
from ops.test_signal import reals

import tfpy

Array = np.ndarray[Any, Any]
Call = Callable[..., Any]


def well(rng: np.random.Generator, *shape: int, number: Any = np.float32) -> Array:
    """Return random matrices with a heavy diagonal."""
    a = values(rng, *shape) if number is np.complex64 else reals(rng, *shape)
    return (a * 0.5 + 3 * np.eye(*shape[-2:])).astype(number)


def positive(rng: np.random.Generator, *shape: int, number: Any = np.float32) -> Array:
    a = values(rng, *shape) if number is np.complex64 else reals(rng, *shape)
    gaps = np.diag(1.0 + np.arange(shape[-1]))
    return (a @ np.conj(np.swapaxes(a, -1, -2)) + gaps).astype(number)


def distinct(rng: np.random.Generator, *shape: int, number: Any = np.float32) -> Array:
    """Return random matrices with well separated singular values."""
    a = values(rng, *shape) if number is np.complex64 else reals(rng, *shape)
    u, _, v = np.linalg.svd(a, full_matrices=False)
    return ((u * (1.0 + np.arange(u.shape[-1]))) @ v).astype(number)


def assert_same(
    f: Callable[[Any], Call],
    *arrays: Array,
    tolerance: float = 2e-3,
    differentiate: bool = True,
) -> None:
    ours, theirs = f(tfpy), f(tf)
    result = ours(*map(tfpy.constant, arrays))
    wanted = theirs(*map(tf.constant, arrays))
    assert tuple(result.shape) == tuple(wanted.shape)
    assert result.dtype.name == wanted.dtype.name
    np.testing.assert_allclose(result, wanted, rtol=tolerance, atol=tolerance)
    if differentiate and result.dtype.name in ("float32", "complex64"):
        pairs = zip(gradients(tfpy, ours, arrays, 3), gradients(tf, theirs, arrays, 3), strict=True)
        for mine, expected in pairs:
            np.testing.assert_allclose(mine, expected, rtol=tolerance, atol=tolerance)


NUMBERS = pytest.mark.parametrize("number", [np.float32, np.complex64])
