"""Regions that a device computes: a main program, and a prelude for values of weights."""

from __future__ import annotations

from collections.abc import Collection, Set

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.event_loop import give_turn
from tfpy._src.backends.interrupts import held
from tfpy._src.backends.storage import Storage
from tfpy._src.compiler.ir.graph import Graph, extract
from tfpy._src.compiler.passes.pipeline import optimize_with_weights
from tfpy._src.compiler.passes.rewrite import count_reads
from tfpy._src.functions.executor.compiled_parts import CompiledPart, Key
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.executor.program import DeviceProgram
from tfpy._src.functions.executor.regions import Region


class DeviceStep:
    """A region that runs as one Program, after a prelude that depends only on weights.

    The prelude runs again only if a weight has changed since the last call.

    Args:
        region: The region.
        backend: Backend that runs the region.
        usage: Execution hints of the whole Graph.
        donated: Inputs that a run may pass as donated slots.
    """

    def __init__(
        self, region: Region, backend: Backend, usage: Usage, donated: Set[int] = frozenset()
    ) -> None:
        self.inputs = region.inputs
        fixed = [i for i, v in enumerate(region.inputs) if v in usage.weights]
        prelude, main = optimize_with_weights(region.graph, backend.target, fixed, usage.bits)
        self.read, main = _with_what_it_reads(main)
        """Positions of the main program's inputs, among the region's inputs followed by the
        prelude's outputs."""
        own = {i for i, v in enumerate(region.inputs) if v in donated}
        places = [n for n, i in enumerate(self.read) if i in own]
        self.main = DeviceProgram(main, backend, places, usage.spent)
        self.donatable = [self.read[n] for n in self.main.donatable]
        """Positions of the inputs that outputs can overwrite."""
        self.outputs = region.outputs
        self.prelude = DeviceProgram(prelude, backend) if prelude.outputs else None
        self.weights = fixed
        """Positions of the prelude's inputs."""
        self._prepared: tuple[list[int], list[Storage]] | None = None  # slots of weights, outputs
        self.reads_all = self.prelude is None and len(self.read) == len(self.inputs)
        """True if the main program takes the region's inputs unchanged."""
        self._backend = backend

    @property
    def programs(self) -> list[DeviceProgram]:
        return [p for p in (self.prelude, self.main) if p is not None]

    @property
    def parts(self) -> list[CompiledPart]:
        """Description of the prelude and the main program."""
        values: list[Key] = [*self.inputs]
        found: list[CompiledPart] = []
        if self.prelude is not None:
            made = [(id(self), n) for n in range(len(self.prelude.graph.outputs))]
            weights = [values[i] for i in self.weights]
            found.append(self.prelude.part(weights, made)._replace(is_prelude=True))
            values += made
        return [*found, self.main.part([values[i] for i in self.read], self.outputs)]

    def run(self, values: dict[int, Storage], donated: Collection[int] = ()) -> None:
        inputs = [values[v] for v in self.inputs]
        with held:
            slots = [storage.slot_on(self._backend) for storage in inputs]
            outputs = self.main.run(self.select(slots, donated))
            for i in donated:
                inputs[i].release()
        values.update(zip(self.outputs, outputs, strict=True))

    async def run_async(self, values: dict[int, Storage], donated: Collection[int] = ()) -> None:
        """Run in slices if it takes long."""
        for program in self.programs:
            await program.register(_unheard)
        await give_turn()
        inputs = [values[v] for v in self.inputs]
        slots = [storage.slot_on(self._backend) for storage in inputs]
        taken = self.select(slots, donated)
        outputs = await self.main.run_async(taken, [inputs[i] for i in donated])
        values.update(zip(self.outputs, outputs, strict=True))

    def select(self, slots: list[int], donated: Collection[int]) -> list[int]:
        """Return the slots of the main program's inputs.

        Args:
            slots: Slots of the region's inputs.
            donated: Positions of inputs that the run consumes. Their slots are negated.
        """
        if self.prelude is not None:
            weights = [slots[i] for i in self.weights]
            prepared = self._prepared
            if prepared is None or prepared[0] != weights:
                prepared = self._prepared = weights, self.prelude.run(weights)
            slots += [storage.slot for storage in prepared[1]]
        for i in donated:
            slots[i] = -slots[i]
        if len(slots) > len(self.read):
            slots = [slots[i] for i in self.read]
        return slots


def _unheard(done: int, total: int) -> None:
    """Ignore the progress."""


def _with_what_it_reads(graph: Graph) -> tuple[list[int], Graph]:
    """Return the positions of the inputs that a Graph reads, and the Graph with only these."""
    reads = count_reads(graph)
    read = [i for i, v in enumerate(graph.inputs) if reads[v]]
    inputs = [graph.inputs[i] for i in read]
    return read, extract(graph, inputs, graph.constants, graph.eqns, graph.outputs)
