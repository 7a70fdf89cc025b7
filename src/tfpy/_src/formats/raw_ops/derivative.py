"""Helpers for TensorFlow's gradient operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast, ones_like
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.autodiff.unconnected import UnconnectedGradients

_HALF = 1 << 16


def pulled_back(function: Callable[[Tensor], Tensor], x: Any, dy: Any) -> Tensor:
    """Return the gradient of `function` at `x` for the output gradient `dy`."""
    at, given = convert_to_tensor(x), convert_to_tensor(dy)
    if at.dtype.is_integer and given.dtype.is_integer:
        return _pulled_back_integers(function, at, given)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(at)
        y = function(at)
    return tape.gradient(y, at, dy, unconnected_gradients=UnconnectedGradients.ZERO)


def _pulled_back_integers(function: Callable[[Tensor], Tensor], x: Tensor, dy: Tensor) -> Tensor:
    """Return a gradient of integers, for which tapes have none.

    The gradient is linear in `dy`. So float32 computes it exactly for both halves of the integers.
    """
    at, numbers = cast(x, dtypes.float32), cast(dy, dtypes.int32)
    high = numbers // _HALF
    parts = [
        pulled_back(function, at, cast(part, dtypes.float32))
        for part in (high, numbers - high * _HALF)
    ]
    first, second = (cast(part, dtypes.int32) for part in parts)
    return cast(first * _HALF + second, x.dtype)


def of_tensors(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation that converts its inputs to tensors and applies a formula."""

    def operation(*inputs: Any, **attrs: Any) -> Any:
        first = convert_to_tensor(inputs[0])
        others = [convert_to_tensor(x, dtype_hint=first.dtype) for x in inputs[1:]]
        return formula(first, *others, **attrs)

    return operation


def loss_of_logits(loss: Any) -> Any:
    """Return a function that returns a loss of logits and its gradient with respect to them."""

    def both(features: Any, labels: Any) -> tuple[Tensor, Tensor]:
        logits = convert_to_tensor(features)
        given = loss(labels, logits)
        return given, pulled_back(lambda x: loss(labels, x), logits, ones_like(given))

    return both
