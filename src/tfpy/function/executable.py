"""Executable: a Graph, compiled once for each backend that runs it."""

from __future__ import annotations

import weakref
from collections.abc import Sequence, Set
from typing import Any

from tfpy import tracing
from tfpy.function.control import ControlOp
from tfpy.function.loop_passes import live, shared
from tfpy.function.mirror import Mirror, can_mirror, steering
from tfpy.function.regions import Place, Region, cut
from tfpy.function.symbolic import SymbolicTensor
from tfpy.ir.evaluate import evaluate
from tfpy.ir.graph import Aval, Eqn, Graph, single_equation
from tfpy.lower.program import NotLowerable
from tfpy.ops.op import UNSUPPORTED
from tfpy.passes.pipeline import optimize_with_weights
from tfpy.runtime import registry
from tfpy.runtime.backend import Backend
from tfpy.runtime.storage import Storage, host_storage
from tfpy.tensor import Tensor


class Executable:
    """Runs a Graph on tensors of the avals of its inputs.

    Args:
        weights: inputs that are rarely others than at the call before.
    """

    def __init__(self, graph: Graph, weights: Set[int] = frozenset()) -> None:
        self.graph = graph
        self._weights = weights
        self._sources = {v: _source(graph, v) for v in graph.outputs}
        self._plans: weakref.WeakKeyDictionary[Backend, _Plan] = weakref.WeakKeyDictionary()

    def run(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, in the Graph's order. Within a trace the equations are copied there."""
        if tracing.active and any(isinstance(t, SymbolicTensor) for t in inputs):
            return tracing.active[-1].inline(self.graph, inputs)
        backend = registry.active_backend()
        plan = self._plans.get(backend)
        if plan is None:
            plan = self.compile(backend)
        if backend.garbage:
            backend.collect()
        values = plan.run([t.storage for t in inputs])
        avals, sources = self.graph.avals, self._sources
        return [Tensor(avals[v], values[sources[v]]) for v in self.graph.outputs]

    def compile(self, backend: Backend) -> _Plan:
        """Makes the Programs of a backend; the first run does it otherwise."""
        outputs = list(dict.fromkeys(self._sources.values()))
        graph = shared(self.graph)
        eqns = live(graph.eqns, outputs)
        graph = Graph(graph.avals, graph.inputs, graph.constants, eqns, outputs)
        plan = self._plans[backend] = _Plan(graph, backend, self._weights)
        return plan


def _source(graph: Graph, value: int) -> int:
    """The value whose bytes an output is: reshapes at the end cost nothing."""
    makers = {v: eqn for eqn in reversed(graph.eqns) for v in eqn.outputs}
    while (maker := makers.get(value)) is not None and maker.op.is_alias:
        value = maker.inputs[0]
    return value


class _Plan:
    """The regions of a Graph on a backend, with their Programs."""

    def __init__(self, graph: Graph, backend: Backend, weights: Set[int]) -> None:
        self._graph = graph
        try:
            regions, self._steps = _steps(graph, backend, weights, frozenset())
        except NotLowerable:
            regions, self._steps = _steps(graph, backend, weights, _refused(graph, backend))
        self._constants = {
            v: host_storage(graph.constants[v], graph.avals[v])
            for v in graph.outputs
            if v in graph.constants
        }
        self._last = _last_uses(regions, {*graph.outputs})

    def run(self, inputs: Sequence[Storage]) -> dict[int, Storage]:
        """The values of the outputs."""
        values = dict(zip(self._graph.inputs, inputs, strict=True))
        values.update(self._constants)
        for step, last in zip(self._steps, self._last, strict=True):
            step.run(values)
            for v in last:
                del values[v]
        return values


def _last_uses(regions: Sequence[Region], outputs: set[int]) -> list[list[int]]:
    """For each region the values that nothing needs after it."""
    seen = set(outputs)
    last: list[list[int]] = []
    for region in reversed(regions):
        dead = [v for v in (*region.inputs, *region.outputs) if v not in seen]
        last.append(list(dict.fromkeys(dead)))
        seen.update(dead)
    return last[::-1]


def _lowers(graph: Graph, eqn: Eqn, backend: Backend, refused: Set[str]) -> bool:
    """Whether the backend computes an equation, as far as the op table says."""
    return (
        not isinstance(eqn.op, ControlOp)
        and eqn.op.name not in UNSUPPORTED.get(backend.name, {})
        and eqn.op.name not in refused
        and all(graph.avals[v].dtype in backend.dtypes for v in (*eqn.inputs, *eqn.outputs))
    )


def _refused(graph: Graph, backend: Backend) -> frozenset[str]:
    """Ops that the backend cannot run at the shapes that they have here."""
    found: set[str] = set()
    for eqn in graph.eqns:
        if _lowers(graph, eqn, backend, found):
            try:
                program = backend.compile(
                    single_equation(eqn.op, [graph.avals[v] for v in eqn.inputs], eqn.attrs)
                )
            except NotLowerable:
                found.add(eqn.op.name)
            else:
                backend.release(program)
    return frozenset(found)


def _steps(
    graph: Graph, backend: Backend, weights: Set[int], refused: frozenset[str]
) -> tuple[list[Region], list[_DeviceStep | _HostStep | _ControlStep]]:
    """The regions and how each is run; ops in ``refused`` run on the host.

    Raises:
        NotLowerable: when the backend cannot run another one.
    """

    def place(eqn: Eqn) -> Place:
        if isinstance(eqn.op, ControlOp):
            return Place.CONTROL
        return Place.DEVICE if _lowers(graph, eqn, backend, refused) else Place.HOST

    regions = [_with_mirrors(region, graph, backend) for region in cut(graph, place)]
    return regions, [_step(region, backend, weights) for region in regions]


def _with_mirrors(region: Region, graph: Graph, backend: Backend) -> Region:
    """A control region with what the host needs to compute its steering values by itself."""
    if region.place is not Place.CONTROL or backend.name == "cpu":
        return region
    values = [v for v in steering(region.graph) if can_mirror(graph, v)]
    mirrors = [Mirror(graph, [v]) for v in values if v not in (*graph.inputs, *graph.constants)]
    part = region.graph
    inputs = list(dict.fromkeys([*part.inputs, *(v for m in mirrors for v in m.inputs)]))
    whole = Graph(part.avals, inputs, part.constants, part.eqns, part.outputs)
    return Region(whole, region.place, tuple(mirrors))


def _step(
    region: Region, backend: Backend, weights: Set[int]
) -> _DeviceStep | _HostStep | _ControlStep:
    if region.place is Place.DEVICE:
        return _DeviceStep(region, backend, weights)
    return _HostStep(region) if region.place is Place.HOST else _ControlStep(region)


class _DeviceStep:
    """A region that is one Program, and another one for what depends on weights alone.

    The latter, the prelude, runs again only when a weight is another one than at the last call.
    """

    def __init__(self, region: Region, backend: Backend, weights: Set[int]) -> None:
        self._inputs = region.inputs
        fixed = [i for i, v in enumerate(region.inputs) if v in weights]
        prelude, main = optimize_with_weights(region.graph, backend.target, fixed)
        self._main = _Program(main, backend)
        self._outputs = region.outputs
        self._prelude = _Program(prelude, backend) if prelude.outputs else None
        self._weights = fixed
        self._prepared_for: list[int] | None = None
        self._prepared: list[Storage] = []
        self._backend = backend

    def run(self, values: dict[int, Storage]) -> None:
        backend = self._backend
        slots = [values[v].slot_on(backend) for v in self._inputs]
        if self._prelude is not None:
            weights = [slots[i] for i in self._weights]
            if weights != self._prepared_for:
                self._prepared = self._prelude.run(weights)
                self._prepared_for = weights
            slots += [storage.slot for storage in self._prepared]
        values.update(zip(self._outputs, self._main.run(slots), strict=True))


class _Program:
    """A registered Program, which goes when this object does."""

    def __init__(self, graph: Graph, backend: Backend) -> None:
        self._backend = backend
        self._avals = [graph.avals[v] for v in graph.outputs]
        self._number = backend.compile(graph) if graph.outputs else 0
        if self._number:
            weakref.finalize(self, backend.dead_programs.append, self._number)

    def run(self, slots: Sequence[int]) -> list[Storage]:
        """New storages of the outputs."""
        if not self._number:
            return []
        backend = self._backend
        slot = backend.run(self._number, *slots)
        outputs = []
        for aval in self._avals:
            outputs.append(Storage(aval, None, backend, slot))
            slot += backend.slots_of(aval)
        return outputs


class _HostStep:
    """A region that NumPy computes."""

    def __init__(self, region: Region) -> None:
        self._graph = region.graph

    def run(self, values: dict[int, Storage]) -> None:
        graph = self._graph
        inputs = [_view(values[v], graph.avals[v]) for v in graph.inputs]
        for value, array in zip(graph.outputs, evaluate(graph, inputs), strict=True):
            aval = graph.avals[value]
            values[value] = host_storage(array, aval)


def _view(storage: Storage, aval: Aval) -> Any:
    return storage.to_host().reshape(aval.shape)


class _ControlStep:
    """Equations that the host steers."""

    def __init__(self, region: Region) -> None:
        self._graph = region.graph
        self._mirrors = region.mirrors
        self._constants = {
            v: host_storage(array, region.graph.avals[v])
            for v, array in region.graph.constants.items()
        }
        self._equations = [
            (eqn, eqn.op.runner(**dict(eqn.attrs)))
            for eqn in region.graph.eqns
            if isinstance(eqn.op, ControlOp)
        ]

    def run(self, values: dict[int, Storage]) -> None:
        graph = self._graph
        known = values | self._constants
        for mirror in self._mirrors:
            _mirror(mirror, known)
        for eqn, run in self._equations:
            inputs = [Tensor(graph.avals[v], known[v]) for v in eqn.inputs]
            outputs = run(*inputs)
            known.update((v, t.storage) for v, t in zip(eqn.outputs, outputs, strict=True))
        values.update((v, known[v]) for v in graph.outputs)


def _mirror(mirror: Mirror, known: dict[int, Storage]) -> None:
    """Gives a value its array on the host, if those are there that it follows from."""
    (value,) = mirror.values
    storage = known.get(value)
    if storage is None or storage.host is not None:
        return
    arrays = {v: known[v].host for v in mirror.inputs}
    if all(array is not None for array in arrays.values()):
        shaped = {v: _view(known[v], mirror.aval(v)) for v in arrays}
        (storage.host,) = mirror.compute(shaped)
