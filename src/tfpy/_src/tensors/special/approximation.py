"""Polynomials and Chebyshev series, and functions with a derivative in closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base.dtypes import bfloat16, float16, float32
from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.autodiff.custom import custom_gradient


def polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """Return the value of a polynomial."""
    result: Any = coefficients[0]
    for c in coefficients[1:]:
        result = result * x + c
    found: Tensor = result
    return found


def quotient(x: Tensor, numerator: Sequence[float], denominator: Sequence[float]) -> Tensor:
    """Return the quotient of two polynomials."""
    return polynomial(x, numerator) / polynomial(x, denominator)


def chebyshev(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """Return the value of a Chebyshev series at x / 2, whose last term has half its weight."""
    first: Any = coefficients[0]
    second: Any = 0.0
    third: Any = 0.0
    for c in coefficients[1:]:
        third, second = second, first
        first = x * second - third + c
    found: Tensor = (first - third) * 0.5
    return found


def differentiable(
    name: str,
    function: Callable[[Tensor], Tensor],
    derivative: Callable[[Tensor, Tensor], Tensor],
) -> Callable[[TensorLike], Tensor]:
    """Return a function of float tensors.

    Args:
        name: Name of the function in errors.
        function: Function of a tensor of 32 or 64 bits.
        derivative: Function of the argument and the value.
    """

    @custom_gradient
    def computed(x: Tensor) -> Any:
        is_short = x.dtype in (float16, bfloat16)
        y = cast(function(cast(x, float32)), x.dtype) if is_short else function(x)
        return y, lambda g: g * derivative(x, y)

    def call(x: TensorLike) -> Tensor:
        given = convert_to_tensor(x)
        if not given.dtype.is_floating:
            raise invalid(name, f"x must be a float tensor, got {given.dtype.name}")
        found: Tensor = computed(given)
        return found

    return call
