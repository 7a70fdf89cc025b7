"""Public functions have TensorFlow's parameters, with the same names in the same order."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

import tfpy

NAMESPACES = ("", "math", "nn", "linalg", "random", "bitwise", "strings", "sparse", "ragged")
NOT_TAKEN = {
    "layout",
    "dim",
}
"""TensorFlow's parameters for placement, and old names."""
ADDED = {"quantize"}
"""Keyword-only parameters that TensorFlow does not have."""
OTHER = {"group", "meshgrid", "print"}
"""Functions with variadic arguments. Their options are listed here."""


def functions() -> Iterator[Any]:
    for namespace in NAMESPACES:
        ours = getattr(tfpy, namespace) if namespace else tfpy
        theirs = getattr(tf, namespace) if namespace else tf
        for name in dir(ours):
            found = getattr(ours, name)
            named = not name.startswith("_") and hasattr(theirs, name)
            if named and callable(found) and not inspect.isclass(found) and name not in OTHER:
                yield pytest.param(found, getattr(theirs, name), id=f"{namespace}.{name}")


@pytest.mark.parametrize(("ours", "theirs"), list(functions()))
def test_parameters(ours: Any, theirs: Any) -> None:
    mine, wanted = (list(inspect.signature(f).parameters) for f in (ours, theirs))
    added = [p for p in mine if p in ADDED and p not in wanted]
    assert [p for p in mine if p not in added] == [p for p in wanted if p not in NOT_TAKEN]
    assert all(inspect.signature(ours).parameters[p].kind.name == "KEYWORD_ONLY" for p in added)
