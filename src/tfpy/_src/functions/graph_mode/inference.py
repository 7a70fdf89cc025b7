"""Shapes and dtypes of the results of an operation, found by a trace that is then discarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError, OpError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import OpenSize, unranked
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.sizes import Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike
from tfpy._src.functions.control.staged_array import StagedArray
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.functions.tf_function.symbolic_sizes import traced_with_stand_ins
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.variables.variable import Variable

if TYPE_CHECKING:
    from tfpy._src.functions.graph_mode.operation import Operation

SIZE = 240
"""Size that replaces an unknown one. It has many divisors."""
_MOST_OPERATIONS = 100
"""Largest number of operations that run while a graph is built, to find the value of a shape."""
_MOST_ELEMENTS = 32
"""Largest number of elements of a tensor that may be a shape."""


@dataclass
class Inferred:
    """The result of a function, and the values that it uses in addition to its arguments."""

    result: Any
    """Result with tensors of the discarded trace, or values."""
    captured: list[GraphTensor]
    read: list[Variable]
    assigned: list[Variable]
    has_effects: bool
    is_dynamic: bool = False


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a function to the items of nested lists, tuples, dicts, slices and TensorArrays."""
    if isinstance(value, Mapping) and type(value) is dict:
        return {k: mapped(v, change) for k, v in value.items()}
    if type(value) is list:
        return [mapped(v, change) for v in value]
    if isinstance(value, tuple):
        items = [mapped(v, change) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, StagedArray):
        return value.with_values(mapped(value.values, change))
    if type(value) is slice:
        return slice(*mapped((value.start, value.stop, value.step), change))
    return change(value)


def leaves(value: Any) -> list[Any]:
    """Return the items of nested lists, tuples, dicts, slices and TensorArrays."""
    found: list[Any] = []
    mapped(value, found.append)
    return found


def infer(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], name: str
) -> Inferred:
    """Trace a function with arguments that contain tensors of a graph.

    Raises:
        ValueError: If the shapes of the arguments do not match, as in TensorFlow's graphs.
        TypeError: If the function does not accept the arguments.
    """
    given = [x for x in leaves([*args, dict(kwargs)]) if isinstance(x, GraphTensor)]
    unique = list({x.identity: x for x in given if x.known is None}.values())

    def traced(avals: Sequence[Aval]) -> Inferred:
        return _traced(function, args, kwargs, name, unique, avals)

    def attempt(shapes: Sequence[tuple[int, ...]]) -> Inferred:
        return traced([_aval(x, shape) for x, shape in zip(unique, shapes, strict=True)])

    try:
        try:
            return traced([x.aval for x in unique])
        except (ValueError, TypeError, OverflowError, OpError):
            if not any(x.aval.is_open for x in unique):
                raise
            return traced_with_stand_ins([x.shape for x in unique], attempt)
    except NotTraceableError:
        return _sampled(function, args, kwargs)
    except InvalidArgumentError as error:
        if error.op_name == "Assert":
            raise
        raise ValueError(error.message) from error


def aval_of(shape: Any, dtype: DTypeLike, likely: Sequence[int] | None = None) -> Aval:
    """Return the aval of a tensor. Its shape may be None or contain None.

    Args:
        shape: The shape.
        dtype: The dtype.
        likely: Sizes for the unknown ones, which other ops accept.
    """
    given = TensorShape(shape)
    if likely is None:
        likely = (SIZE,) * (2 if given.rank is None else given.rank)
    if given.rank is None:
        return Aval(unranked(likely), as_dtype(dtype))
    pairs = zip(given.as_list(), likely, strict=True)
    return Aval(tuple(OpenSize(size) if n is None else n for n, size in pairs), as_dtype(dtype))


def _aval(tensor: GraphTensor, shape: Sequence[int]) -> Aval:
    known = tensor.shape
    if known.rank is None:
        return Aval(unranked(shape), tensor.dtype)
    pairs = zip(shape, known.as_list(), strict=True)
    return Aval(tuple(OpenSize(n) if k is None else n for n, k in pairs), tensor.dtype)


def _traced(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    name: str,
    tensors: Sequence[GraphTensor],
    avals: Sequence[Aval],
) -> Inferred:
    trace = Trace(name)
    with trace.taken(), _constants() as constants:
        stand_ins: dict[int, Tensor] = {
            t.identity: trace.argument(aval, t.name.partition(":")[0])
            for t, aval in zip(tensors, avals, strict=True)
        }

        def stood(value: Any) -> Any:
            if not isinstance(value, GraphTensor):
                return value
            return stand_ins.get(value.identity, value.known)

        result = function(*mapped(list(args), stood), **mapped(dict(kwargs), stood))
        read = [e.variable for e in trace.extras if e.variable is not None]
        result = mapped(result, lambda x: x.value() if isinstance(x, Variable) else x)
    captured = [e.tensor for e in trace.extras if isinstance(e.tensor, GraphTensor)]
    captured += dict.fromkeys(constants)
    assigned = [variable for variable, _ in trace.assigned.values()]
    effects = any(eqn.op.stateful for eqn in trace.graph.eqns)
    return Inferred(result, captured, read, assigned, effects)


