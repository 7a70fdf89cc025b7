"""An executable: a Graph that is compiled once for each backend that runs it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from tfpy._src.backends import registry
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.event_loop import give_turn, is_short
from tfpy._src.backends.storage import Storage
from tfpy._src.base import tracing
from tfpy._src.base.errors import OpError
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.passes.pipeline import prepare
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor import op_by_op
from tfpy._src.functions.executor.compiled_parts import GraphValue, Lowering, Result
from tfpy._src.functions.executor.execution_hints import UNKNOWN, Usage
from tfpy._src.functions.executor.plan import Plan
from tfpy._src.functions.executor.program import GraphProgram
from tfpy._src.functions.trace.symbolic import SymbolicTensor


class Repeated(NamedTuple):
    """The result of several runs of a Graph."""

    outputs: list[Tensor]
    """Outputs of the last successful run."""
    error: OpError | None
    """Error of the run after it, or None if all runs succeeded."""


_planning = threading.RLock()
"""Lock that is held while a Graph is compiled, because several threads may run it first."""


class Executable:
    """A function of tensors that runs a Graph, for inputs with the Graph's avals.

    Args:
        graph: The Graph.
        usage: Execution hints.
    """

    def __init__(self, graph: Graph, usage: Usage = UNKNOWN) -> None:
        self.graph = graph
        self._usage = usage
        before = {usage.carried[v]: i for i, v in enumerate(graph.inputs) if v in usage.carried}
        sources = [_source(graph, v, n in before) for n, v in enumerate(graph.outputs)]
        self._computed = list(dict.fromkeys(sources))
        self._results = [
            Result(graph.avals[v].closed, self._computed.index(source), before.get(n, -1))
            for n, (v, source) in enumerate(zip(graph.outputs, sources, strict=True))
        ]
        self._carried = {i: self._results[n].computed for n, i in before.items()}
        """For positions of inputs, the computed values that are their next values."""
        self._plans: dict[Backend, Plan] = {}
        self.programs: dict[Backend | None, GraphProgram] = {}
        """Programs by active backend, if the whole Graph is one program."""

    def run(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Compute the outputs, in the Graph's order. Within a trace, copy the equations into it."""
        if tracing.local.active and self.joins_trace(inputs):
            return tracing.local.active[-1].inline(self.graph, inputs).outputs
        return self.compute(inputs)

    def compute(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Compute the outputs, without regard to traces."""
        if op_by_op.watching:
            return op_by_op.run(self.graph, inputs)
        backend = registry.active or registry.active_backend()
        plan = self._plan(backend)
        if plan.program is not None:
            return plan.program.run(inputs)
        if backend.collect_due:
            backend.collect()
        return self._tensors(plan.run(inputs))

    def _tensors(self, found: Sequence[Storage]) -> list[Tensor]:
        """Return the outputs as tensors over the computed storages."""
        return [Tensor(aval, found[i]) for aval, i, _ in self._results]

    async def run_async(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Compute the outputs, and keep the page responsive if this takes long."""
        if op_by_op.watching or self.joins_trace(inputs):
            return self.run(inputs)
        backend = registry.active or registry.active_backend()
        plan = self._plan(backend)
        await give_turn()
        if plan.program is not None and is_short(plan.program.main.seconds):
            return plan.program.run_timed(inputs)
        if backend.collect_due:
            backend.collect()
        return self._tensors(await plan.run_async(inputs))

    def repeat(
        self, inputs: Sequence[Tensor], later: Sequence[Sequence[Tensor]]
    ) -> Repeated | None:
        """Run the Graph several times, each time on the carried values of the previous run.

        Args:
            inputs: Inputs of the first run, as for :meth:`run`.
            later: For each further run its first inputs, which are not carried.

        Returns:
            The result, or None if the runs must be made separately.
        """
        if op_by_op.watching:
            return None
        backend = registry.active or registry.active_backend()
        program = self._plan(backend).program
        if program is None or not program.link(self._carried, len(later[0])):
            return None
        return Repeated(*program.repeat(inputs, later))

    def joins_trace(self, inputs: Sequence[Tensor]) -> bool:
        """Return True if a run must copy the equations into the active trace."""
        return bool(tracing.local.active) and (
            any(isinstance(t, SymbolicTensor) for t in inputs)
            or any(eqn.op.stateful for eqn in self.graph.eqns)
        )

    async def prepare(self, progress: Callable[[float], None]) -> None:
        """Compile the programs of the active backend, which the first run would do otherwise.

        Args:
            progress: Function that is called with the completed share, up to 1.0.
        """
        programs = self._plan(registry.active_backend()).programs
        for number, program in enumerate(programs):

            def heard(done: int, total: int, number: int = number) -> None:
                progress((number + done / max(total, 1)) / len(programs))

            await program.register(heard)
        progress(1.0)

    def lowering(self) -> Lowering:
        """Return the optimized Graphs and the Programs that the active backend runs, in order."""
        plan = self._plan(registry.active_backend())
        avals = (plan.graph.avals[v] for v in plan.graph.inputs)
        inputs = list(map(GraphValue, plan.graph.inputs, avals))
        outputs = [GraphValue(plan.graph.outputs[i], aval) for aval, i, _ in self._results]
        return Lowering(plan.parts, inputs, outputs)

    @property
    def is_planned(self) -> bool:
        """True if the active backend has a plan for the Graph."""
        return registry.active is not None and registry.active in self._plans

    def plan_for(self, backend: Backend) -> tuple[Plan, list[int]]:
        """Return a backend's plan, and the positions of the Graph's outputs among its outputs.

        Args:
            backend: Backend, which does not have to be open.

        Raises:
            NotLowerable: If the backend cannot run the Graph.
        """
        return self._plan(backend), [i for _, i, _ in self._results]

    def _plan(self, backend: Backend) -> Plan:
        found = self._plans.get(backend)
        if found is None:
            with _planning:  # another thread may have made the plan meanwhile
                found = self._plans.get(backend) or self._make_plan(backend)
        return found

    def _make_plan(self, backend: Backend) -> Plan:
        began = clock() if recorders else 0.0
        given = self.graph
        graph = Graph(given.avals, given.inputs, given.constants, given.eqns, self._computed)
        weights = [i for i, v in enumerate(given.inputs) if v in self._usage.weights]
        spreads = sharder_of(backend) is not None
        graph = prepare(graph, backend.target, weights, backend.dtypes, spreads=spreads)
        usage = self._usage.renumbered(self.graph, graph)
        carried = {v: self._results[n].computed for v, n in usage.carried.items()}
        usage = replace(usage, carried=carried)
        plan = self._plans[backend] = Plan(graph, backend, usage, self._results)
        if plan.program is not None:
            self.programs[backend] = plan.program
        if began:
            note("passes", f"{len(graph.eqns)} equations", began)
        return plan


def _source(graph: Graph, value: int, keeps_shape: bool) -> int:
    """Return the value that shares its bytes with an output, so that final reshapes are free.

    Args:
        graph: The Graph.
        value: The output.
        keeps_shape: If True, the shared value must have the output's shape.
    """
    makers = {v: eqn for eqn in reversed(graph.eqns) for v in eqn.outputs}
    found = value
    while (maker := makers.get(found)) is not None and maker.op.is_alias:
        found = maker.inputs[0]
    return value if keeps_shape and graph.avals[found] is not graph.avals[value] else found
