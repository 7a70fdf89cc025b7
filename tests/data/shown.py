"""What the twins of datasets compare: spec, cardinality and all elements."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
from api.same import error


def shown(lib: Any, dataset: Any, limit: int = 40) -> list[Any]:
    """The spec, the cardinality, and the first elements; of windows theirs."""
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
    """The first elements, of one tensor each, as Python has them."""
    return [np.asarray(x).tolist() for x in islice(iter(dataset), limit)]


def outcome(call: Callable[[], Any]) -> str:
    """The class of the error that a call raises, while it is made or iterated over."""

    def iterated() -> None:
        found = call()
        if hasattr(found, "element_spec"):
            list(found)

    return error(iterated)
