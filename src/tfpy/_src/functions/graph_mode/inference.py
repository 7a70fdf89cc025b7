"""Shapes and dtypes of the results of an operation, found by a trace that is then discarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError, OpError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import OpenSize, UnrankedSize
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.functions.tf_function.symbolic_sizes import traced_with_stand_ins
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.variables.variable import Variable

SIZE = 240
"""Size that replaces an unknown one. It has many divisors."""


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
    """Apply a function to the items of nested lists, tuples, dicts and slices."""
    if isinstance(value, Mapping) and type(value) is dict:
        return {k: mapped(v, change) for k, v in value.items()}
    if type(value) is list:
        return [mapped(v, change) for v in value]
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        items = [mapped(v, change) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value) is slice:
        return slice(*mapped((value.start, value.stop, value.step), change))
    return change(value)


def leaves(value: Any) -> list[Any]:
    """Return the items of nested lists, tuples, dicts and slices."""
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
        raise ValueError(error.message) from error


def _aval(tensor: GraphTensor, shape: Sequence[int]) -> Aval:
    known = tensor.shape
    if known.rank is None:
        return Aval(tuple(map(UnrankedSize, shape)), tensor.dtype)
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
    """Call a function that cannot be traced on zeros. Sizes of its results are unknown."""

    def sample(value: Any) -> Any:
        if not isinstance(value, GraphTensor):
            return value
        if value.known is not None:
            return value.known
        sizes = [1 if n == SIZE else int(n) for n in value.aval.shape]
        if value.dtype.is_numeric or value.dtype.is_bool:
            return constant(np.zeros(sizes, value.dtype.as_numpy_dtype), value.dtype)
        return constant("", shape=sizes)

    with immediately():
        result = function(*mapped(list(args), sample), **mapped(dict(kwargs), sample))

    def opened(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        sizes = tuple(OpenSize(SIZE) for _ in value.aval.shape)
        return SymbolicTensor(Trace("sample"), 0, Aval(sizes, value.dtype), "sample")

    return Inferred(mapped(result, opened), [], [], [], False, True)


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
