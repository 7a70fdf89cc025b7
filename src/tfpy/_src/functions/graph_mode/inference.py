"""Shapes and dtypes of the results of an operation, found by a trace that is then discarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError, OpError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import OpenSize, unranked
from tfpy._src.core import tape as tapes
from tfpy._src.core.sizes import LikelySizes, Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike
from tfpy._src.functions.graph_mode.composites import SampledParts
from tfpy._src.functions.graph_mode.declared_shapes import declared
from tfpy._src.functions.graph_mode.nests import leaves as leaves, mapped as mapped
from tfpy._src.functions.graph_mode.samples import (
    SIZE as SIZE,
    Samples,
    initial,
    may_be_shape,
)
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.functions.tf_function.symbolic_sizes import traced_with_stand_ins
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.variables.variable import Variable

_FILLS = (
    *((0, 0, 0, 1), (1, 1, 1, 1), (0, 12, 0, 1), (0, 12, 12, 1), (12, 12, 12, 1)),
    (0, 12, 0, 12),
)
"""Numbers in place of unknown elements, scalars, elements of shapes, and sizes."""
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
    checks_sizes: bool = False
    """True for an assertion about sizes that are known only in a run."""
    is_dynamic: bool = False


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

    try:
        return _inferred(function, args, kwargs, unique, traced)
    except (ValueError, TypeError, OpError):
        found = declared(function, args, kwargs)
        if found is None:
            raise
        made = SymbolicTensor(Trace(name), 0, aval_of(*found), name)
        return Inferred(made, [], [], [], False, is_dynamic=True)


def _inferred(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    unique: Sequence[GraphTensor],
    traced: Callable[[Sequence[Aval]], Inferred],
) -> Inferred:
    """Trace a function with sizes that it accepts, or call it on likely values.

    Args:
        function: The function.
        args, kwargs: Its arguments.
        unique: Tensors of the graph among the arguments.
        traced: Traces the function for avals of these tensors.
    """

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
            known = stand_ins.get(value.identity, value.known)
            return LikelySizes(known, known.open) if isinstance(known, Sizes) else known

        result = function(*mapped(list(args), stood), **mapped(dict(kwargs), stood))
        read = [e.variable for e in trace.extras if e.variable is not None]
        result = mapped(result, lambda x: x.value() if isinstance(x, Variable) else x)
    captured = [e.tensor for e in trace.extras if isinstance(e.tensor, GraphTensor)]
    captured += dict.fromkeys(constants)
    assigned = [variable for variable, _ in trace.assigned.values()]
    effects = any(eqn.op.stateful for eqn in trace.graph.eqns)
    checks = result is None and getattr(function, "__name__", "").startswith("assert_")
    checks = checks and any(aval.is_open for aval in avals)
    return Inferred(result, captured, read, assigned, effects, checks)


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
    """Call a function that cannot be traced on likely values. Sizes of its results are unknown.

    Not every function accepts zeros. For example, a number of segments must be greater than the
    segments. So other values are used if the function raises an error.
    """
    first: Exception | None = None
    for fills in _FILLS:
        samples = Samples(*fills)
        try:
            result = _called(samples, function, args, kwargs)
        except (ValueError, TypeError, OpError) as error:
            first = first or error
            continue
        may_vary = any(map(may_be_shape, samples.tensors))
        ranks = _ranks(result)
        others = _ranks_of_longer(fills, function, args, kwargs) if may_vary else None
        has_ranks = not may_vary and all(t.shape.rank is not None for t in samples.tensors)
        pairs = zip(ranks, others if others and len(others) == len(ranks) else ranks, strict=True)
        varies = iter([a != b for a, b in pairs])
        return _opened(result, samples, has_ranks, varies)
    assert first is not None
    raise first


def _called(
    samples: Samples,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Return the result of a function of samples."""

    def sample(value: Any) -> Any:
        value = initial(value)
        return value.__tf_tensor__() if isinstance(value, GraphTensor) else value

    with immediately():
        local.values = samples
        mapped([*args, dict(kwargs)], lambda x: x, lambda x, _: samples.add(x))
        return function(*mapped(list(args), sample), **mapped(dict(kwargs), sample))


def _ranks(result: Any) -> list[int]:
    return [x.ndim for x in leaves(result) if isinstance(x, Tensor)]


def _ranks_of_longer(
    fills: tuple[int, int, int, int],
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> list[int] | None:
    """Return the ranks of the results if vectors of unknown size have two elements.

    The rank of a result that has another rank then is unknown: the vector is its shape.
    """
    try:
        return _ranks(_called(Samples(*fills, fills[-1] + 1), function, args, kwargs))
    except (ValueError, TypeError, OpError):
        return None


def _opened(result: Any, samples: Samples, has_ranks: bool, varies: Iterator[bool]) -> Inferred:
    """Replace the values in the result of a function by symbolic tensors of open shapes."""

    def opened(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        if next(varies):
            return SymbolicTensor(Trace("sample"), 0, aval_of(None, value.dtype), "sample")
        made = _symbolic(value, [n if samples.are_likely else SIZE for n in value.aval.shape])
        if samples.are_likely and value.dtype.is_integer and value.aval.size <= _MOST_ELEMENTS:
            return Sizes(Tensor(made.aval, value.storage), np.ones(value.aval.shape, bool))
        return made

    def opened_parts(composite: Any, _: Any) -> SampledParts:
        sparse = isinstance(composite, SparseTensor) and has_ranks
        ranks = ([composite.ndim], [], [composite.ndim]) if sparse else repeat([])
        parts = [
            _symbolic(c, [SIZE] * (c.ndim - len(rank)), rank)
            for c, rank in zip(composite.components, ranks, strict=False)
        ]
        return SampledParts(type(composite), parts)

    return Inferred(
        mapped(result, opened, opened_parts), samples.tensors, [], [], False, is_dynamic=True
    )


def _symbolic(value: Tensor, sizes: Sequence[int], known: Sequence[int] = ()) -> Tensor:
    """Return a tensor of a discarded trace with open sizes before known ones."""
    aval = Aval((*map(OpenSize, sizes), *known), value.dtype)
    return SymbolicTensor(Trace("sample"), 0, aval, "sample")


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
