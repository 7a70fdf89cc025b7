"""A compiled trace, which is called with tensors and can be differentiated to any order."""

from __future__ import annotations

import asyncio
import copy
import weakref
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from tfpy._src.backends import registry
from tfpy._src.backends.interrupts import held
from tfpy._src.base import tracing
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import FieldRecord, Wrapper
from tfpy._src.core.tape import Entry
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.derivative import current
from tfpy._src.functions.executor import op_by_op
from tfpy._src.functions.executor.control_op import carries_gradient
from tfpy._src.functions.executor.executable import Executable, Repeated
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.tf_function.derivative import Derivative
from tfpy._src.functions.tf_function.direct_call import DirectCall, source_of
from tfpy._src.functions.tf_function.results import Results
from tfpy._src.functions.trace.extra import Extra
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.variables.variable import Variable, hold_all

_locks = weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]()


def one_at_a_time() -> asyncio.Lock:
    """Return the running event loop's lock. Awaited calls that assign Variables hold it."""
    return _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


class _Fetched:
    """An input that each call fetches, with the interface of a Variable (`held`)."""

    __slots__ = ("_fetch",)

    def __init__(self, fetch: Callable[[], Tensor]) -> None:
        self._fetch = fetch

    @property
    def held(self) -> Tensor:
        return self._fetch()


_held = attrgetter("held")
observers: list[Callable[[Traced], None]] = []
"""Callbacks for each call of a compiled function, before it runs."""


