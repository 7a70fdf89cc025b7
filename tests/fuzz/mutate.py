"""Corruption of real Programs: fields are changed, removed, duplicated or get other types."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from .values import Rng, choose

Path = tuple[Any, ...]

NUMBERS = (0, 1, -1, 2, 3, 7, 255, 256, 65536, 2**20, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 0.5)
OTHERS: tuple[Any, ...] = (None, "", "x", [], {}, True, -1, [0], "float32", "int32", "bool", 1e300)


def mutated(rng: Rng, text: str) -> str:
    """Return the JSON text of a Program with one to three changes."""
    if rng.random() < 0.03:
        return _torn(rng, text)
    document = json.loads(text)
    for _ in range(int(choose(rng, (1, 1, 2, 3)))):
        _change(rng, document)
    return json.dumps(document)


def _torn(rng: Rng, text: str) -> str:
    """Return a text that is truncated or has one other character."""
    at = int(rng.integers(len(text)))
    return (
        text[:at] if rng.random() < 0.5 else text[:at] + chr(rng.integers(1, 127)) + text[at + 1 :]
    )


def _change(rng: Rng, document: Any) -> None:
    paths = list(_paths(document))
    if not paths:
        return
    *way, last = choose(rng, paths)
    parent = document
    for key in way:
        parent = parent[key]
    value, kind = parent[last], rng.random()
    if kind < 0.12:
        del parent[last]
    elif kind < 0.24 and isinstance(parent, list):
        parent.insert(int(rng.integers(len(parent) + 1)), copy.deepcopy(value))
    elif kind < 0.34:
        parent[last] = copy.deepcopy(choose(rng, OTHERS))
    elif kind < 0.44:  # a value from another place
        *other, end = choose(rng, paths)
        found = document
        for key in (*other, end):
            found = found[key]
        parent[last] = copy.deepcopy(found)
    else:
        parent[last] = _near(rng, value)


def _near(rng: Rng, value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        near = (value + 1, value - 1, 2 * value, -value, value + 4)
        return choose(rng, NUMBERS if rng.random() < 0.4 else near)
    if isinstance(value, str):
        return choose(rng, ("", value[1:], value + "_", "sum", "max", "float32", "bool", "relu"))
    if isinstance(value, list):
        return value[::-1] if rng.random() < 0.5 else [*value, *value]
    return {}


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of a document, except shader sources, where any text is a program."""
    items: Any = ()
    if isinstance(value, dict):
        items = [(k, v) for k, v in value.items() if k != "source"]
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield (*path, key)
        yield from _paths(item, (*path, key))
