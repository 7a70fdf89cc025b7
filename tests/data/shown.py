"""Helpers that compare datasets: spec, cardinality and all elements."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
from api.same import error


def shown(lib: Any, dataset: Any, limit: int = 40) -> list[Any]:
    """Return the spec, the cardinality and the first elements, with the elements of windows."""
    elements = [_element(lib, e) for e in islice(iter(dataset), limit)]
    return [repr(dataset.element_spec), int(dataset.cardinality()), elements]


def _element(lib: Any, value: Any) -> Any:
    if isinstance(value, lib.data.Dataset):
        return shown(lib, value)
    if isinstance(value, dict):
        return {key: _element(lib, item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_element(lib, item) for item in value]
    return value


def numbers(dataset: Any, limit: int = 40) -> list[Any]:
    """Return the first elements as Python values. Each element is one tensor."""
    return [np.asarray(x).tolist() for x in islice(iter(dataset), limit)]


def outcome(call: Callable[[], Any]) -> str:
    """Return the error class of a call, raised when it is made or iterated over."""

    def iterated() -> None:
        found = call()
        if hasattr(found, "element_spec"):
            list(found)

    return error(iterated)
