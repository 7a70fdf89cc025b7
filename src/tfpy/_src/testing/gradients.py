"""`tf.test.compute_gradient`, the Jacobians of a function by its gradients and by differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.composite.host_values import Array

DELTA = 1.0 / 1024
"""Step of the differences, which floats represent exactly."""


def compute_gradient(
    f: Callable[..., Tensor], x: Sequence[TensorLike], delta: float | None = None
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Compute the Jacobian matrices of a function by its gradients and by finite differences.

    A complex number counts as two real numbers. Differences of float32 have about three correct
    digits.

    Args:
        f: Function that takes tensors and returns one tensor. All dtypes are floats or complex.
        x: List or tuple of the arguments.
        delta: Step of the differences. Default: 1/1024.

    Returns:
        Two tuples: the Jacobians by gradients and the Jacobians by differences, one for each
        argument. Each one is an array of shape `[elements of the result, elements of x[i]]` with
        the real dtype of `x[i]`.

    Raises:
        ValueError: If `x` is not a list or tuple, or if the result is empty and its gradient is
            not zero.

    Example:
        >>> import tfpy as tf
        >>> by_gradients, by_differences = tf.test.compute_gradient(tf.square, [[1.0, 3.0]])
        >>> by_gradients[0].tolist()
        [[2.0, 0.0], [0.0, 6.0]]
        >>> bool(abs(by_gradients[0] - by_differences[0]).max() < 1e-3)
        True

    See also: `tf.GradientTape`, `tf.test.TestCase`.
    """
    if not isinstance(x, list | tuple):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor "
            f"(arguments to `f`), not a {type(x)}"
        )
    arguments = [convert_to_tensor(value) for value in x]
    output = f(*arguments)
    for place, argument in enumerate(arguments):
        _check_dtype(argument.dtype, f"argument {place}")
    _check_dtype(output.dtype, "y")
    places = range(len(arguments))
    exact = tuple(_by_gradients(f, arguments, n) for n in places)
    step = DELTA if delta is None else delta
    return exact, tuple(_by_differences(f, arguments, n, output, step) for n in places)


def _check_dtype(dtype: DType, where: str) -> None:
    if not dtype.is_floating and not dtype.is_complex:
        raise AssertionError(
            f"Cannot compute gradient for unsupported type {dtype.name} of {where}"
        )


def _numbers(tensor: Tensor) -> int:
    """Return how many real numbers the elements consist of."""
    return prod(tensor.aval.shape) * (2 if tensor.dtype.is_complex else 1)


def _real(tensor: Tensor) -> Any:
    """Return the NumPy dtype of the real numbers of a tensor."""
    return tensor.dtype.real_dtype.as_numpy_dtype


def _by_gradients(f: Callable[..., Tensor], arguments: Sequence[Tensor], place: int) -> Array:
    """Return the Jacobian of which the gradients of a function are the rows."""
    x = arguments[place]
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(*arguments)

    def gradient(seed: Array) -> Any:
        found = tape.gradient(y, x, output_gradients=convert_to_tensor(seed, y.dtype))
        return None if found is None else convert_to_tensor(found).numpy()

    found = np.zeros((_numbers(y), _numbers(x)), _real(x))
    seed = np.zeros(y.aval.shape, y.dtype.as_numpy_dtype)
    parts = seed.reshape(-1).view(_real(y))
    for row in range(len(found)):
        parts[row] = 1
        slope = gradient(seed.copy())
        if slope is not None:
            found[row] = np.ascontiguousarray(slope).reshape(-1).view(found.dtype)
        parts[row] = 0
    if not len(found):
        _check_empty(gradient(seed), x)
    return found


def _check_empty(gradient: Array, x: Tensor) -> None:
    if gradient.shape != x.aval.shape:
        raise ValueError(
            f"Empty gradient has wrong shape: expected {x.shape}, got {gradient.shape}"
        )
    if np.any(gradient):
        raise ValueError("Empty tensor with nonzero gradients")


def _by_differences(
    f: Callable[..., Tensor], arguments: Sequence[Tensor], place: int, output: Tensor, delta: float
) -> Array:
    """Return the Jacobian of which central differences of a function are the columns."""
    x = arguments[place]
    values = np.array(x.numpy())
    parts = values.reshape(-1).view(_real(x))
    found = np.zeros((_numbers(output), _numbers(x)), _real(x))
    scale = np.asarray(2 * delta, _real(output))[()]

    def at(column: int, step: float) -> Array:
        """Return the result for an argument of which one number is increased by the step."""
        original = parts[column]
        parts[column] += step
        changed = convert_to_tensor(values.copy(), x.dtype)
        parts[column] = original
        return f(*arguments[:place], changed, *arguments[place + 1 :]).numpy()

    for column in range(found.shape[1]):
        difference = np.asarray((at(column, delta) - at(column, -delta)) / scale)
        found[:, column] = difference.reshape(-1).view(_real(output))
    return found