class Traced:
    """A computation: equations of a trace from arguments and captured values to results.

    Args:
        trace: The trace.
        eqns: Equations of the computation.
        arguments: Tensors that the traced ops received; all are different.
        extras: Inputs in addition to the arguments.
        constants: Captured tensors that are constants of the equations.
        results: Structure of the result.
        entries: Tape entries of the recorded ops.
        assigned: Variables that a call assigns, with their new values.
        bits: Number of bits for products with weights where supported. 0 keeps the dtype. The
            derivative always keeps it.
    """

    def __init__(
        self,
        trace: Trace,
        eqns: Sequence[Eqn],
        arguments: Sequence[Tensor],
        extras: Sequence[Extra],
        constants: Sequence[Tensor],
        results: Results,
        entries: Sequence[Entry],
        assigned: Sequence[tuple[Variable, Tensor]] = (),
        bits: int = 0,
    ) -> None:
        self.trace = trace
        self.arguments = tuple(arguments)
        self._take_extras(extras)
        self.constants = tuple(constants)
        self.results = results
        self.assigned = [variable for variable, _ in assigned]
        """Variables that a call assigns. Their new values are the last outputs."""
        self.outputs = (*results.tensors, *(tensor for _, tensor in assigned))
        self.entries = entries
        self.graph = Graph(
            trace.graph.avals,
            [trace.value_of(t) for t in (*arguments, *(extra.tensor for extra in extras))],
            dict(trace.graph.constants),
            list(eqns),
            [trace.value_of(t) for t in self.outputs],
        )
        self.weights = frozenset(
            trace.value_of(extra.tensor) for extra in extras if self._is_weight(extra)
        )
        """Inputs that rarely change between calls."""
        places = {id(v): n for n, v in enumerate(self.assigned, len(results.tensors))}
        carried = {
            trace.value_of(extra.tensor): places[id(extra.variable)]
            for extra in extras
            if id(extra.variable) in places
        }
        self.executable = Executable(self.graph, Usage(self.weights, carried, bits))
        self._derivatives: dict[tuple[int, ...], Derivative] = {}

    def _take_extras(self, extras: Sequence[Extra]) -> None:
        self.extras = tuple(extras)
        self._places = [_Fetched(e.fetch) if e.variable is None else e.variable for e in extras]
        """Sources of :attr:`extras` when no tape or trace is active."""
        self.direct: DirectCall | None = None
        """Form of the call for the dispatch extension, which requests it with :func:`prepare`."""

    def bound(self, variables: Mapping[int, Variable]) -> Traced:
        """Return the same computation with other Variables, by the ids of the current ones."""
        made = copy.copy(self)
        made._take_extras([_bound(extra, variables) for extra in self.extras])
        made.assigned = [variables.get(id(v), v) for v in self.assigned]
        return made

    def _is_weight(self, extra: Extra) -> bool:
        """Return True for a captured tensor, or for a Variable that the function only reads."""
        if extra.variable is not None:
            return id(extra.variable) not in self.trace.assigned
        return not isinstance(extra.tensor, SymbolicTensor)

    @property
    def sources(self) -> tuple[Tensor, ...]:
        """All inputs: arguments, extras and constants."""
        return (*self.arguments, *(extra.tensor for extra in self.extras), *self.constants)

    def __call__(self, arguments: Sequence[Tensor]) -> Any:
        """Assign Variables and return the results, for tensors with the traced avals."""
        for observer in observers:
            observer(self)
        began = clock() if recorders else 0.0
        if self.assigned:
            with held:
                outputs = self.compute(arguments)
                self._assign(outputs)
        else:
            outputs = self.compute(arguments)
        results = self.results
        if results.is_tensor:
            result: Any = outputs[0]
        elif results.is_list:
            result = outputs[: len(results.tensors)]
        else:
            result = results.filled(outputs)
        if began:
            note("function", self.trace.name, began)
        return result

    def compute(self, arguments: Sequence[Tensor]) -> list[Tensor]:
        """Compute the outputs, and record the computation on tapes that follow its inputs."""
        if not (tapes.local.active or tracing.local.active):
            operands = [*arguments, *map(_held, self._places)]
            program = self.executable.programs.get(registry.active)
            if program is None or op_by_op.watching:
                return self.executable.compute(operands)
            return program.run(operands)
        operands = [*arguments, *[extra.fetch() for extra in self.extras]]
        followed = self._followed(operands) if tapes.local.active else ()
        if not followed:
            return self.executable.run(operands)
        given = [*operands, *self.constants]
        if self.executable.joins_trace(operands):
            return self._inlined(operands, given, followed)
        return self._derivative(followed).run(operands, given)

    def _assign(self, outputs: Sequence[Tensor]) -> None:
        """Assign the Variables their new values from the outputs."""
        values = outputs[len(self.results.tensors) :]
        if tapes.local.active or tracing.local.active:  # tapes and traces use tensor identities
            for variable, value in zip(self.assigned, values, strict=True):
                variable.hold(value.alias())
        else:
            hold_all(self.assigned, values)

    async def call_async(self, arguments: Sequence[Tensor]) -> Any:
        """Make a call that keeps the page responsive between the parts of the program.

        Calls that assign Variables wait for one another, so that each starts from the values that
        the previous call assigned.
        """
        for observer in observers:
            observer(self)
        began = clock() if recorders else 0.0
        if self.assigned:
            async with one_at_a_time():
                outputs = await self._compute_async(arguments)
                self._assign(outputs)
        else:
            outputs = await self._compute_async(arguments)
        if began:
            note("function", self.trace.name, began, awaited=True)
        return self.results.filled(outputs)

    async def _compute_async(self, arguments: Sequence[Tensor]) -> list[Tensor]:
        """Compute the outputs as :meth:`compute` does, between turns of the event loop.

        Under a tape or a trace the call does not wait, because other tasks would be recorded too.
        """
        if tapes.local.active or tracing.local.active:
            return self.compute(arguments)
        return await self.executable.run_async([*arguments, *map(_held, self._places)])

    def repeat(self, calls: Sequence[Sequence[Tensor]]) -> Any:
        """Make several calls in order and return the results of the last call."""
        for observer in observers:
            observer(self)
        began = clock() if recorders else 0.0
        with held:
            repeated = self._repeated(calls) if len(calls) > 1 else None
            if repeated is not None:
                hold_all(self.assigned, repeated.outputs[len(self.results.tensors) :])
        if repeated is None:
            return [self(tensors) for tensors in calls][-1]
        if repeated.error is not None:
            raise repeated.error
        if began:
            note("function", self.trace.name, began)
        return self.results.filled(repeated.outputs)

    def _repeated(self, calls: Sequence[Sequence[Tensor]]) -> Repeated | None:
        """Make several calls in one run. Each call uses the values that the previous one assigned.

        Return None if the calls must be made separately.
        """
        seen = tapes.local.active or tracing.local.active
        if seen or any(extra.anew is not None for extra in self.extras):
            return None
        operands = [*calls[0], *map(_held, self._places)]
        return self.executable.repeat(operands, calls[1:])

    def _inlined(
        self, operands: Sequence[Tensor], given: Sequence[Tensor], followed: tuple[int, ...]
    ) -> list[Tensor]:
        """Compute the outputs within a trace. The derivative is traced only when it is needed."""
        copied = current().inline(self.graph, operands)
        results = copied.outputs
        watched = [given[i] for i in followed]

        def backward(*flowing: Tensor | None) -> Sequence[Any]:
            derivative = self._derivative(followed)
            inside = [copied.tensor(self.trace.value_of(t)) for t in derivative.saved]
            saved = [current().alias(t) for t in inside]
            if saved:  # derivatives of this derivative flow to the watched tensors
                for tensor in watched:
                    current().value_of(tensor)
            back = derivative.backward(given, [*results, *saved])
            self.record(watched, saved, lambda *later: back(*[None] * len(results), *later))
            return back(*flowing, *[None] * len(saved))

        if self.trace.is_custom:
            results = current().custom(results, watched, backward)
        self.record(watched, results, backward)
        return results

    def record(
        self,
        watched: Sequence[Tensor],
        results: Sequence[Tensor],
        backward: Callable[..., Sequence[Any]],
    ) -> None:
        """Record a computation on the active tapes."""
        entry = Entry(self.trace.name, tuple(watched), tuple(results), backward)
        for tape in tapes.local.active:
            tape.record(entry)

    def continued(
        self,
        eqns: Sequence[Eqn],
        arguments: Sequence[Tensor],
        results: Results,
        entries: Sequence[Entry],
        computed_with: Sequence[Tensor],
    ) -> Traced:
        """Return a computation with other equations of the same trace and the inputs they need."""
        trace = self.trace
        read = {trace.value_of(t) for t in results.tensors}
        read.update(v for eqn in eqns for v in eqn.inputs)
        given = {t.identity for t in arguments}
        differentiated = {t.identity for entry in entries for t in entry.inputs}

        def is_source(tensor: Tensor) -> bool:
            return tensor.identity in differentiated or trace.value_of(tensor) in read

        extras = [e for e in trace.extras if e.tensor.identity not in given and is_source(e.tensor)]
        known = given | {e.tensor.identity for e in extras}
        constants = [
            *filter(is_source, trace.constants),
            *(t for t in computed_with if t.identity in differentiated),
        ]
        own = {t.identity: t for t in constants if t.identity not in known}
        return Traced(trace, eqns, arguments, extras, [*own.values()], results, entries)

    def _derivative(self, followed: tuple[int, ...]) -> Derivative:
        with self.trace.lock:
            found = self._derivatives.get(followed)
            if found is None:
                found = self._derivatives[followed] = Derivative(self, followed)
            return found

    def _followed(self, operands: Sequence[Tensor]) -> tuple[int, ...]:
        """Return the positions of the inputs that active tapes follow."""
        given = (*operands, *self.constants)
        return tuple(i for i, t in enumerate(given) if carries_gradient(t) and _is_followed(t))


