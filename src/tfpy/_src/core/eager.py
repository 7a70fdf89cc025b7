"""The eager executor: each op call is a one-equation Program, compiled once per signature.

An op of a few numbers that the host has is computed there, where that takes less than a dispatch
(:attr:`Backend.few`); its result is uploaded when a Program needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfpy._src.backends import registry
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interrupts import held
from tfpy._src.backends.javascript import bridge, failures
from tfpy._src.backends.storage import Storage
from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError, NotLowerable, OpError
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.evaluate import Evaluator
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ir.op import Op, executes
from tfpy._src.compiler.ir.sizes import closed, is_open
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import as_tensors
from tfpy._src.core.operand import CompositeOperand
from tfpy._src.core.tensor import Tensor


class Applied(NamedTuple):
    """An op that has run."""

    op: Op
    inputs: Sequence[Tensor]
    output: Tensor
    graph: Graph
    """What it is, with shapes and attributes."""
    on_device: bool
    """Whether a program of the active backend computed it."""
    began: float
    """By ``spans.clock``."""


Observer = Callable[[Applied], None]
"""Told of an op that has run. What it raises the call of the op raises."""

observers: list[Observer] = []
"""Told of each op that runs, on any thread, but not of those that are traced."""

_MAX_PROGRAMS = 4096  # per backend; the oldest goes


class _Compiled:
    """A cache entry: what an op is on a backend for one signature."""

    __slots__ = ("_evaluator", "aval", "graph", "is_small", "program")

    def __init__(self, op: Op, graph: Graph, few: int) -> None:
        self.graph = graph
        self.aval = graph.avals[graph.outputs[0]]
        self.is_small = not op.is_alias and all(aval.size < few for aval in graph.avals)
        self._evaluator: Evaluator | None = None
        self.program = _UNKNOWN
        """Id of the device's program, or one of the three below."""

    def by_numpy(self, arrays: Sequence[Array]) -> Array:
        """The result for the arrays of the operands."""
        evaluator = self._evaluator
        if evaluator is None:
            evaluator = self._evaluator = Evaluator(self.graph)
        return evaluator(arrays)[0]


_HOST, _ALIAS, _UNKNOWN = 0, -1, -2


@executes
def apply(op: Op, *inputs: Any, **attrs: Any) -> Any:
    """Computes ``op`` on tensors (or what converts to them) and records it on active tapes.

    Raises:
        ValueError, TypeError or tf.errors.InvalidArgumentError: from the op's rules; no tensor is
            made then.
    """
    began = clock() if observers else 0.0
    for x in inputs:
        if type(x) is not Tensor:
            for y in inputs:
                if isinstance(y, CompositeOperand):
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
        if attrs and is_open(tuple(attrs.values())):  # the result's shape is open, too
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
            slots = [t.slot_on(backend) for t in inputs]
            held.depth += 1  # ``with held:`` is two calls more
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
        (eqn,) = compiled.graph.eqns
        error = failures.of_equation(failure, eqn, [aval.shape for aval in avals])
        if tracing.local.active and isinstance(error, InvalidArgumentError):
            # It fails if the function runs it.
            return tracing.local.active[-1].apply(op, inputs, attrs)
        try:
            raise error from None
        finally:
            del error  # its traceback has this frame: the cycle would keep the tensors
    except OpError:
        if not tracing.local.active:
            raise
        return tracing.local.active[-1].apply(op, inputs, attrs)
    if began:
        on_device = arrays is None and program > 0
        applied = Applied(op, inputs, output, compiled.graph, on_device, began)
        for observer in observers:
            observer(applied)
    for tape in tapes.local.active:
        tape.record_op(op, inputs, output, attrs)
    return output


def _at_hand(tensors: Sequence[Tensor]) -> list[Array] | None:
    """The values of tensors, if the host has them all."""
    arrays = []
    for tensor in tensors:
        array = tensor.storage.host
        if array is None:
            return None
        shape = tensor.aval.shape
        arrays.append(array if array.shape == shape else array.reshape(shape))
    return arrays


def _compile(backend: Backend, op: Op, graph: Graph) -> int:
    """What :attr:`_Compiled.program` is."""
    if op.is_alias:
        return _ALIAS
    if backend.takes(op, graph.avals):
        began = clock() if recorders else 0.0
        try:
            program = backend.register(backend.lower(graph))
        except NotLowerable:
            return _HOST
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
