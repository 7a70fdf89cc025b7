"""Plans: the steps that run a Graph on a backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.storage import Storage, host_storage
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.graph import Eqn, Graph, extract, refusal
from tfpy._src.compiler.passes.prelude import WeightOnly
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.compiled_parts import CompiledPart, Result
from tfpy._src.functions.executor.control_op import ControlOp
from tfpy._src.functions.executor.device_step import DeviceStep
from tfpy._src.functions.executor.donation import donations_of, unshared
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.executor.host_shadow import Mirror, can_mirror, host_operands
from tfpy._src.functions.executor.program import DeviceProgram, GraphProgram
from tfpy._src.functions.executor.regions import Place, Region, cut
from tfpy._src.functions.executor.steps import ControlStep, HostStep, Step, step_of


class Plan:
    """The regions of a Graph on a backend, with their Programs.

    Args:
        graph: The Graph.
        backend: The backend.
        usage: Execution hints.
        results: Requested outputs of the Graph.
    """

    def __init__(
        self, graph: Graph, backend: Backend, usage: Usage, results: Sequence[Result]
    ) -> None:
        self.graph = graph
        self.usage = usage
        self._backend = backend
        made = partial(_steps, graph, backend, usage)
        try:
            regions, self.steps = made(frozenset())
        except NotLowerable:
            regions, self.steps = made(_refused(graph, backend))
        self._constants = {
            v: host_storage(graph.constants[v], graph.avals[v])
            for v in graph.outputs
            if v in graph.constants
        }
        self._last = _last_uses(regions, {*graph.outputs})
        self._last_step = self.steps[-1] if self.steps else None
        last = self._last_step
        self.donations = (
            donations_of(graph.inputs, regions[-1].inputs, last.donatable)
            if isinstance(last, DeviceStep)
            else []
        )
        """Pairs of positions, in the inputs of the Graph and of the last step."""
        self.program = self._program(regions, results)
        """Program of the whole Graph, or None if the Graph has several regions."""

    def _program(self, regions: Sequence[Region], results: Sequence[Result]) -> GraphProgram | None:
        step, graph = self._last_step, self.graph
        if len(self.steps) != 1 or not isinstance(step, DeviceStep):
            return None
        (region,) = regions
        if region.outputs != graph.outputs or not set(region.inputs) <= set(graph.inputs):
            return None
        return GraphProgram(
            step.main,
            step.read,
            step.select,
            step.reads_all,
            [graph.inputs.index(v) for v in region.inputs],
            self.donations,
            _before(graph, self.usage.carried, self.donations),
            results,
        )

    @property
    def programs(self) -> list[DeviceProgram]:
        return [program for step in self.steps for program in step.programs]

    @property
    def parts(self) -> list[CompiledPart]:
        return [part for step in self.steps for part in step.parts]

    def run(self, inputs: Sequence[Tensor]) -> list[Storage]:
        """Run the regions and return the outputs, in the Graph's order."""
        values = dict(zip(self.graph.inputs, [t.storage for t in inputs], strict=True))
        values.update(self._constants)
        for step, last in zip(self.steps, self._last, strict=True):
            if isinstance(step, DeviceStep) and step is self._last_step:
                step.run(values, unshared(inputs, self.donations, holders=1))
            else:
                step.run(values)
            for v in last:
                del values[v]
        return [values[v] for v in self.graph.outputs]

    async def run_async(self, inputs: Sequence[Tensor]) -> list[Storage]:
        """Run the regions in slices if they take long.

        The state of a loop is donated. Variables are not, so that code that reads one meanwhile
        finds its old value.
        """
        values = dict(zip(self.graph.inputs, [t.storage for t in inputs], strict=True))
        values.update(self._constants)
        for step, last in zip(self.steps, self._last, strict=True):
            if isinstance(step, ControlStep):
                await step.run_async(values, last)
            elif self.usage.spent and isinstance(step, DeviceStep) and step is self._last_step:
                await step.run_async(values, unshared(inputs, self.donations, holders=1))
            else:
                await step.run_async(values)
            for v in last:
                values.pop(v, None)
        return [values[v] for v in self.graph.outputs]


