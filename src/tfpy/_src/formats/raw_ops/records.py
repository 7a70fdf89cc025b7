"""What an operation of TensorFlow's graphs is: one record, of a signature and a function.

    op("Cumsum(x, axis; exclusive=False, reverse=False) -> out", cumsum)

The function takes the inputs by position and, by name, those attributes that it has parameters for;
what it gives are the outputs in order: a value for one, a tuple for several, a list for a list.
"""

from __future__ import annotations

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from tfpy._src.backends.registry import on_host
from tfpy._src.base import dtypes
from tfpy._src.base.errors import UnimplementedError, invalid
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.absent import reason
from tfpy._src.formats.raw_ops.signature import REQUIRED, OperationSignature, parsed

Function = Callable[..., Any]

RECORDS: dict[str, Record] = {}
"""Every operation by its name."""

_DISCRETE = frozenset(
    (
        *(dtypes.bool, dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32),
        *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
    )
)
_FEW = 1024
"""Bytes of floats up to which what is known is computed beside the device."""


class Record:
    """An operation: its signature, and the function that computes it.

    Attributes:
        text: the signature, in the language of
            :mod:`tfpy._src.formats.raw_ops.signature`.
        function: takes the inputs by position, attributes by name.
        stateful: whether two runs on the same inputs may differ, or change something.
    """

    def __init__(self, text: str, function: Function, stateful: bool) -> None:
        self.text = text
        self.function = function
        self.stateful = stateful

    @functools.cached_property
    def signature(self) -> OperationSignature:
        """What it takes and gives."""
        return parsed(self.text)

    @functools.cached_property
    def taken(self) -> tuple[str, ...]:
        """The attributes that the function takes; others change no value here."""
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
        """The function of ``tf.raw_ops``."""
        return _public(self)

    @functools.cached_property
    def parameters(self) -> dict[str, Any]:
        """What the public function takes, inputs first, and defaults or :data:`REQUIRED`."""
        inputs = {port.name: REQUIRED for port in self.signature.inputs}
        return {**inputs, **self.signature.attrs}

    @functools.cached_property
    def result(self) -> Function:
        """The named tuple of several outputs."""
        names = [port.name for port in self.signature.outputs]
        return namedtuple(self.signature.name.lstrip("_"), names)

    def bound(self, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Arguments by name as inputs and attributes.

        Raises:
            TypeError: when one is missing or unknown.
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
        """The outputs for grouped inputs."""
        defaults = self.signature.attrs
        found = self.function(*inputs, **{k: attrs.get(k, defaults[k]) for k in self.taken})
        outputs = self.signature.outputs
        return list(found) if len(outputs) > 1 else [found] if outputs else []

    def run(self, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs, by name and in order, of a node in a graph.

        Small values that are known while a graph is traced, such as shapes, are computed by NumPy,
        and integers, booleans and texts among them are NumPy arrays, so that they stay known.

        Args:
            inputs: tensors or NumPy arrays one after the other, as a node has them.
            attrs: of Python's own types; those that the operation does not have are ignored.

        Raises:
            InvalidArgumentError: for a wrong number of inputs, or attributes that are missing.
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
    """Enters an operation."""
    RECORDS[text.partition("(")[0]] = Record(text, function, stateful)


def record(name: str) -> Record:
    """The operation of that name.

    Raises:
        UnimplementedError: when there is none; the text says why.
    """
    found = RECORDS.get(name)
    if found is None:
        raise UnimplementedError(None, None, f"TensorFlow's operation {name}: {reason(name)}")
    return found


def _public(record: Record) -> Function:
    """An operation as a function that takes everything by name."""
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

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``{record.text}``: the operation of TensorFlow's graphs."
    return call


def _is_known(value: Any) -> bool:
    """Whether the host has a value: an array, or a small tensor."""
    if isinstance(value, np.ndarray):
        return True
    return type(value) is Tensor and value.aval.nbytes <= _FEW and _is_here(value)


def _is_here(tensor: Tensor) -> bool:
    storage = tensor.storage
    return storage.host is not None or (storage.backend is not None and storage.backend.on_host)


def _settled(value: Any) -> Any:
    """An output of a node: discrete values that the host has are arrays."""
    if isinstance(value, list):
        return [_settled(item) for item in value]
    if type(value) is Tensor and value.dtype in _DISCRETE and _is_here(value):
        return value.host_view()
    return value
