"""The signature of an operation, in one line of text.

    Split(split_dim, value; num_split) -> output*num_split

Inputs, then attributes after the semicolon with their defaults, then outputs. ``name*attr`` is a
list of tensors; the attribute says how many (a number), or of which dtypes. Attributes that follow
from the inputs, as the dtypes of most operations do, are left out.
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
"""In place of a default: the attribute must be given."""

_SHAPE = re.compile(r"(\w+)\((.*)\)(?: -> (.*))?", re.DOTALL)
_COMMA = re.compile(r", (?![^\[]*\])")


@dataclass(frozen=True, slots=True)
class OperationPort:
    """An input or an output."""

    name: str
    count: str = ""
    """Of a list: the attribute that says how many, or of which dtypes. Empty for one tensor."""


@dataclass(frozen=True, slots=True)
class OperationSignature:
    """What an operation takes and gives, in TensorFlow's order."""

    name: str
    inputs: tuple[OperationPort, ...]
    attrs: Mapping[str, Any]
    """Attributes and their defaults, or :data:`REQUIRED`."""
    outputs: tuple[OperationPort, ...]

    def grouped(self, flat: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
        """The inputs of a node, which follow each other, as one for each input of the operation.

        Raises:
            InvalidArgumentError: when there are too few or too many.
        """
        counts = [_count(port, attrs) for port in self.inputs]
        unknown = [i for i, n in enumerate(counts) if n is None]
        rest = len(flat) - sum(n for n in counts if n is not None)
        if unknown:  # lists of one length, as far as graphs without that attribute go
            for i in unknown:
                counts[i] = rest // len(unknown)
            rest %= len(unknown)
        if rest or any(n is not None and n < 0 for n in counts):
            wanted = ", ".join(f"{p.name}*{p.count}" if p.count else p.name for p in self.inputs)
            raise invalid(self.name, f"takes ({wanted}), but there are {len(flat)} inputs")
        found, at = [], 0
        for port, n in zip(self.inputs, counts, strict=True):
            assert n is not None
            found.append(list(flat[at : at + n]) if port.count else flat[at])
            at += n
        return found


def _count(port: OperationPort, attrs: Mapping[str, Any]) -> int | None:
    """How many tensors an input is; None if a graph does not say."""
    if not port.count:
        return 1
    said = attrs.get(port.count)
    return said if said is None or isinstance(said, int) else len(said)


def parsed(text: str) -> OperationSignature:
    """A signature of its text."""
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
    """A default: a value of Python, or a dtype's name."""
    if text.lstrip("-") == "inf":
        return float(text)
    found = getattr(dtypes, text, None)
    return found if isinstance(found, dtypes.DType) else ast.literal_eval(text)