def _bound(extra: Extra, variables: Mapping[int, Variable]) -> Extra:
    variable = variables.get(id(extra.variable))
    return extra if variable is None else Extra(extra.tensor, variable.value, variable)


def _is_followed(tensor: Tensor) -> bool:
    return any(tape.follows([tensor]) for tape in tapes.local.active)


def prepare(traced: Traced) -> None:
    """Let the dispatch extension make the next calls on the active backend, if it can."""
    backend = registry.active
    if backend is None or not traced.executable.is_planned:
        return
    program = traced.executable.programs.get(backend)
    if program is None or traced.assigned:
        traced.direct = DirectCall(backend)
    elif program.main.number:
        places = [source_of(extra) for extra in traced.extras]
        traced.direct = DirectCall.of(program, places, traced.results.how)


def quick_key(values: Sequence[Any], tensors: list[Tensor]) -> Any:
    """Return a key that is equal for lists of arguments with the same trace.

    It is None if an argument is not a tensor, array, Python number, string, None, tuple, list or
    dict. Such arguments need the slower :class:`Call`.

    Args:
        values: The positional arguments.
        tensors: List that receives the tensors and converted arrays, as in :attr:`Call.tensors`.
    """
    key: list[Any] = []
    for value in values:
        kind = type(value)
        if kind is Tensor:
            tensors.append(value)
            key.append(value.aval)
        elif value is None or kind in _CONSTANTS:
            key.append(value)
        elif kind is np.ndarray:
            tensors.append(convert_to_tensor(value))
            key.append(tensors[-1].aval)
        elif isinstance(value, Wrapper):
            tensors.append(value.wrapped)
            key.append((kind, value.wrapped.aval))
        elif isinstance(value, FieldRecord):
            inner = quick_key(value.__parts__(), tensors)
            if inner is None:
                return None
            key.append((kind, value.__facts__(), inner))
        elif kind in _PLAIN_NESTS:
            names = tuple(sorted(value)) if kind is dict else ()
            inner = quick_key([value[name] for name in names] if names else value, tensors)
            if inner is None:
                return None
            key.append((kind, names, inner))
        else:
            return None
    return tuple(key)


_CONSTANTS = frozenset([bool, int, float, str])
_PLAIN_NESTS = frozenset([tuple, list, dict])
