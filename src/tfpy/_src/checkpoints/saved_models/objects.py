"""The objects of a program that a SavedModel contains, and their messages.

An object is a node with a number. Nodes are the root, the objects that it holds, the functions
among them, and the traces of the functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tfpy._src.checkpoints.objects import children, is_trackable, variable_of
from tfpy._src.checkpoints.saved_models.assets import Asset
from tfpy._src.checkpoints.saved_models.functions import WrittenFunction
from tfpy._src.checkpoints.saved_models.restored import RestoredConcreteFunction
from tfpy._src.checkpoints.saved_models.structures import encoded, encoded_function_spec
from tfpy._src.checkpoints.saved_models.tables import (
    CREATE,
    FILL,
    SavedTable,
    TableFunction,
    saved_table,
)
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer, integers
from tfpy._src.formats.tensorflow.writer.binary import pair, shape_proto
from tfpy._src.functions.graph_mode.graph_function import GraphFunction
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.open import OpenConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import Call, TensorSpec
from tfpy._src.library.lookup.tables import LookupInterface
from tfpy._src.tensors.variables.tracking import DictWrapper, ListWrapper, Tracked, unwrapped
from tfpy._src.tensors.variables.variable import Variable

USER_OBJECT = "_generic_user_object"
LIST, DICT, TUPLE = "trackable_list_wrapper", "trackable_dict_wrapper", "trackable_tuple_wrapper"
SIGNATURE_MAP = "signature_map"


class SignatureMap(dict[str, Any]):
    """The functions of a SavedModel's signatures, by name."""

    def __repr__(self) -> str:
        return f"_SignatureMap({dict(self)})"


@dataclass(frozen=True)
class SignatureWrapper:
    """The function of a signature, which takes tensors by name and returns a dict."""

    function: WrittenFunction
    parameters: inspect.Signature


@dataclass
class ObjectNode:
    """An object of the program.

    Attributes:
        value: The object.
        path: Attribute names that lead to the object.
        children: Numbers of the objects that it holds, by name.
    """

    value: Any
    path: tuple[str, ...]
    children: dict[str, int] = field(default_factory=dict)


def is_function(value: Any) -> bool:
    """Return True for a `tf.function` or a concrete function."""
    if isinstance(value, GraphFunction):
        return True
    return isinstance(value, Function | ConcreteFunction | RestoredConcreteFunction)


def _follows(value: Any) -> bool:
    kinds = Asset | LookupInterface
    return is_function(value) or isinstance(value, kinds) or is_trackable(value)


_LEAVES = (ConcreteFunction, SignatureWrapper, TableFunction, Asset)
"""Types of objects that hold no others."""


def held(holder: Any) -> dict[str, Any]:
    """Return the objects and the functions that an object holds, by name."""
    if isinstance(holder, Function):
        return {f"trace_{i}": one for i, one in enumerate(_described(holder))}
    if isinstance(holder, SignatureMap):
        return dict(holder)
    if isinstance(holder, LookupInterface) and holder.entries is None:
        return {k: v for k, v in vars(holder).items() if isinstance(v, LookupInterface)}
    if isinstance(holder, SavedTable):
        return {CREATE: holder.create, FILL: holder.fill}
    if isinstance(holder, _LEAVES) or variable_of(holder) is not None:
        return {}
    found = {name: traced(value) for name, value in children(holder, _follows).items()}
    if isinstance(holder, Tracked):
        found |= {name: getattr(holder, name) for name in _methods(type(holder))}
    return found


_OPENED = "_with_open_sizes"
"""Attribute of a trace with the function that replaces it in a file."""


def _described(function: Function[..., Any]) -> list[ConcreteFunction]:
    """Return one concrete function for each signature of a function.

    A call inside another function may have open sizes. It then has traces for actual sizes, of
    which a file contains one.
    """
    found: dict[Any, ConcreteFunction] = {}
    for one in function.described_functions:
        if _OPENED not in vars(one):
            vars(one)[_OPENED] = _with_open_sizes(function, one)
        opened = vars(one)[_OPENED]
        if opened is None:
            found[id(one)] = one
        else:
            found.setdefault((opened.call.key, opened.call.identities), opened)
    return [*found.values()]


def _with_open_sizes(
    function: Function[..., Any], concrete: ConcreteFunction
) -> OpenConcreteFunction | None:
    """Return a function with open sizes for a trace of a call with open sizes, or None."""
    call = concrete.call
    if isinstance(concrete, OpenConcreteFunction) or not any(aval.is_open for aval in call.avals):
        return None
    specs = [TensorSpec(aval.shown, aval.dtype, name)
             for aval, (name, _) in zip(call.avals, call.tensors, strict=True)]  # fmt: skip
    opened = Call(call.replaced(specs))
    return OpenConcreteFunction(
        concrete.name, concrete._signature, opened, function._traces._made
    ).described()


