"""The signature of an operation, as one line of text.

    Split(split_dim, value; num_split) -> output*num_split

It lists inputs, then attributes with defaults after the semicolon, then outputs. `name*attr` is a
list of tensors; the attribute is their number, or the list of their dtypes. Attributes that follow
from the inputs, such as the dtypes of most operations, are omitted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid

REQUIRED = object()
"""Placeholder for the default of a required attribute."""

_SHAPE = re.compile(r"(\w+)\((.*)\)(?: -> (.*))?", re.DOTALL)
_COMMA = re.compile(r", (?![^\[]*\])")


@dataclass(frozen=True, slots=True)
class OperationPort:
    """An input or an output."""

    name: str
    count: str = ""
    """For a list, the attribute with the number or dtypes of its tensors; empty for one tensor."""


@dataclass(frozen=True, slots=True)
class OperationSignature:
    """The inputs, attributes and outputs of an operation, in TensorFlow's order."""

    name: str
    inputs: tuple[OperationPort, ...]
    attrs: Mapping[str, Any]
    """Attributes with their defaults, or `REQUIRED`."""
    outputs: tuple[OperationPort, ...]

    def grouped(self, flat: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
        """Group the flat list of a node's inputs by the inputs of the operation.

        Raises:
            InvalidArgumentError: If the number of inputs is wrong.
        """
        counts = [_count(port, attrs) for port in self.inputs]
        unknown = [i for i, n in enumerate(counts) if n is None]
        rest = len(flat) - sum(n for n in counts if n is not None)
        if unknown:  # without the attribute, assume lists of equal length
            for i in unknown:
                counts[i] = rest // len(unknown)
            rest %= len(unknown)
        if rest or any(n is not None and n < 0 for n in counts):
            wanted = ", ".join(f"{p.name}*{p.count}" if p.count else p.name for p in self.inputs)
            raise invalid(self.name, f"the inputs must be ({wanted}), got {len(flat)} tensors")
        found, at = [], 0
        for port, n in zip(self.inputs, counts, strict=True):
            assert n is not None
            found.append(list(flat[at : at + n]) if port.count else flat[at])
            at += n
        return found


def _count(port: OperationPort, attrs: Mapping[str, Any]) -> int | None:
    """Return the number of tensors of an input; None if a graph does not specify it."""
    if not port.count:
        return 1
    said = attrs.get(port.count)
    return said if said is None or isinstance(said, int) else len(said)


def parsed(text: str) -> OperationSignature:
    """Parse the text of a signature."""
    match = _SHAPE.fullmatch(text)
    assert match, text
    name, taken, given = match.groups()
    inputs, _, attrs = taken.partition(";")
    pairs = (part.strip().partition("=") for part in _COMMA.split(attrs) if part.strip())
    return OperationSignature(
        name,
        _ports(inputs),
        {key: _literal(value) if is_ else REQUIRED for key, is_, value in pairs},
        _ports(given or ""),
    )


def _ports(text: str) -> tuple[OperationPort, ...]:
    return tuple(OperationPort(*part.split("*")) for part in text.split(", ") if part)


def _literal(text: str) -> Any:
    """Parse a default: a Python literal, or the name of a dtype."""
    if text.lstrip("-") == "inf":
        return float(text)
    found = getattr(dtypes, text, None)
    return found if isinstance(found, dtypes.DType) else ast.literal_eval(text)
