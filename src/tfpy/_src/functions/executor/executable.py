"""Executable: a Graph, compiled once for each backend that runs it."""

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
from tfpy._src.functions.executor.compiled_parts import GraphValue, Lowering
from tfpy._src.functions.executor.execution_hints import UNKNOWN, Usage
from tfpy._src.functions.executor.plan import Plan
from tfpy._src.functions.executor.program import GraphProgram, Result
from tfpy._src.functions.trace.symbolic import SymbolicTensor


class Repeated(NamedTuple):
    """What several runs of a Graph gave."""

    outputs: list[Tensor]
    """Those of the last run."""
    error: OpError | None
    """Why a later run failed: the outputs are those of the one before then."""


_planning = threading.RLock()
"""Held while a Graph is compiled: several threads may run it for the first time."""


class Executable:
    """Runs a Graph on tensors of the avals of its inputs.

    Args:
        usage: how it is run.
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
        """Positions of inputs, and which of the computed values are their next values."""
        self._plans: dict[Backend, Plan] = {}
        self.programs: dict[Backend | None, GraphProgram] = {}
        """By the active backend what runs the Graph, if that is one program."""

    def run(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, in the Graph's order. Within a trace the equations are copied there."""
        if tracing.local.active and self.joins_trace(inputs):
            return tracing.local.active[-1].inline(self.graph, inputs).outputs
        return self.compute(inputs)

    def compute(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """:meth:`run` where no trace is taken."""
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
        """Return the outputs, over the bytes of the computed values."""
        return [Tensor(aval, found[i]) for aval, i, _ in self._results]

    async def run_async(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """:meth:`run`, between whose parts the page has its turns if it takes long."""
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
        """Runs it several times, each time on the carried values of the run before.

        Args:
            inputs: those of the first run, as for :meth:`run`.
            later: the first ones of each other run, which are not carried.

        Returns:
            None where each run must be made by itself.
        """
        if op_by_op.watching:
            return None
        backend = registry.active or registry.active_backend()
        program = self._plan(backend).program
        if program is None or not program.link(self._carried, len(later[0])):
            return None
        return Repeated(*program.repeat(inputs, later))

    def joins_trace(self, inputs: Sequence[Tensor]) -> bool:
        """Whether running it means copying its equations into the trace being taken."""
        return bool(tracing.local.active) and (
            any(isinstance(t, SymbolicTensor) for t in inputs)
            or any(eqn.op.stateful for eqn in self.graph.eqns)
        )

    async def prepare(self, progress: Callable[[float], None]) -> None:
        """Makes the active backend's programs, which the first run does otherwise.

        Args:
            progress: called with the share that is done, up to 1.0.
        """
        programs = self._plan(registry.active_backend()).programs
        for number, program in enumerate(programs):

            def heard(done: int, total: int, number: int = number) -> None:
                progress((number + done / max(total, 1)) / len(programs))

            await program.register(heard)
        progress(1.0)

    def lowering(self) -> Lowering:
        """The Graphs, optimized, and Programs that the active backend runs, in order."""
        plan = self._plan(registry.active_backend())
        avals = (plan.graph.avals[v] for v in plan.graph.inputs)
        inputs = list(map(GraphValue, plan.graph.inputs, avals))
        outputs = [GraphValue(plan.graph.outputs[i], aval) for aval, i, _ in self._results]
        return Lowering(plan.parts, inputs, outputs)

    @property
    def is_planned(self) -> bool:
        """Whether the active backend has run it or was asked how it would."""
        return registry.active is not None and registry.active in self._plans

    def plan_for(self, backend: Backend) -> tuple[Plan, list[int]]:
        """What a backend, which need not be open, runs; and which of its outputs are the Graph's.

        Raises:
            NotLowerable: when the backend cannot run it.
        """
        return self._plan(backend), [i for _, i, _ in self._results]

    def _plan(self, backend: Backend) -> Plan:
        found = self._plans.get(backend)
        if found is None:
            with _planning:  # another thread may have been faster
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
    """The value whose bytes an output is: reshapes at the end cost nothing.

    Args:
        keeps_shape: whether it is one of the output's shape.
    """
    makers = {v: eqn for eqn in reversed(graph.eqns) for v in eqn.outputs}
    found = value
    while (maker := makers.get(found)) is not None and maker.op.is_alias:
        found = maker.inputs[0]
    return value if keeps_shape and graph.avals[found] is not graph.avals[value] else found
