"""``@prints_the_same``: a test that runs a program with TensorFlow and with tfpy.

What the two print must be the same text, apart from dtypes that tfpy narrows, the spelling of
numbers after rounding and of array padding, and identities.
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
    """Makes a test of ``program(tf, print)``."""

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
    """Asserts that the words are the same and the numbers are near."""
    words, numbers = zip(*(parts(text) for text in (mine, wanted)), strict=True)
    assert words[0] == words[1]
    np.testing.assert_allclose(numbers[0], numbers[1], rtol=2e-5, atol=1e-6)


def parts(text: str) -> tuple[list[str], list[float]]:
    """The text without numbers, word by word, and the numbers."""
    for wide, narrow in NARROWED.items():
        text = text.replace(wide, narrow)
    text = re.sub(r", dtype=(?:int32|float32)\)", ")", text)  # NumPy leaves out its defaults
    numbers = [float(n) for n in NUMBER.findall(text)]
    text = re.sub(r"\s+,", ",", NUMBER.sub("#", text))  # NumPy pads short numbers
    return re.sub(r"([\[\]])", r" \1 ", text).split(), numbers


def attempts(print: Callable[..., None]) -> Callable[..., None]:
    """Gives a function that prints what its arguments are, or give: the class of an error."""

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
    """The class name of what the call raises."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "nothing"
