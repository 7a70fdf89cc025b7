"""The decorator ``@prints_the_same``, which makes a test of a program for TensorFlow and tfpy.

Both libraries must print the same text. Dtypes that tfpy narrows, the format of numbers after
rounding and the padding of arrays may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

NARROWED = {"int64": "int32", "float64": "float32", "complex128": "complex64"}
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")


def prints_the_same(program: Callable[[Any, Callable[..., None]], None]) -> Callable[..., None]:
    """Return a test that runs ``program(tf, print)`` with both libraries."""

    def test(capsys: pytest.CaptureFixture[str]) -> None:
        texts = []
        for library in (tfpy, tensorflow):
            program(library, print)
            texts.append(capsys.readouterr().out)
        compare(*texts)

    test.__name__ = program.__name__
    test.__doc__ = program.__doc__
    return test


def compare(mine: str, wanted: str) -> None:
    """Check that the words are equal and the numbers are close."""
    words, numbers = zip(*(parts(text) for text in (mine, wanted)), strict=True)
    assert words[0] == words[1]
    np.testing.assert_allclose(numbers[0], numbers[1], rtol=2e-5, atol=1e-6)


def parts(text: str) -> tuple[list[str], list[float]]:
    """Split a text into its words without numbers, and its numbers."""
    for wide, narrow in NARROWED.items():
        text = text.replace(wide, narrow)
    text = re.sub(r", dtype=(?:int32|float32)\)", ")", text)  # NumPy leaves out its defaults
    numbers = [float(n) for n in NUMBER.findall(text)]
    text = re.sub(r"\s+,", ",", NUMBER.sub("#", text))  # NumPy pads short numbers
    return re.sub(r"([\[\]])", r" \1 ", text).split(), numbers


def attempts(print: Callable[..., None]) -> Callable[..., None]:
    """Return a function that prints its arguments.

    It calls arguments that are lambdas, and prints the result or the class name of the error.
    """

    def attempt(*values: Any) -> None:
        for value in values:
            if getattr(value, "__name__", "") != "<lambda>":
                print(repr(value))
                continue
            try:
                print(repr(value()))
            except Exception as error:
                print(type(error).__name__)

    return attempt


def refused(call: Callable[[], Any]) -> str:
    """Return the class name of the exception that a call raises, or "nothing"."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "nothing"
