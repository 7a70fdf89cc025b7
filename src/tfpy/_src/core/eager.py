"""The eager executor: each op call is a Program of one equation, compiled once per signature.

The host computes an op on few numbers that are available there if that is faster than a dispatch
(`Backend.few`). The result is uploaded when a Program needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfpy._src.backends import registry
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.bookkeeping import MAX_GARBAGE, SLOT_BYTES, Bookkeeping
from tfpy._src.backends.interrupts import held
from tfpy._src.backends.javascript import bridge, failures
from tfpy._src.backends.memory_errors import name_call
from tfpy._src.backends.storage import Storage, statistics
from tfpy._src.base import tracing
from tfpy._src.base.errors import (
    InvalidArgumentError,
    NotLowerable,
    OpError,
    ResourceExhaustedError,
)
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.evaluate import function_of
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ir.op import Op, executes
from tfpy._src.compiler.ir.sizes import closed, is_open
from tfpy._src.core import fast_path, tape as tapes
from tfpy._src.core.conversion import as_tensors
from tfpy._src.core.operand import SELF_APPLYING
from tfpy._src.core.scalar_cache import scalars
from tfpy._src.core.tensor import Tensor, local as scopes, next_identity


class Applied(NamedTuple):
    """An op that has run."""

    op: Op
    inputs: Sequence[Tensor]
    output: Tensor
    graph: Graph
    """Graph of the op, with shapes and attributes."""
    on_device: bool
    """True if a Program of the active backend computed the op."""
    began: float
    """Start time by `profiler_spans.clock`."""


Observer = Callable[[Applied], None]
"""Callback for an op that has run. Its exceptions propagate to the caller of the op."""

observers: list[Observer] = []
"""Callbacks for each op that runs, on any thread. Traced ops are not reported."""

_MAX_PROGRAMS = 4096  # per backend; the oldest is evicted first


class _Compiled:
    """A cache entry: the implementation of an op on a backend for one signature."""

    __slots__ = ("_function", "aval", "graph", "is_small", "program")

    def __init__(self, op: Op, graph: Graph, few: int) -> None:
        self.graph = graph
        self.aval = graph.avals[graph.outputs[0]]
        self.is_small = not op.is_alias and all(aval.size < few for aval in graph.avals)
        self._function: Callable[..., Array] | None = None
        self.program = _UNKNOWN
        """Id of the device's program, or one of the three constants below."""

    def by_numpy(self, arrays: Sequence[Array]) -> Array:
        """Compute the op with NumPy."""
        function = self._function
        if function is None:
            function = self._function = function_of(self.graph)
        return function(*arrays)


_HOST, _ALIAS, _UNKNOWN = 0, -1, -2


@executes
@fast_path.of_apply
def apply(op: Op, *inputs: Any, **attrs: Any) -> Any:
    """Compute `op` on tensors or tensor-like values, and record it on active tapes.

    Raises:
        ValueError, TypeError or tf.errors.InvalidArgumentError: If the op's rules reject the
            inputs. No tensor is made in this case.
    """
    began = clock() if observers else 0.0
    for x in inputs:
        if type(x) is not Tensor:
            for y in inputs:
                if isinstance(y, SELF_APPLYING):
                    return y.apply_op(op, inputs, attrs)
            inputs = as_tensors(op, inputs)
            if tracing.local.active and not all(type(t) is Tensor for t in inputs):
                return tracing.local.active[-1].apply(op, inputs, attrs)
            break
    backend = registry.active or registry.active_backend()
    avals = [t.aval for t in inputs]
    key = (op, *avals, *attrs.items()) if attrs else (op, *avals)
    compiled = backend.programs.get(key)
    if compiled is None:
        if attrs and is_open(tuple(attrs.values())):  # the result's shape is also open
            if tracing.local.active:
                return tracing.local.active[-1].apply(op, inputs, attrs)
            return apply(op, *inputs, **{k: closed(v) for k, v in attrs.items()})
        graph = single_equation(op, avals, tuple(attrs.items()))
        if op.refuses is not None and (refusal := op.refuses(*avals, **attrs)) is not None:
            if tracing.local.active:
                return tracing.local.active[-1].apply(op, inputs, attrs)
            raise refusal
        compiled = _Compiled(op, graph, backend.few)
        _remember(backend, key, compiled)
    arrays = _at_hand(inputs) if compiled.is_small else None
    if arrays is None and compiled.program == _UNKNOWN:
        compiled.program = _compile(backend, op, compiled.graph)
    aval, program = compiled.aval, compiled.program
    try:
        if arrays is not None:
            storage = Storage(aval, compiled.by_numpy(arrays))
        elif program > 0:
            if backend.collect_due:
                backend.collect()
            slots = []
            for t in inputs:  # inlined slot_on(), which would be another call
                storage = t.storage
                slots.append(
                    storage.slot if storage.backend is backend else storage.slot_on(backend)
                )
            held.depth += 1  # faster than `with held:`, which makes two calls
            try:
                storage = Storage(aval, None, backend, backend.run(program, *slots))
            finally:
                held.depth -= 1
                if held.waits:
                    held.deliver()
        elif program == _ALIAS:
            storage = inputs[0].storage
        else:
            storage = Storage(aval, compiled.by_numpy([t.host_view() for t in inputs]))
        output = Tensor(aval, storage)
    except bridge.FAILURES as failure:
        return failed(failure, op, inputs, attrs, compiled)
    except OpError as error:
        return failed(error, op, inputs, attrs, compiled)
    if began:
        on_device = arrays is None and program > 0
        applied = Applied(op, inputs, output, compiled.graph, on_device, began)
        for observer in observers:
            observer(applied)
    for tape in tapes.local.active:
        tape.record_op(op, inputs, output, attrs)
    return output


