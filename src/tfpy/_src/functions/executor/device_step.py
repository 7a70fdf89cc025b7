"""Regions that a device computes: a program, and another one for what depends on weights alone."""

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
    """A region that is one Program, and another one for what depends on weights alone.

    The latter, the prelude, runs again only when a weight is another one than at the last call.

    Args:
        donated: inputs that a run may be given as donated slots.
    """

    def __init__(
        self, region: Region, backend: Backend, usage: Usage, donated: Set[int] = frozenset()
    ) -> None:
        self.inputs = region.inputs
        fixed = [i for i, v in enumerate(region.inputs) if v in usage.weights]
        prelude, main = optimize_with_weights(region.graph, backend.target, fixed, usage.bits)
        self.read, main = _with_what_it_reads(main)
        """Positions, among the region's inputs and then the prelude's outputs, of what it takes."""
        own = {i for i, v in enumerate(region.inputs) if v in donated}
        places = [n for n, i in enumerate(self.read) if i in own]
        self.main = DeviceProgram(main, backend, places)
        self.donatable = [self.read[n] for n in self.main.donatable]
        """Positions of the inputs that outputs can be written over."""
        self.outputs = region.outputs
        self.prelude = DeviceProgram(prelude, backend) if prelude.outputs else None
        self.weights = fixed
        """Positions of the inputs that the prelude takes."""
        self._prepared: tuple[list[int], list[Storage]] | None = None  # for weights, what it gave
        self.reads_all = self.prelude is None and len(self.read) == len(self.inputs)
        """Whether its main program takes the region's inputs as they are."""
        self._backend = backend

    @property
    def programs(self) -> list[DeviceProgram]:
        return [p for p in (self.prelude, self.main) if p is not None]

    @property
    def parts(self) -> list[CompiledPart]:
        """What it runs."""
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

    async def run_async(self, values: dict[int, Storage]) -> None:
        """:meth:`run` without donations, in slices if it takes long."""
        for program in self.programs:
            await program.register(_unheard)
        await give_turn()
        inputs = [values[v] for v in self.inputs]
        slots = [storage.slot_on(self._backend) for storage in inputs]
        outputs = await self.main.run_async(self.select(slots, ()))
        values.update(zip(self.outputs, outputs, strict=True))

    def select(self, slots: list[int], donated: Collection[int]) -> list[int]:
        """Return the slots of the main program's inputs.

        Args:
            slots: The slots of the region's inputs.
            donated: Positions of inputs whose slots do not exist after the run. They get a minus
                sign.
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
    """Of progress that nobody wants to know of."""


def _with_what_it_reads(graph: Graph) -> tuple[list[int], Graph]:
    """The Graph with those of its inputs that it reads, and their positions."""
    reads = count_reads(graph)
    read = [i for i, v in enumerate(graph.inputs) if reads[v]]
    inputs = [graph.inputs[i] for i in read]
    return read, extract(graph, inputs, graph.constants, graph.eqns, graph.outputs)
