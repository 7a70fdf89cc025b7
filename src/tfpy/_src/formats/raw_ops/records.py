"""The record of a TensorFlow graph operation: its signature and function.

    op("Cumsum(x, axis; exclusive=False, reverse=False) -> out", cumsum)

The function receives the inputs by position and, by name, the attributes for which it has
parameters. It returns the outputs in order: one value, a tuple for several outputs, a list for a
list.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.backends.registry import on_host
from tfpy._src.base import dtypes
from tfpy._src.base.errors import UnimplementedError, invalid
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.absent import reason

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


Function = Callable[..., Any]

RECORDS: dict[str, Record] = {}
"""Operations by name."""

_DISCRETE = frozenset(
    (
        *(dtypes.bool, dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32),
        *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
    )
)
_FEW = 1024
"""Size in bytes up to which known floats are computed on the host."""


class Record:
    """An operation: its signature, and the function that computes it.

    Attributes:
        text: Signature, as `parsed` reads it.
        function: Function of the inputs by position and attributes by name.
        stateful: True if two runs on the same inputs may differ, or if a run has side effects.
    """

    def __init__(self, text: str, function: Function, stateful: bool) -> None:
        self.text = text
        self.function = function
        self.stateful = stateful

    @functools.cached_property
    def signature(self) -> OperationSignature:
        """Inputs, attributes and outputs."""
        return parsed(self.text)

    @functools.cached_property
    def taken(self) -> tuple[str, ...]:
        """Attributes that the function accepts; the others do not affect the result in tfpy."""
        parameters = inspect.signature(self.function).parameters.values()
        by_kind: dict[Any, list[str]] = {}
        for parameter in parameters:
            by_kind.setdefault(parameter.kind, []).append(parameter.name)
        positional = by_kind.get(inspect.Parameter.POSITIONAL_OR_KEYWORD, [])
        names = positional[len(self.signature.inputs) :]
        names += by_kind.get(inspect.Parameter.KEYWORD_ONLY, [])
        every = inspect.Parameter.VAR_KEYWORD in by_kind
        return tuple(name for name in self.signature.attrs if every or name in names)

    @functools.cached_property
    def public(self) -> Function:
        """Function in `tf.raw_ops`."""
        return _public(self)

    @functools.cached_property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the public function, inputs first, with defaults or `REQUIRED`."""
        inputs = {port.name: REQUIRED for port in self.signature.inputs}
        return {**inputs, **self.signature.attrs}

    @functools.cached_property
    def result(self) -> Function:
        """Named tuple type for several outputs."""
        names = [port.name for port in self.signature.outputs]
        return namedtuple(self.signature.name.lstrip("_"), names)

    def bound(self, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Split keyword arguments into inputs and attributes.

        Raises:
            TypeError: If an argument is missing or unknown.
        """
        name = self.signature.name
        if unknown := [key for key in given if key not in self.parameters]:
            raise TypeError(f"{name}() got an unexpected keyword argument {unknown[0]!r}")
        required = [key for key, value in self.parameters.items() if value is REQUIRED]
        if missing := [repr(key) for key in required if key not in given]:
            count = f"{len(missing)} required argument{'s' if len(missing) > 1 else ''}"
            raise TypeError(f"{name}() missing {count}: {' and '.join(missing)}")
        inputs = [given[port.name] for port in self.signature.inputs]
        return inputs, {key: given[key] for key in self.signature.attrs if key in given}

    def call(self, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
        """Compute the outputs for grouped inputs."""
        defaults = self.signature.attrs
        found = self.function(*inputs, **{k: attrs.get(k, defaults[k]) for k in self.taken})
        outputs = self.signature.outputs
        return list(found) if len(outputs) > 1 else [found] if outputs else []

    def run(self, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> dict[str, Any]:
        """Compute the outputs of a node in a graph, by name and in order.

        Small values that are known during tracing, such as shapes, are computed by NumPy. Integers,
        booleans and strings among them become NumPy arrays, so that they stay known.

        Args:
            inputs: Tensors or NumPy arrays in a flat list, as a node has them.
            attrs: Attributes as Python values; unknown ones are ignored.

        Raises:
            InvalidArgumentError: If the number of inputs is wrong, or an attribute is missing.
        """
        signature = self.signature
        for name in self.taken:
            if signature.attrs[name] is REQUIRED and name not in attrs:
                raise invalid(signature.name, f"the attribute {name!r} is missing")
        values = signature.grouped(inputs, attrs)
        known = (
            bool(inputs)
            and not self.stateful
            and not any(map(callable, attrs.values()))
            and all(map(_is_known, inputs))
        )
        with on_host() if known else nullcontext():
            found = self.call(values, attrs)
        names = (port.name for port in signature.outputs)
        return dict(zip(names, map(_settled, found), strict=True))


def op(text: str, function: Function, *, stateful: bool = False) -> None:
    """Register an operation."""
    RECORDS[text.partition("(")[0]] = Record(text, function, stateful)


def record(name: str) -> Record:
    """Return the operation of that name.

    Raises:
        UnimplementedError: If it is not supported; the message contains the reason.
    """
    found = RECORDS.get(name)
    if found is None:
        raise UnimplementedError(
            None, None, f"TensorFlow's operation {name} is not supported: {reason(name)}"
        )
    return found


def _public(record: Record) -> Function:
    """Return an operation as a function of keyword arguments."""
    name = record.text.partition("(")[0]

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{name} only takes keyword args (possible keys: {[*record.parameters, 'name']}). "
                "Please pass these args as kwargs instead."
            )
        kwargs.pop("name", None)
        inputs, attrs = record.bound(kwargs)
        found = record.call(inputs, attrs)
        return record.result(*found) if len(found) > 1 else found[0] if found else None

    vars(call)["record"] = record
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Run TensorFlow's operation `{record.text}`."
    return call


def _is_known(value: Any) -> bool:
    """Return True if the value is on the host: an array, or a small tensor."""
    if isinstance(value, np.ndarray):
        return True
    return type(value) is Tensor and value.aval.nbytes <= _FEW and _is_here(value)


def _is_here(tensor: Tensor) -> bool:
    storage = tensor.storage
    return storage.host is not None or (storage.backend is not None and storage.backend.on_host)


def _settled(value: Any) -> Any:
    """Convert discrete outputs on the host to arrays."""
    if isinstance(value, list):
        return [_settled(item) for item in value]
    if type(value) is Tensor and value.dtype in _DISCRETE and _is_here(value):
        return value.host_view()
    return value
