"""What makes a function an operation of ONNX.

A record is a function over tfpy's. Its positional parameters are the operation's inputs, and their
annotations say how they come: a ``Tensor``; an ``Array`` of the host, where values must be known
while a function is traced; ``Known``, as it is, where they had better be; or ``Any``, as it is.
Keyword-only parameters are the attributes, under ONNX's names; ``node`` and ``scope`` get what is
around the operation::

    @operation("Gather")
    def gather(data: Any, indices: Any, *, axis: int = 0) -> Any:

An operation that changed with a version of the operator set has a record for each meaning.
"""

from __future__ import annotations

import inspect
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tfpy._src.formats.node_graphs.custom import is_registered, missing, run_registered
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader.files import CALL
from tfpy._src.formats.onnx.reader.values import host, tensor
from tfpy._src.library.io.checked_json import ModelFileError

Ints = tuple[int, ...]
Floats = tuple[float, ...]
Strings = tuple[str, ...]
_F = TypeVar("_F", bound=Callable[..., Any])

Known = Any
_INPUTS: Mapping[str, Callable[[Any], Any]] = {
    "Tensor": tensor, "Array": host, "Known": lambda x: x, "Any": lambda x: x,
}  # fmt: skip
_DECIDE = ("Array", "Known")


def _tuple_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(isinstance(v, kind) for v in value)


_ATTRIBUTES: Mapping[str, Callable[[Any], bool]] = {
    "int": lambda value: isinstance(value, int),
    "float": lambda value: isinstance(value, int | float) and not math.isnan(value),
    "str": lambda value: isinstance(value, str),
    "Ints": _tuple_of(int),
    "Floats": lambda value: isinstance(value, tuple) and not _tuple_of(str)(value[:1] or ("",)),
    "Strings": _tuple_of(str),
    "Array": lambda value: isinstance(value, np.ndarray),
    "NodeGraph": lambda value: isinstance(value, NodeGraph),
    "dict[str, Any]": lambda value: isinstance(value, dict),
}


@dataclass(frozen=True)
class Operation:
    """An operation from a version of the operator set on."""

    name: str
    since: int
    function: Callable[..., Any]
    inputs: tuple[tuple[str, str, bool], ...]
    """Of each: its name, its kind, whether it may be absent."""
    rest: str | None
    """The kind of any number of further inputs."""
    attributes: Mapping[str, tuple[str, bool]]
    """By name: the kind, and whether it may be absent."""
    context: frozenset[str]
    """Which of ``node`` and ``scope`` it takes."""

    def run(self, node: Node, values: Sequence[Any], scope: Scope) -> Sequence[Any]:
        """The values that a node makes.

        Raises:
            ModelFileError: for attributes, or numbers of inputs, that the operation has not, or
                values that do not go together.
        """
        around = {"node": node, "scope": scope}
        keywords = {name: around[name] for name in self.context}
        taken, attributes = self._taken(node, values), self._attributes(node)
        try:
            made = self.function(*taken, **attributes, **keywords)
        except (ArithmeticError, AttributeError, IndexError, KeyError, MemoryError) as error:
            raise ModelFileError(
                f"{node.op} {node.name!r} cannot be computed with what the file says: {error!r}"
            ) from error
        results = made if isinstance(made, tuple) else (made,)
        if len(results) < len(node.outputs):
            raise ModelFileError(f"{node.op} gives {len(results)} values, not {len(node.outputs)}")
        return results[: len(node.outputs)]

    def _taken(self, node: Node, values: Sequence[Any]) -> list[Any]:
        if len(values) > len(self.inputs) and self.rest is None:
            raise ModelFileError(f"{node.op} takes {len(self.inputs)} inputs, not {len(values)}")
        padded = [*values, *[None] * (len(self.inputs) - len(values))]
        taken: list[Any] = []
        for (name, kind, optional), value in zip(self.inputs, padded, strict=False):
            if value is None and not optional:
                raise ModelFileError(f"{node.op} {node.name!r} lacks the input {name!r}")
            taken.append(None if value is None else _INPUTS[kind](value))
        more, convert = padded[len(self.inputs) :], _INPUTS[self.rest or "Any"]
        return [*taken, *(None if value is None else convert(value) for value in more)]

    def _attributes(self, node: Node) -> Mapping[str, Any]:
        for name, value in node.attrs.items():
            if name not in self.attributes:
                raise ModelFileError(f"{node.op} {node.name!r} has no attribute {name!r}")
            kind = self.attributes[name][0]
            if not _ATTRIBUTES[kind](value):
                raise ModelFileError(f"attribute {name!r} of {node.name!r} is no {kind}")
        for name, (_, optional) in self.attributes.items():
            if not optional and name not in node.attrs:
                raise ModelFileError(f"{node.op} {node.name!r} lacks the attribute {name!r}")
        return node.attrs


RECORDS: dict[str, list[Operation]] = defaultdict(list)
"""The operations by name, in the order of their versions."""


def operation(name: str, since: int = 1) -> Callable[[_F], _F]:
    """Makes a function the operation `name` from the version `since` of its operator set on.

    Operations of other domains than ONNX's own have the domain before their name.
    """

    def enter(function: _F) -> _F:
        RECORDS[name].append(_record(name, since, function))
        RECORDS[name].sort(key=lambda record: record.since)
        return function

    return enter


def _record(name: str, since: int, function: Callable[..., Any]) -> Operation:
    inputs, attributes, context, rest = [], {}, set(), None
    for parameter in inspect.signature(function).parameters.values():
        kind = str(parameter.annotation).removesuffix(" | None")
        optional = parameter.default is not parameter.empty
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = kind
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            inputs.append((parameter.name, kind, optional))
        elif parameter.name in ("node", "scope"):
            context.add(parameter.name)
        else:
            attributes[parameter.name] = (kind, optional)
    return Operation(name, since, function, tuple(inputs), rest, attributes, frozenset(context))


def find(name: str, version: int) -> Operation | None:
    """The operation that a version of the operator set means."""
    found = [record for record in RECORDS.get(name, ()) if record.since <= version]
    return found[-1] if found else None


class OnnxDialect:
    """ONNX's operations."""

    name = "ONNX"
    shape_ops = frozenset(("Shape", "Size"))

    def run(self, node: Node, inputs: list[Any], scope: Scope) -> Sequence[Any]:
        """The values of a node.

        Raises:
            UnimplementedError: when there is no such operation.
        """
        if node.op == CALL:
            graph: NodeGraph = node.attrs["function"]
            padded = [*inputs, *[None] * (len(graph.inputs) - len(inputs))]
            return scope.call(graph, padded)[: len(node.outputs)]
        if is_registered(node.op):
            return run_registered(node, inputs)
        found = find(node.op, node.version)
        if found is None:
            raise missing(self.name, node, f"in version {node.version}")
        return found.run(node, inputs, scope)

    def decides(self, node: Node) -> Sequence[str]:
        """Inputs that come as arrays of the host, conditions, and how often a loop runs."""
        found = None if is_registered(node.op) else find(node.op, node.version)
        if found is None:
            return ()
        kinds = [*(kind for _, kind, _ in found.inputs)]
        kinds += [found.rest or ""] * (len(node.inputs) - len(kinds))
        pairs = zip(node.inputs, kinds, strict=False)
        return [name for name, kind in pairs if name and kind in _DECIDE]

    def calls(self, node: Node) -> Sequence[str]:
        """Return nothing: the functions that nodes call are in their attributes."""
        return ()

    def outside(self, node: Node) -> str | None:
        """Return None: no operation of ONNX acts outside of its graph."""
        return None
