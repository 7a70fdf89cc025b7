"""The derivative of a traced computation, traced as well.

The gradient rules of the recorded ops extend the trace, and the new equations form a separate
computation. The forward computation also returns the residuals, which are the values that the
derivative reads, so that nothing is computed twice.
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
    """The derivative of a traced computation with respect to some of its inputs."""

    def __init__(self, primal: Traced, wanted: Sequence[int]) -> None:
        self._primal = primal
        self._wanted = wanted
        self._sources = [primal.sources[i] for i in wanted]
        self._entries, self._watched = dependent(primal.entries, self._sources)
        self.saved: tuple[Tensor, ...] = ()
        """Residuals inside the computation that the first backward computation reads."""
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
        """Compute the outputs and record the computation as one entry on the tapes."""
        primal = self._primal
        results = self._executable.run(operands)
        primal.record([given[i] for i in self._wanted], results, self.backward(given, results))
        return results[: len(primal.outputs)]

    def backward(
        self, given: Sequence[Tensor], results: Sequence[Tensor]
    ) -> Callable[..., Sequence[Any]]:
        """Return the backward function of a call.

        Args:
            given: Inputs of the call.
            results: Outputs and residuals of the call.
        """
        inside = (*self._primal.sources, *self._primal.outputs, *self.saved)
        known = {t.identity: v for t, v in zip(inside, (*given, *results), strict=True)}

        def backward(*flowing: Tensor | None) -> Sequence[Any]:
            found = self._backward(tuple(g is not None for g in flowing))
            return found.run([g for g in flowing if g is not None], known)

        return backward

    def _backward(self, flowing: tuple[bool, ...]) -> _Backward:
        """Return the computation for gradients that flow from these outputs and residuals."""
        with self._primal.trace.lock:
            found = self._backwards.get(flowing)
            if found is None:
                found, _ = self._trace_backward(flowing, saving=False)
                self._backwards[flowing] = found
            return found

    def _trace_backward(
        self, flowing: Sequence[bool], saving: bool
    ) -> tuple[_Backward, tuple[Tensor, ...]]:
        """Trace a backward computation. Return it with the residuals inside the primal computation.

        Unless `saving` is True, the backward computation recomputes the primal for its residuals.
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
        """Return the primal's extras, except results of ops that ran while tracing.

        These results are not sources of gradients. Gradients continue through the ops' entries.
        """
        entries = filter(_ran_at_once, self._primal.entries)
        returned = {t.identity for entry in entries for t in entry.outputs}
        tensors = (extra.tensor for extra in self._primal.extras)
        return [t for t in tensors if t.identity not in returned]

    def _residuals(
        self, used: Sequence[Tensor], reachable: Sequence[Tensor]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """Return the used tensors that the primal has or computes, and those inside it.

        The primal returns the latter only if they are saved. `reachable` are the tensors that it
        already returns.
        """
        primal, trace = self._primal, self._primal.trace
        outside = {t.identity for t in (*trace.constants, *(e.tensor for e in trace.extras))}
        given = (*primal.arguments, *reachable, *self._captured())
        known = {t.identity for t in given}
        residuals = [t for t in used if t.identity in known or t.identity not in outside]
        return residuals, tuple(t for t in residuals if t.identity not in known)


def _ran_at_once(entry: Entry) -> bool:
    """Return True for an op that ran immediately while a function was traced."""
    return not any(isinstance(t, SymbolicTensor) for t in (*entry.inputs, *entry.outputs))


class _Backward:
    """A backward computation and the residuals that it reads."""

    def __init__(self, traced: Traced, residuals: Sequence[Tensor]) -> None:
        self._traced = traced
        self._residuals = residuals

    def run(self, gradients: Sequence[Tensor], known: Mapping[int, Tensor]) -> list[Any]:
        """Return the gradient of each source, from the output gradients and the call's values."""
        given = [*gradients, *(known[t.identity] for t in self._residuals)]
        gradient_of_each: list[Any] = self._traced.results.filled(self._traced.compute(given))
        return gradient_of_each