def traced(value: Any) -> Any:
    """Return the trace of a function of a SavedModel or graph, and other values unchanged."""
    if isinstance(value, GraphFunction):
        return value.concrete_function
    return value.traced if isinstance(value, RestoredConcreteFunction) else value


def _methods(kind: type) -> list[str]:
    """Return the names of the methods of a class that are decorated with `tf.function`."""
    found = {name: value for one in reversed(kind.__mro__) for name, value in vars(one).items()}
    return [name for name, value in found.items() if isinstance(value, Function)]


def identity(value: Any) -> int:
    """Return a key of an object. A Keras variable has the key of the Variable that it wraps."""
    if isinstance(value, LookupInterface) and value.entries is not None:
        return id(value.entries)
    variable = variable_of(value)
    return id(unwrapped(value) if variable is None else variable)


def nodes_of(root: Any, signatures: SignatureMap) -> list[ObjectNode]:
    """Return all objects that are reachable from the root, in breadth-first order."""
    nodes = [ObjectNode(root, ())]
    numbers = {identity(root): 0}
    for node in nodes:
        found = held(node.value)
        if node is nodes[0]:
            found["signatures"] = signatures
        for name, value in found.items():
            key = identity(value)
            if key not in numbers:
                numbers[key] = len(nodes)
                if isinstance(value, LookupInterface) and value.entries is not None:
                    value = saved_table(value, len(nodes))
                nodes.append(ObjectNode(value, (*node.path, name)))
            node.children[name] = numbers[key]
    return nodes


def encoded_object(
    node: ObjectNode, function_of: Callable[[ConcreteFunction], str], asset_of: Callable[[Any], int]
) -> bytes:
    """Encode an object as a SavedObject.

    Args:
        node: The object.
        function_of: Function that returns the name in the library of a concrete function.
        asset_of: Function that returns the number of an asset.
    """
    links = b"".join(
        chunk(1, integer(1, number) + chunk(2, name)) for name, number in node.children.items()
    )
    return links + _kind(node.value, function_of, asset_of)


def _kind(
    value: Any, function_of: Callable[[ConcreteFunction], str], asset_of: Callable[[Any], int]
) -> bytes:
    variable = variable_of(value)
    if variable is not None:
        return chunk(7, _variable(variable))
    match value:
        case Function():
            names = [function_of(one) for one in _described(value)]
            spec = encoded_function_spec(value._traceable.signature, value.input_signature)
            return chunk(6, b"".join(chunk(1, name) for name in names) + chunk(2, spec))
        case ConcreteFunction():
            spec = encoded_function_spec(value._signature)
            names = [name for name, _ in value.call.tensors]
            return chunk(8, bare(function_of(value), names, len(names), spec))
        case SavedTable():
            return chunk(10, b"")
        case TableFunction():
            spec = encoded_function_spec(inspect.Signature(), ())
            return chunk(6, chunk(1, value.written.name) + chunk(2, spec))
        case SignatureWrapper():
            spec = encoded_function_spec(value.parameters)
            return chunk(8, bare(value.function.name, value.parameters.parameters, 1, spec))
        case Asset():
            return chunk(5, integer(1, asset_of(value)))
        case SignatureMap():
            return _user(SIGNATURE_MAP)
        case list() | ListWrapper():
            return _user(LIST)
        case dict() | DictWrapper():
            return _user(DICT)
        case tuple():
            return _user(TUPLE)
    return _user(USER_OBJECT)


def bare(function: str, names: Iterable[str], positional: int, spec: bytes) -> bytes:
    """Encode a SavedBareConcreteFunction."""
    keywords = b"".join(chunk(2, name) for name in names)
    return chunk(1, function) + keywords + integer(3, positional) + chunk(4, spec)


def _user(identifier: str) -> bytes:
    version = integer(1, 1) + integer(2, 1)
    return chunk(4, chunk(1, identifier) + chunk(2, version))


def _variable(variable: Variable) -> bytes:
    fields = [
        integer(1, variable.dtype.as_datatype_enum),
        chunk(2, shape_proto(variable.shape)),
        integer(3, variable.trainable),
        integer(4, variable.synchronization.value),
        integer(5, variable.aggregation.value),
        chunk(6, variable._shared_name),
    ]
    return b"".join(fields)


def concrete_entry(written: WrittenFunction, bound: Sequence[int]) -> bytes:
    """Encode a function's entry in the SavedObjectGraph.

    Args:
        written: The function.
        bound: Numbers of the objects that follow its arguments.
    """
    message = integers(2, bound) + chunk(3, encoded(written.signature))
    return pair(2, written.name, message + chunk(4, encoded(written.result)))
