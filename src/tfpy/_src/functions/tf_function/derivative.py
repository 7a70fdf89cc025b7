"""The derivative of a traced computation, traced as well.

The gradient rules of the recorded ops extend the trace, and the new equations are a computation of
their own. The computation also returns the residuals, which are the values that its derivative
reads, so that nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core.tape import Entry, backpropagate, dependent
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.control_op import carries_gradient
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.tf_function.results import Results
from tfpy._src.functions.trace.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from tfpy._src.functions.tf_function.traced import Traced


class Derivative:
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
        traced = primal.continued(eqns, [*seeds, *residuals], results, entries, computed_with)
        return _Backward(traced, residuals), inside

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


def _ran_at_once(entry: Entry) -> bool:
    """Return True for an op that ran while a function was traced, as its inputs had values."""
    return not any(isinstance(t, SymbolicTensor) for t in (*entry.inputs, *entry.outputs))


class _Backward:
    """A backward computation and the residuals that it takes."""

    def __init__(self, traced: Traced, residuals: Sequence[Tensor]) -> None:
        self._traced = traced
        self._residuals = residuals

    def run(self, gradients: Sequence[Tensor], known: Mapping[int, Tensor]) -> list[Any]:
        """The gradient of each source, from those that flow in and the values of a call."""
        given = [*gradients, *(known[t.identity] for t in self._residuals)]
        gradient_of_each: list[Any] = self._traced.results.filled(self._traced.compute(given))
        return gradient_of_each