def _before(
    graph: Graph, carried: Mapping[int, int], donations: Sequence[tuple[int, int]]
) -> list[int]:
    """Return for each output the donated input that provides its storage, or -1.

    The input is given as a position in the last step. The output is the input's next value.
    """
    found = [-1] * len(graph.outputs)
    for i, at in donations:
        output = carried[graph.inputs[i]]
        if graph.avals[graph.outputs[output]] is graph.avals[graph.inputs[i]]:
            found[output] = at
    return found


def _last_uses(regions: Sequence[Region], outputs: set[int]) -> list[list[int]]:
    """Return for each region the values that no later region needs."""
    seen = set(outputs)
    last: list[list[int]] = []
    for region in reversed(regions):
        dead = [v for v in (*region.inputs, *region.outputs) if v not in seen]
        last.append(list(dict.fromkeys(dead)))
        seen.update(dead)
    return last[::-1]


def _lowers(graph: Graph, eqn: Eqn, backend: Backend, refused: Set[str]) -> bool:
    """Return True if, according to the op table, the backend computes an equation."""
    return (
        (backend.runs_control or not isinstance(eqn.op, ControlOp))
        and eqn.op.name not in refused
        and backend.takes(eqn.op, [graph.avals[v] for v in (*eqn.inputs, *eqn.outputs)])
        and refusal(graph, eqn) is None
    )


def _refused(graph: Graph, backend: Backend) -> frozenset[str]:
    """Return the ops that the backend cannot run with the given shapes."""
    found: set[str] = set()
    for eqn in graph.eqns:
        if _lowers(graph, eqn, backend, found):
            try:
                backend.lower(_alone(graph, eqn))
            except NotLowerable:
                found.add(eqn.op.name)
    return frozenset(found)


def _alone(graph: Graph, eqn: Eqn) -> Graph:
    """Return the Graph of one equation. Control flow keeps its constants, which may matter."""
    known = [v for v in eqn.inputs if v in graph.constants and isinstance(eqn.op, ControlOp)]
    given = [v for v in dict.fromkeys(eqn.inputs) if v not in known]
    return extract(graph, given, dict.fromkeys(known), [eqn], eqn.outputs)


def _steps(
    graph: Graph, backend: Backend, usage: Usage, refused: frozenset[str]
) -> tuple[list[Region], list[Step]]:
    """Return the regions and their steps. Ops in `refused` run on the host.

    The last step may receive donations.

    Raises:
        NotLowerable: If the backend cannot run another op.
    """

    def place(eqn: Eqn) -> Place:
        if _lowers(graph, eqn, backend, refused):
            return Place.DEVICE
        return Place.CONTROL if isinstance(eqn.op, ControlOp) else Place.HOST

    fixed = WeightOnly(graph, [i for i, v in enumerate(graph.inputs) if v in usage.weights])
    found = cut(graph, place, fixed.__contains__)
    regions = [_with_mirrors(region, graph, backend) for region in found]
    donated = usage.donated - {*graph.outputs}
    nothing: Set[int] = frozenset()
    steps: list[Step] = []
    for region in regions:
        steps.append(step_of(region, backend, usage, donated if region is regions[-1] else nothing))
        if isinstance(steps[-1], HostStep):
            usage = replace(usage, weights=usage.weights | steps[-1].lasting)
    return regions, steps


def _with_mirrors(region: Region, graph: Graph, backend: Backend) -> Region:
    """Add to a control region the mirrors for the values that decide its control flow."""
    if region.place is not Place.CONTROL or backend.on_host:
        return region
    values = [v for v in host_operands(region.graph) if can_mirror(graph, v)]
    mirrors = [Mirror(graph, [v]) for v in values if v not in (*graph.inputs, *graph.constants)]
    part = region.graph
    inputs = list(dict.fromkeys([*part.inputs, *(v for m in mirrors for v in m.inputs)]))
    whole = Graph(part.avals, inputs, part.constants, part.eqns, part.outputs)
    return Region(whole, region.place, tuple(mirrors))
