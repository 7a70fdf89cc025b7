"""tfpy has every public op of TensorFlow.js, and every function of tfpy has a call."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import tensorflow as tf
from surface.calls import ALONE, CALLS
from surface.inventory import INVENTORY, NO_CALL, groups

import tfpy


def found(lib: Any, path: str) -> Any:
    """Return ``lib.<path>``, or None."""
    return functools.reduce(lambda at, name: getattr(at, name, None), path.split("."), lib)


def test_counts() -> None:
    assert len(INVENTORY) == 256


@pytest.mark.parametrize("name", INVENTORY)
def test_callable(name: str) -> None:
    assert callable(found(tfpy, INVENTORY[name]))


def test_every_function_has_one_call() -> None:
    names = [[name for name in group if name in CALLS or name in NO_CALL] for group in groups()]
    assert [group for group, own in zip(groups(), names, strict=True) if len(own) != 1] == []
    assert sorted(name for group in names for name in group) == sorted({*CALLS, *NO_CALL})


@pytest.mark.parametrize("name", CALLS)
def test_what_tensorflow_has_is_compared_with_it(name: str) -> None:
    """Check the marks of functions that TensorFlow lacks or has under another name."""
    assert (found(tf, name) is None) == (name in ALONE or not isinstance(CALLS[name], str))
