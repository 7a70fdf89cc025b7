"""A traced computation: called with tensors, differentiated by tapes, to any order.

A derivative is traced, too: the gradient rules of the recorded ops extend the trace, and the new
equations are a computation of their own. What they read of the first one (residuals) the first one
gives beside its outputs, so that nothing is computed twice.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.core import tape as tapes
from tfpy._src.core.tape import Entry, backpropagate, dependent
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.derivative import current
from tfpy._src.functions.executor.control_op import carries_gradient
from tfpy._src.functions.executor.executable import Executable, Repeated
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.tf_function.results import Results
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Extra, Trace
from tfpy._src.tensors.variables.variable import Variable


class _Fetched:
    """What each call takes from elsewhere, as Variables have their values."""

    __slots__ = ("_fetch",)

    def __init__(self, fetch: Callable[[], Tensor]) -> None:
        self._fetch = fetch

    @property
    def held(self) -> Tensor:
        return self._fetch()


_held = attrgetter("held")


class Traced:
    """Equations of a trace from ``arguments`` (and what the trace captured) to ``outputs``.

    Args:
        arguments, outputs: tensors as the trace's ops saw them; no two arguments are the same.
        extras: the other inputs.
        constants: captured tensors that are constants of the equations.
        entries: what the ops recorded.
        assigned: Variables that the caller gives new values, the last outputs, after each call.
        bits: in how many products with weights are computed where the backend can; 0: as they are,
            as those of its derivative.
    """

    def __init__(
        self,
        trace: Trace,
        eqns: Sequence[Eqn],
        arguments: Sequence[Tensor],
        extras: Sequence[Extra],
        constants: Sequence[Tensor],
        outputs: Sequence[Tensor],
        entries: Sequence[Entry],
        assigned: Sequence[Variable] = (),
        bits: int = 0,
    ) -> None:
        self.trace = trace
        self.arguments = tuple(arguments)
        self._take_extras(extras)
        self.constants = tuple(constants)
        self.outputs = tuple(outputs)
        self.entries = entries
        self.graph = Graph(
            trace.graph.avals,
            [trace.value_of(t) for t in (*arguments, *(extra.tensor for extra in extras))],
            dict(trace.graph.constants),
            list(eqns),
            [trace.value_of(t) for t in outputs],
        )
        self.weights = frozenset(
            trace.value_of(extra.tensor) for extra in extras if self._is_weight(extra)
        )
        """Inputs that are mostly the same from call to call."""
        places = {id(v): n for n, v in enumerate(assigned, len(outputs) - len(assigned))}
        carried = {
            trace.value_of(extra.tensor): places[id(extra.variable)]
            for extra in extras
            if id(extra.variable) in places
        }
        self.executable = Executable(self.graph, Usage(self.weights, carried, bits))
        self._derivatives: dict[tuple[int, ...], _Derivative] = {}

    def _take_extras(self, extras: Sequence[Extra]) -> None:
        self.extras = tuple(extras)
        self._places = [_Fetched(e.fetch) if e.variable is None else e.variable for e in extras]
        """What :attr:`extras` is read of, where nothing sees that."""

    def bound(self, variables: Mapping[int, Variable]) -> Traced:
        """Return the same computation with other Variables, given by the ids of those it has."""
        made = copy.copy(self)
        made._take_extras([_bound(extra, variables) for extra in self.extras])
        return made

    def _is_weight(self, extra: Extra) -> bool:
        """Whether it is a captured tensor, or a Variable that the function only reads."""
        if extra.variable is not None:
            return id(extra.variable) not in self.trace.assigned
        return not isinstance(extra.tensor, SymbolicTensor)

    @property
    def sources(self) -> tuple[Tensor, ...]:
        """What goes in: arguments, extras, constants."""
        return (*self.arguments, *(extra.tensor for extra in self.extras), *self.constants)

    def __call__(self, arguments: Sequence[Tensor]) -> list[Tensor]:
        """The outputs; recorded on the tapes that follow what goes in."""
        if not (tapes.local.active or tracing.local.active):
            return self.executable.compute(self._operands(arguments))
        operands = [*arguments, *[extra.fetch() for extra in self.extras]]
        followed = self._followed(operands) if tapes.local.active else ()
        if not followed:
            return self.executable.run(operands)
        given = [*operands, *self.constants]
        if self.executable.joins_trace(operands):
            return self._inlined(operands, given, followed)
        return self._derivative(followed).run(operands, given)

    async def run_async(self, arguments: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, between whose parts the page has its turns. Where a tape or a trace sees it,
        it is a plain call: these cannot tell what other tasks do meanwhile."""
        if tapes.local.active or tracing.local.active:
            return self(arguments)
        return await self.executable.run_async(self._operands(arguments))

    def _operands(self, arguments: Sequence[Tensor]) -> list[Tensor]:
        """What goes in, where nothing sees what is read."""
        return [*arguments, *map(_held, self._places)]

    def repeat(self, calls: Sequence[Sequence[Tensor]]) -> Repeated | None:
        """What the last of several calls gives, each on the values that the one before assigned.

        None where each call must be made by itself.
        """
        seen = tapes.local.active or tracing.local.active
        if seen or any(extra.anew is not None for extra in self.extras):
            return None
        return self.executable.repeat(self._operands(calls[0]), calls[1:])

    def _inlined(
        self, operands: Sequence[Tensor], given: Sequence[Tensor], followed: tuple[int, ...]
    ) -> list[Tensor]:
        """The outputs within a trace; the derivative is taken only if it is asked for."""
        copied = current().inline(self.graph, operands)
        results = copied.outputs
        watched = [given[i] for i in followed]

        def backward(*flowing: Tensor | None) -> Sequence[Any]:
            derivative = self._derivative(followed)
            inside = [copied.tensor(self.trace.value_of(t)) for t in derivative.saved]
            saved = [current().alias(t) for t in inside]
            if saved:  # derivatives of this derivative flow to what is watched
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
        """Tells the tapes what was computed of what."""
        entry = Entry(self.trace.name, tuple(watched), tuple(results), backward)
        for tape in tapes.local.active:
            tape.record(entry)

    def _derivative(self, followed: tuple[int, ...]) -> _Derivative:
        with self.trace.lock:
            found = self._derivatives.get(followed)
            if found is None:
                found = self._derivatives[followed] = _Derivative(self, followed)
            return found

    def _followed(self, operands: Sequence[Tensor]) -> tuple[int, ...]:
        """The numbers of what goes in that active tapes follow."""
        given = (*operands, *self.constants)
        return tuple(i for i, t in enumerate(given) if carries_gradient(t) and _is_followed(t))


