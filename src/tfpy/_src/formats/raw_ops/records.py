"""The record of a TensorFlow graph operation: its signature and function.

    op("Cumsum(x, axis; exclusive=False, reverse=False) -> out", cumsum)

The function receives the inputs by position and, by name, the attributes for which it has
parameters. It returns the outputs in order: one value, a tuple for several outputs, a list for a
list.
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
        text: Signature, in the language of `formats.raw_ops.signature`.
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