@contextmanager
def _constants() -> Iterator[list[GraphTensor]]:
    """Return a context that collects the constants of the graph that a function uses."""
    saved, local.constants = local.constants, []
    try:
        yield local.constants
    finally:
        local.constants = saved


def _sampled(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Inferred:
    """Call a function that cannot be traced on likely values. Sizes of its results are unknown."""
    with immediately():
        local.values = samples = _Samples()

        def sample(value: Any) -> Any:
            value = _initial(value)
            return value.__tf_tensor__() if isinstance(value, GraphTensor) else value

        result = function(*mapped(list(args), sample), **mapped(dict(kwargs), sample))

    def opened(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        shape = tuple(OpenSize(n if samples.are_likely else SIZE) for n in value.aval.shape)
        aval = Aval(shape, value.dtype)
        if samples.are_likely and value.dtype.is_integer and value.aval.size <= _MOST_ELEMENTS:
            return Sizes(Tensor(aval, value.storage), np.ones(value.aval.shape, bool))
        return SymbolicTensor(Trace("sample"), 0, aval, "sample")

    return Inferred(mapped(result, opened), samples.tensors, [], [], False, True)


class _Samples(dict[int, Tensor]):
    """Values of the tensors of a graph by identity, which are found when a function needs them."""

    def __init__(self) -> None:
        self.tensors: list[GraphTensor] = []
        """Tensors that the function uses."""
        self.are_likely = True
        """False if a value is only a replacement for an unknown one."""

    def get(self, identity: int, default: Any = None) -> Any:
        """Return the sample for `default`, which is the tensor itself if it is not constant."""
        if identity not in self and isinstance(default, GraphTensor):
            self.tensors.append(default)
            found = _likely_value(default)
            self.are_likely &= found is not None
            self[identity] = _zeros(default) if found is None else found
        return dict.get(self, identity, default)


def _likely_value(tensor: GraphTensor) -> Tensor | None:
    """Return the value of a tensor in a run without fed values, or None if it is not known.

    Functions use the values of integer tensors as shapes, axes and indices. Of other tensors they
    use the shapes, so these tensors are zeros.
    """
    if tensor.known is not None:
        return tensor.known
    if not tensor.dtype.is_integer:
        return _zeros(tensor)
    values: dict[int, Tensor] = {}

    def value_of(value: Any) -> Any:
        value = _initial(value)
        return values.get(value.identity, value.known) if isinstance(value, GraphTensor) else value

    try:
        for op in _needed(tensor.op):
            if op.function is None or not op.args:  # a placeholder, or a random number
                return None
            found = leaves(op.function(*mapped(op.args, value_of), **mapped(op.kwargs, value_of)))
            for output, place in zip(op.outputs, op.places, strict=True):
                values[output.identity] = convert_to_tensor(found[place])
    except (ValueError, TypeError, NotImplementedError, OpError):
        return None
    return values[tensor.identity]


def _initial(value: Any) -> Any:
    """Return the initial value of an integer Variable that has no value yet, or the argument."""
    is_empty = isinstance(value, Variable) and not getattr(value, "has_value", True)
    found = value.initial_value if is_empty and value.dtype.is_integer else None
    return value if found is None else found


def _needed(op: Operation) -> list[Operation]:
    """Return an operation and those that compute its inputs, in the order of their creation.

    Raises:
        NotImplementedError: If they are too many to run them for a shape.
    """
    found: dict[int, Operation] = {}
    pending = [op]
    while pending:
        one = pending.pop()
        if one.number not in found:
            found[one.number] = one
            pending += [t.op for t in one.inputs if t.known is None]
        if len(found) > _MOST_OPERATIONS:
            raise NotImplementedError
    return [op for _, op in sorted(found.items())]


def _zeros(tensor: GraphTensor) -> Tensor:
    sizes = [1 if n == SIZE else int(n) for n in tensor.aval.shape]
    if tensor.dtype.is_numeric or tensor.dtype.is_bool:
        return constant(np.zeros(sizes, tensor.dtype.as_numpy_dtype), tensor.dtype)
    return constant("", shape=sizes)


def immediately() -> ExitStack:
    """Return a context in which ops run immediately, and no tape records them."""
    stack = ExitStack()
    stack.enter_context(tracing.init_scope())
    saved, values = tapes.local.active[:], local.values
    tapes.local.active[:] = []

    def restore() -> None:
        tapes.local.active[:] = saved
        local.values = values

    stack.callback(restore)
    return stack