def _bound(extra: Extra, variables: Mapping[int, Variable]) -> Extra:
    variable = variables.get(id(extra.variable))
    return extra if variable is None else Extra(extra.tensor, variable.value, variable)


def _is_followed(tensor: Tensor) -> bool:
    return any(tape.follows([tensor]) for tape in tapes.local.active)


class _Derivative:
    """The derivative of a traced computation by some of what goes in."""

    def __init__(self, primal: Traced, wanted: Sequence[int]) -> None:
        self._primal = primal
        self._wanted = wanted
        self._sources = [primal.sources[i] for i in wanted]
        self._entries, self._watched = dependent(primal.entries, self._sources)
        self.saved: tuple[Tensor, ...] = ()
        """What is inside the computation and the backward one needs."""
        flowing = tuple(carries_gradient(t) for t in primal.outputs)
        first, self.saved = self._trace_backward(flowing, saving=True)
        self._backwards = {(*flowing, *[False] * len(self.saved)): first}
        outputs = (*primal.outputs, *self.saved)
        self._executable = Executable(
            Graph(
                primal.graph.avals,
                primal.graph.inputs,
                primal.graph.constants,
                primal.graph.eqns,
                [primal.trace.value_of(t) for t in outputs],
            ),
            Usage(primal.weights),
        )

    def run(self, operands: Sequence[Tensor], given: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, recorded as one computation of what is wanted of ``given``."""
        primal = self._primal
        results = self._executable.run(operands)
        primal.record([given[i] for i in self._wanted], results, self.backward(given, results))
        return results[: len(primal.outputs)]

    def backward(
        self, given: Sequence[Tensor], results: Sequence[Tensor]
    ) -> Callable[..., Sequence[Any]]:
        """The backward function of a call.

        Args:
            given: what went in.
            results: the outputs and what was saved.
        """
        inside = (*self._primal.sources, *self._primal.outputs, *self.saved)
        known = {t.identity: v for t, v in zip(inside, (*given, *results), strict=True)}

        def backward(*flowing: Tensor | None) -> Sequence[Any]:
            found = self._backward(tuple(g is not None for g in flowing))
            return found.run([g for g in flowing if g is not None], known)

        return backward

    def _backward(self, flowing: tuple[bool, ...]) -> _Backward:
        """The computation for gradients of these of the outputs and residuals."""
        with self._primal.trace.lock:
            found = self._backwards.get(flowing)
            if found is None:
                found, _ = self._trace_backward(flowing, saving=False)
                self._backwards[flowing] = found
            return found

    def _trace_backward(
        self, flowing: Sequence[bool], saving: bool
    ) -> tuple[_Backward, tuple[Tensor, ...]]:
        """The backward computation, and the values inside the primal one that it needs.

        Unless these are to be saved, it computes the primal one again to have them.
        """
        primal, trace = self._primal, self._primal.trace
        reachable = (*primal.outputs, *self.saved)
        targets = [t for t, flows in zip(reachable, flowing, strict=True) if flows]
        first = len(trace.graph.eqns)
        with trace.extended():
            seeds = [trace.argument(t.aval, "gradient") for t in targets]
            flows = list(zip(targets, seeds, strict=True))
            grads = backpropagate(self._entries, self._watched, flows)
            results = Results([grads.get(s.identity) for s in self._sources])
            for gradient in results.tensors:
                trace.value_of(gradient)
            computed_with = trace.computed_with()
            used, entries = list(trace.used.values()), trace.recorder.entries
        eqns = trace.graph.eqns[first:]
        residuals, inside = self._residuals(used, reachable)
        if inside and not saving:
            eqns, entries = [*primal.graph.eqns, *eqns], [*primal.entries, *entries]
            residuals = [*primal.arguments, *self._captured()]
        else:
            entries = [*filter(_ran_at_once, primal.entries), *entries]
        computed_with += primal.constants
        traced = _computation(
            trace, eqns, seeds, residuals, results.tensors, entries, computed_with
        )
        return _Backward(traced, residuals, results), inside

    def _captured(self) -> list[Tensor]:
        """Return the primal one's extras without what ops returned that ran at once.

        That is no source of gradients: these flow on through the entries of the ops.
        """
        entries = filter(_ran_at_once, self._primal.entries)
        returned = {t.identity for entry in entries for t in entry.outputs}
        tensors = (extra.tensor for extra in self._primal.extras)
        return [t for t in tensors if t.identity not in returned]

    def _residuals(
        self, used: Sequence[Tensor], reachable: Sequence[Tensor]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """The used tensors that a call of the primal one takes or computes, and those inside it.

        The latter it gives only where they were saved; ``reachable`` is what it gives already.
        """
        primal, trace = self._primal, self._primal.trace
        outside = {t.identity for t in (*trace.constants, *(e.tensor for e in trace.extras))}
        given = (*primal.arguments, *reachable, *self._captured())
        known = {t.identity for t in given}
        residuals = [t for t in used if t.identity in known or t.identity not in outside]
        return residuals, tuple(t for t in residuals if t.identity not in known)


def _computation(
    trace: Trace,
    eqns: Sequence[Eqn],
    seeds: Sequence[Tensor],
    residuals: Sequence[Tensor],
    outputs: Sequence[Tensor],
    entries: Sequence[Entry],
    computed_with: Sequence[Tensor],
) -> Traced:
    """The equations from seeds and residuals to ``outputs``, with what else they read."""
    read = {trace.value_of(t) for t in outputs}
    read.update(v for eqn in eqns for v in eqn.inputs)
    given = {t.identity for t in residuals}
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
    return Traced(trace, eqns, [*seeds, *residuals], extras, [*own.values()], outputs, entries)


def _ran_at_once(entry: Entry) -> bool:
    """Return True for an op that ran while a function was traced, as its inputs had values."""
    return not any(isinstance(t, SymbolicTensor) for t in (*entry.inputs, *entry.outputs))


class _Backward:
    """A backward computation and the residuals that it takes."""

    def __init__(self, traced: Traced, residuals: Sequence[Tensor], results: Results) -> None:
        self._traced = traced
        self._residuals = residuals
        self._results = results  # the gradient of each source

    def run(self, gradients: Sequence[Tensor], known: Mapping[int, Tensor]) -> list[Any]:
        """The gradient of each source, from those that flow in and the values of a call."""
        found = self._traced([*gradients, *(known[t.identity] for t in self._residuals)])
        gradient_of_each: list[Any] = self._results.filled(found)
        return gradient_of_each
