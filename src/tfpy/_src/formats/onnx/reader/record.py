"""The decorator that registers functions as ONNX operations.

A record is a Python function on tensors. Its positional parameters are the inputs of the operation,
and their annotations specify the form: `Tensor` for a tensor; `Array` for a host array, if the
values must be known during tracing; `Known` for an unconverted value that should be known during
tracing; `Any` for an unconverted value. Keyword-only parameters are attributes with ONNX's names.
The parameters `node` and `scope` receive the node and its scope::

    @operation("Gather")
    def gather(data: Any, indices: Any, *, axis: int = 0) -> Any:

An operation that changed with a version of the operator set has one record for each variant.
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
    """An operation, valid from one version of the operator set."""

    name: str
    since: int
    function: Callable[..., Any]
    inputs: tuple[tuple[str, str, bool], ...]
    """Name, kind, and whether it is optional, of each input."""
    rest: str | None
    """Kind of further inputs; None if their number is fixed."""
    attributes: Mapping[str, tuple[str, bool]]
    """Kind, and whether it is optional, of each attribute by name."""
    context: frozenset[str]
    """Context parameters of the function: a subset of `node` and `scope`."""

    def run(self, node: Node, values: Sequence[Any], scope: Scope) -> Sequence[Any]:
        """Compute the outputs of a node.

        Raises:
            ModelFileError: If the attributes, the number of inputs or the values are invalid for
                the operation.
        """
        around = {"node": node, "scope": scope}
        keywords = {name: around[name] for name in self.context}
        taken, attributes = self._taken(node, values), self._attributes(node)
        try:
            made = self.function(*taken, **attributes, **keywords)
        except (ArithmeticError, AttributeError, IndexError, KeyError, MemoryError) as error:
            raise ModelFileError(
                f"{node.op} {node.name!r} cannot be computed with the values in the file: {error!r}"
            ) from error
        results = made if isinstance(made, tuple) else (made,)
        if len(results) < len(node.outputs):
            raise ModelFileError(
                f"{node.op} {node.name!r} expects {len(node.outputs)} outputs, but the operation "
                "has "
                f"{len(results)}."
            )
        return results[: len(node.outputs)]

    def _taken(self, node: Node, values: Sequence[Any]) -> list[Any]:
        if len(values) > len(self.inputs) and self.rest is None:
            raise ModelFileError(f"{node.op} has {len(self.inputs)} inputs, got {len(values)}.")
        padded = [*values, *[None] * (len(self.inputs) - len(values))]
        taken: list[Any] = []
        for (name, kind, optional), value in zip(self.inputs, padded, strict=False):
            if value is None and not optional:
                raise ModelFileError(f"{node.op} {node.name!r} requires the input {name!r}.")
            taken.append(None if value is None else _INPUTS[kind](value))
        more, convert = padded[len(self.inputs) :], _INPUTS[self.rest or "Any"]
        return [*taken, *(None if value is None else convert(value) for value in more)]

    def _attributes(self, node: Node) -> Mapping[str, Any]:
        for name, value in node.attrs.items():
            if name not in self.attributes:
                raise ModelFileError(f"{node.op} {node.name!r} has the unknown attribute {name!r}.")
            kind = self.attributes[name][0]
            if not _ATTRIBUTES[kind](value):
                raise ModelFileError(
                    f"The attribute {name!r} of {node.name!r} must have the type {kind}."
                )
        for name, (_, optional) in self.attributes.items():
            if not optional and name not in node.attrs:
                raise ModelFileError(f"{node.op} {node.name!r} requires the attribute {name!r}.")
        return node.attrs


RECORDS: dict[str, list[Operation]] = defaultdict(list)
"""Operations by name, sorted by version."""


def operation(name: str, since: int = 1) -> Callable[[_F], _F]:
    """Register a function as the operation `name`, from version `since` of its operator set.

    The names of operations outside of ONNX's own domain begin with their domain.
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
    """Return the operation that applies to a version of the operator set."""
    found = [record for record in RECORDS.get(name, ()) if record.since <= version]
    return found[-1] if found else None


class OnnxDialect:
    """The dialect that executes ONNX operations."""

    name = "ONNX"
    shape_ops = frozenset(("Shape", "Size"))

    def run(self, node: Node, inputs: list[Any], scope: Scope) -> Sequence[Any]:
        """Compute the outputs of a node.

        Raises:
            UnimplementedError: If the operation is not supported.
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
        """Return the inputs that must be host arrays, e.g. conditions and trip counts of loops."""
        found = None if is_registered(node.op) else find(node.op, node.version)
        if found is None:
            return ()
        kinds = [*(kind for _, kind, _ in found.inputs)]
        kinds += [found.rest or ""] * (len(node.inputs) - len(kinds))
        pairs = zip(node.inputs, kinds, strict=False)
        return [name for name, kind in pairs if name and kind in _DECIDE]

    def calls(self, node: Node) -> Sequence[str]:
        """Return an empty list: called functions are in the attributes of nodes."""
        return ()

    def outside(self, node: Node) -> str | None:
        """Return None: no ONNX operation has effects outside of its graph."""
        return None
