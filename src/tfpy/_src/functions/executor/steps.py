"""The steps of a compiled function: regions that a device, NumPy or the host runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from operator import is_not
from typing import Any, NoReturn

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.event_loop import give_turn
from tfpy._src.backends.interrupts import let_in
from tfpy._src.backends.storage import Storage, host_storage
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.base.source_locations import add_note
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Eqn, Graph, refusal
from tfpy._src.compiler.ir.slices import slice_of
from tfpy._src.compiler.passes.prelude import WeightOnly
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.compiled_parts import HOST, CompiledPart
from tfpy._src.functions.executor.control_op import ControlOp, PartsRunner
from tfpy._src.functions.executor.device_step import DeviceStep
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.executor.host_shadow import Mirror
from tfpy._src.functions.executor.program import DeviceProgram
from tfpy._src.functions.executor.regions import Place, Region


def _part_of_host(graph: Graph) -> CompiledPart:
    return CompiledPart(HOST, graph, None, graph.inputs, graph.outputs)


class HostStep:
    """A region that NumPy computes.

    Values that depend only on weights are computed again only if a weight has changed.
    """

    programs: tuple[DeviceProgram, ...] = ()

    def __init__(self, region: Region, usage: Usage) -> None:
        graph = self.graph = region.graph
        self.parts = [_part_of_host(graph)]
        fixed = [i for i, v in enumerate(graph.inputs) if v in usage.weights]
        known = WeightOnly(graph, fixed)
        self.lasting = frozenset(v for v in graph.outputs if v in known)
        """Outputs that depend only on weights."""
        self._refused = next((eqn for eqn in graph.eqns if refusal(graph, eqn) is not None), None)
        """Equation that raises an error whenever it runs, or None. It needs no device values."""
        self._weights = [graph.inputs[i] for i in fixed]
        self._early = _giving(graph, self._weights, self.lasting)
        self._late = _giving(graph, graph.inputs, {*graph.outputs} - self.lasting, effects=True)
        self._prepared: tuple[list[Storage], dict[int, Storage]] | None = None

    async def run_async(self, values: dict[int, Storage]) -> None:
        """Run the step after a turn of the event loop."""
        await give_turn()
        self.run(values)

    def run(self, values: dict[int, Storage]) -> None:
        if self._refused is not None:
            self._refuse(self._refused)
        began = clock() if recorders else 0.0
        weights = [values[v] for v in self._weights]
        prepared = self._prepared
        if prepared is None or any(map(is_not, prepared[0], weights)):
            prepared = self._prepared = weights, _computed(self._early, values)
        values.update(prepared[1])
        values.update(_computed(self._late, values))
        if began:
            note("host", ", ".join(dict.fromkeys(e.op.name for e in self.graph.eqns)), began)

    def _refuse(self, eqn: Eqn) -> NoReturn:
        error = refusal(self.graph, eqn)
        assert error is not None
        add_note(error, eqn.line)
        raise error


def _giving(graph: Graph, inputs: Sequence[int], outputs: Set[int], effects: bool = False) -> Graph:
    """Return the Graph that computes some outputs, optionally with the side effects."""
    wanted = [v for v in graph.outputs if v in outputs]
    eqns, needed = slice_of(graph.eqns, wanted, effects)
    read = [v for v in inputs if v in needed]
    return Graph(graph.avals, read, graph.constants, eqns, wanted)


def _computed(graph: Graph, values: Mapping[int, Storage]) -> dict[int, Storage]:
    inputs = [_view(values[v], graph.avals[v]) for v in graph.inputs]
    arrays = evaluate(graph, inputs)
    return {
        value: host_storage(array, graph.avals[value])
        for value, array in zip(graph.outputs, arrays, strict=True)
    }


def _view(storage: Storage, aval: Aval) -> Any:
    return storage.to_host().reshape(aval.shape)


class ControlStep:
    """A region of control-flow equations, which the host runs."""

    programs: tuple[DeviceProgram, ...] = ()

    def __init__(self, region: Region, usage: Usage) -> None:
        self.graph = region.graph
        self.parts = [_part_of_host(region.graph)]
        self.mirrors = region.mirrors
        lasting = Usage(
            usage.weights | region.graph.constants.keys(),
            bits=usage.bits,
            unread=_unread(region.graph),
        )
        self._constants = {
            v: host_storage(array, region.graph.avals[v])
            for v, array in region.graph.constants.items()
        }
        self.equations = [
            (eqn, eqn.op.runner(lasting, eqn))
            for eqn in region.graph.eqns
            if isinstance(eqn.op, ControlOp)
        ]
        """Equations with their runners."""
        self._dead = _last_uses(region.graph)

    def run(self, values: dict[int, Storage]) -> None:
        known = self._known(values)
        for eqn, run in self.equations:
            try:
                with let_in():
                    outputs = run(*self._operands(eqn, known))
            except Exception as error:
                add_note(error, eqn.line)
                raise
            known.update((v, t.storage) for v, t in zip(eqn.outputs, outputs, strict=True))
        values.update((v, known[v]) for v in self.graph.outputs)

    async def run_async(self, values: dict[int, Storage], last: Sequence[int] = ()) -> None:
        """Run the equations and keep the page responsive.

        Args:
            values: Values by number, to which the outputs are added.
            last: Values that no later step needs. They are removed before the equations run, so
                that a loop can overwrite its initial state.
        """
        known = self._known(values)
        for v in last:
            values.pop(v, None)
        for (eqn, run), dead in zip(self.equations, self._dead, strict=True):
            try:
                if isinstance(run, PartsRunner):
                    outputs = await run.run_async(*self._operands(eqn, known, dead))
                else:
                    outputs = run(*self._operands(eqn, known))
            except Exception as error:
                add_note(error, eqn.line)
                raise
            known.update((v, t.storage) for v, t in zip(eqn.outputs, outputs, strict=True))
        values.update((v, known[v]) for v in self.graph.outputs)

    def _known(self, values: dict[int, Storage]) -> dict[int, Storage]:
        """Return the values that exist before the first equation."""
        known = values | self._constants
        for mirror in self.mirrors:
            _mirror(mirror, known)
        return known

    def _operands(
        self, eqn: Eqn, known: dict[int, Storage], dead: Sequence[int] = ()
    ) -> list[Tensor]:
        """Return the operands of an equation, and remove the dead ones from the known values."""
        operands = [Tensor(self.graph.avals[v], known[v]) for v in eqn.inputs]
        for v in dead:
            del known[v]
        return operands


def _last_uses(graph: Graph) -> list[list[int]]:
    """Return for each control-flow equation its operands that nothing reads afterwards."""
    read = {*graph.outputs}
    found: list[list[int]] = []
    for eqn in reversed(graph.eqns):
        if isinstance(eqn.op, ControlOp):
            found.append([v for v in dict.fromkeys(eqn.inputs) if v not in read])
        read.update(eqn.inputs)
    return found[::-1]


def _unread(graph: Graph) -> frozenset[int]:
    """Return the values that neither an equation reads nor the Graph returns."""
    read = {*graph.outputs, *(v for eqn in graph.eqns for v in eqn.inputs)}
    return frozenset(v for eqn in graph.eqns for v in eqn.outputs if v not in read)


def _mirror(mirror: Mirror, known: dict[int, Storage]) -> None:
    """Compute a value on the host if all of its inputs are on the host."""
    (value,) = mirror.values
    storage = known.get(value)
    if storage is None or storage.host is not None:
        return
    arrays = {v: known[v].host for v in mirror.inputs}
    if all(array is not None for array in arrays.values()):
        shaped = {v: _view(known[v], mirror.aval(v)) for v in arrays}
        (array,) = mirror.compute(shaped)
        storage.remember(array)


Step = DeviceStep | HostStep | ControlStep


def step_of(
    region: Region, backend: Backend, usage: Usage, donated: Set[int] = frozenset()
) -> Step:
    """Return the step that runs a region. The arguments are described in :class:`DeviceStep`."""
    if region.place is Place.DEVICE:
        return DeviceStep(region, backend, usage, donated)
    return HostStep(region, usage) if region.place is Place.HOST else ControlStep(region, usage)
