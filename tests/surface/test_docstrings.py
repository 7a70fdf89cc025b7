"""Texts of public functions say what the parameters take that many functions have."""

from __future__ import annotations

import inspect

import pytest
from surface import public

SAID = (
    *("axes", "axis", "batch_dims", "data_format", "dilations", "dtype", "keepdims", "ksize"),
    *("padding", "perm", "strides"),
)
WITH_EXAMPLES = 640


@pytest.mark.parametrize("name", SAID)
def test_parameter(name: str) -> None:
    having = {
        path: inspect.getdoc(function) or ""
        for path, function in public.functions().items()
        if name in inspect.signature(function).parameters
    }
    assert having
    assert [path for path, text in having.items() if name not in text] == []


def test_most_used_functions_have_an_example() -> None:
    """They run in tests/api/test_package.py."""
    texts = (inspect.getdoc(function) or "" for function in public.functions().values())
    assert sum(">>> " in text for text in texts) >= WITH_EXAMPLES