def failed(
    failure: Exception, op: Op, inputs: Sequence[Tensor], attrs: Any, compiled: _Compiled
) -> Any:
    """Raise the error of an op that failed. If a trace is active, the traced op raises it later.

    Args:
        failure: Exception of the run.
        op: Record of the op.
        inputs: Operands of the op.
        attrs: Attributes of the op, as a dict.
        compiled: Cache entry of the call.
    """
    error = failure
    if isinstance(failure, bridge.FAILURES):
        (eqn,) = compiled.graph.eqns
        error = failures.of_equation(failure, eqn, [t.aval.shape for t in inputs])
    active = tracing.local.active
    try:
        if active and isinstance(error, OpError if error is failure else InvalidArgumentError):
            return active[-1].apply(op, inputs, attrs)  # the function raises it when it runs
        if isinstance(error, ResourceExhaustedError):
            name_call(error)
        if error is failure:
            raise error
        raise error from None
    finally:
        del error, failure  # tracebacks refer to this frame: the cycle would keep the tensors


def _at_hand(tensors: Sequence[Tensor]) -> list[Array] | None:
    """Return the values of tensors if the host has all of them."""
    arrays = []
    for tensor in tensors:
        array = tensor.storage.host
        if array is None:
            return None
        shape = tensor.aval.shape
        arrays.append(array if array.shape == shape else array.reshape(shape))
    return arrays


def _compile(backend: Backend, op: Op, graph: Graph) -> int:
    """Return the value of `_Compiled.program`."""
    if op.is_alias:
        return _ALIAS
    if backend.takes(op, graph.avals):
        began = clock() if recorders else 0.0
        try:
            program = backend.register(backend.lower(graph))
        except NotLowerable:
            return _HOST
        except ResourceExhaustedError as error:
            name_call(error)
            raise
        if began:
            note("compile", op.name, began)
        return program
    return _HOST


def _remember(backend: Backend, key: Any, compiled: _Compiled) -> None:
    if len(backend.programs) >= _MAX_PROGRAMS:
        oldest = next(iter(backend.programs))
        program = backend.programs.pop(oldest).program
        if program > 0:
            backend.release(program)
    backend.programs[key] = compiled


fast_path.bind_values(
    {
        **{"tensor": Tensor, "storage": Storage, "aval": Aval, "entry": _Compiled},
        **{"statistics": statistics, "held": held},
        **{"next_identity": next_identity, "discard": Bookkeeping.discard},
        **{"registry": vars(registry), "tapes": tapes.local, "traces": tracing.local},
        **{"tidy": scopes, "op_observers": observers, "op_failed": failed, "scalars": scalars},
        **{"slot_bytes": SLOT_BYTES, "most_garbage": MAX_GARBAGE, "alias": _ALIAS},
    }
)
