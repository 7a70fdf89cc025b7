"""Checks of the parameters and values of distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.distributions import functions as f


def logits_and_probs(
    logits: TensorLike | None, probs: TensorLike | None, is_vector: bool, validate: bool
) -> tuple[Any, Any]:
    """Return the logits and probabilities of a discrete distribution. One of them is given.

    Raises:
        ValueError: If both or none of them are given.
        TypeError: If the dtype is not a float dtype.
    """
    if (probs is None) == (logits is None):
        raise ValueError("Must pass probs or logits, but not both.")
    if probs is None:
        given = _floats(logits, "logits")
        if is_vector:
            given = at_least_two_events(given) if validate else given
            return given, f.softmax(given)
        return given, f.sigmoid(given)
    given = _floats(probs, "probs")
    if validate:
        given = f.checked(_assertions_about(given, is_vector), given)
    return (f.log(given) if is_vector else f.log(given) - f.log1p(-given)), given


def _assertions_about(probs: Any, is_vector: bool) -> list[Any]:
    found = [f.assert_non_negative(probs)]
    if is_vector:
        probs = at_least_two_events(probs)
        total = f.reduce_sum(probs, -1)
        found.append(f.assert_near(total, f.ones_like(total), message="probs does not sum to 1."))
    else:
        message = "probs has components greater than 1."
        found.append(f.assert_less_equal(probs, f.ones([], dtype=probs.dtype), message=message))
    return found


def _floats(value: TensorLike | None, name: str) -> Any:
    found = f.convert_to_tensor(value)
    if not found.dtype.is_floating:
        raise TypeError(f"{name} must having floating type.")
    return found


def at_least_two_events(parameter: Any) -> Any:
    """Return a parameter of shape `[..., k]`, after a check that k is at least 2.

    Raises:
        ValueError: If the rank or k is too small and known.
    """
    size = _number_of_events(parameter)
    largest = 2 ** (np.finfo(parameter.dtype.as_numpy_dtype).nmant + 1)
    if size is None:
        return f.checked(_assertions_about_size(parameter, largest), parameter)
    if size < 2:
        raise ValueError("A categorical-distribution parameter must have at least 2 events.")
    if size > largest:
        raise ValueError(
            f"Number of classes exceeds `dtype` precision, i.e., {parameter.dtype.name} implies "
            f"shape ({size}) cannot exceed {largest}."
        )
    return parameter


def _number_of_events(parameter: Any) -> int | None:
    """Return the last size of a parameter, or None if it is unknown."""
    known = TensorShape(parameter.shape)
    if known.rank is None:
        return None
    if known.rank == 0:
        raise ValueError("A categorical-distribution parameter must have at least 1 dimension.")
    size: int | None = known.as_list()[-1]
    return size


def _assertions_about_size(parameter: Any, largest: int) -> list[Any]:
    size = f.shape(parameter)[-1]
    subject = "A categorical-distribution parameter must have at least"
    excess = (
        f"Number of classes exceeds `dtype` precision, i.e., {parameter.dtype.name} dtype cannot "
        f"exceed {largest} shape."
    )
    return [
        f.assert_rank_at_least(parameter, 1, message=f"{subject} 1 dimension."),
        f.assert_greater_equal(size, 2, message=f"{subject} 2 events."),
        f.assert_less_equal(size, largest, message=excess),
    ]


def integer_form(value: Any, message: str, target: DType = dtypes.int32) -> Any:
    """Assert that floats have no fractional parts."""
    return f.assert_equal(value, f.cast(f.cast(value, target), value.dtype), message=message)


def counts(value: Any) -> Any:
    """Return a tensor after a check that it contains no negative numbers and no fractions."""
    found = [f.assert_non_negative(value, message=f"'{value}' must be non-negative.")]
    if not value.dtype.is_integer:
        found.append(integer_form(value, f"'{value}' cannot contain fractional components."))
    return f.checked(found, value)


def events(value: Any, target: DType) -> Any:
    """Return events after a check that they are numbers of the dtype `target`, at least 0."""
    found = [f.assert_non_negative(value, message="Elements must be non-negative.")]
    if value.dtype.is_floating:
        message = f"Elements must be {target.name}-equivalent."
        found.append(integer_form(value, message, target))
    elif target is dtypes.bool:
        found.append(f.assert_less_equal(value, 1, message="Elements cannot exceed 1."))
    return f.checked(found, value)


def log_combinations(total: Any, parts: Any) -> Any:
    """Return the logarithms of the numbers of arrangements of `total` things of several kinds."""
    return f.lgamma(total + 1) - f.reduce_sum(f.lgamma(parts + 1), -1)
