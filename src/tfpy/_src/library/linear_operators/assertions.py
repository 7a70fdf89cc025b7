"""Assertions about the numbers of linear operators."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.primitives import abs as magnitude
from tfpy._src.library.debugging.assertions import assert_equal, assert_less
from tfpy._src.tensors.array.complex_numbers import imag


def assert_nonzero(x: Any, message: str) -> None:
    """Assert that no number is zero."""
    size = magnitude(x)
    assert_less(size * 0, size, message)


def assert_real(x: Any, message: str) -> None:
    """Assert that no number has an imaginary part."""
    if x.dtype.is_complex:
        parts = imag(x)
        assert_equal(parts * 0, parts, message)
