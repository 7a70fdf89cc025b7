"""Regions that a device computes: each a program, run whole, in slices or several times at once."""

from __future__ import annotations

import math
import weakref
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from tfpy._src.backends.abilities import RepeatedRuns, SlicedRuns, registered, slots_of
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.event_loop import give_turn, is_short, seconds_left
from tfpy._src.backends.interface import Compiled, Links, Progress, SlicedRun
from tfpy._src.backends.interrupts import held
from tfpy._src.backends.javascript import bridge, failures
from tfpy._src.backends.storage import Storage
from tfpy._src.base.errors import InvalidArgumentError, OpError, ResourceExhaustedError
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.base.source_locations import add_note
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, extract
from tfpy._src.compiler.passes.pipeline import optimize_with_weights
from tfpy._src.compiler.passes.rewrite import count_reads
from tfpy._src.functions.executor.compiled_parts import CompiledPart, Key
from tfpy._src.functions.executor.execution_hints import Usage
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
        self._reads_all = self.prelude is None and len(self.read) == len(self.inputs)
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
            outputs = self.compute([storage.slot_on(self._backend) for storage in inputs], donated)
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
        outputs = await self.main.run_async(self._read(slots, ()))
        values.update(zip(self.outputs, outputs, strict=True))

    def compute(
        self,
        slots: list[int],
        donated: Collection[int] = (),
        into: Sequence[Storage | None] | None = None,
    ) -> list[Storage]:
        """The region's outputs for the slots of its inputs, both in its Graph's order.

        Args:
            donated: positions, among :attr:`donatable`, of slots that are gone afterwards.
            into: storages of such slots, each in the place of the output that it takes on.
        """
        if self._reads_all and not donated:
            return self.main.run(slots)
        return self.main.run(self._read(slots, donated), into)

    def link(self, carried: Mapping[int, int], given: Sequence[int]) -> list[int] | None:
        """Prepares :meth:`repeat`; what each run reads of ``given``, or None if it cannot be.

        Args:
            carried: positions of inputs, and which outputs are their next values.
            given: positions of inputs that each run gets anew.
        """
        places = {i: n for n, i in enumerate(self.read)}
        anew = [i for i in given if i in places]
        is_linked = self.main.link(
            {places[i]: output for i, output in carried.items() if i in places},
            [places[i] for i in anew],
        )
        return anew if is_linked else None

    def repeat(
        self, slots: list[int], donated: Collection[int], count: int, anew: Sequence[int]
    ) -> tuple[list[Storage], OpError | None]:
        """:meth:`compute`, so many times; the last outputs, and why a later run failed.

        Args:
            anew: the slots that :meth:`link` names, for each run but the first.
        """
        return self.main.repeat(count, [*self._read(slots, donated), *anew])

    def _read(self, slots: list[int], donated: Collection[int]) -> list[int]:
        """The slots of what the main program takes."""
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


class DeviceProgram:
    """A program of a backend, which goes when this object does.

    Args:
        donated: positions of inputs that a run may be given as donated slots.

    Raises:
        NotLowerable: when the backend cannot run the Graph.
    """

    def __init__(self, graph: Graph, backend: Backend, donated: Collection[int] = ()) -> None:
        self._backend = backend
        self.graph = graph
        self._donated = donated
        self._outputs: list[tuple[Aval, int]] = []  # with how many slots lie before
        width = 0
        for value in graph.outputs:
            self._outputs.append((graph.avals[value], width))
            width += slots_of(backend, graph.avals[value])
        began = clock() if recorders else 0.0
        compiled = backend.lower(graph, donated)
        if began:
            note("lower", f"{len(graph.eqns)} equations", began)
        self._unregistered: Compiled | None = compiled
        made = compiled.made
        overwritten = () if made is None else made.donations.values()
        self.donatable = [i for i in donated if made is not None and made.inputs[i] in overwritten]
        """Positions of the inputs that outputs are written over when they are donated."""
        self._number = 0
        self.seconds = math.inf
        """How long the last run by :meth:`run_async` took, without the page's turns."""

    async def register(self, progress: Progress) -> None:
        """Makes the program without freezing the page."""
        if self._unregistered is not None and self._outputs:
            began = clock() if recorders else 0.0
            self._made(await registered(self._backend, self._unregistered, progress), began)

    def _register(self) -> None:
        assert self._unregistered is not None
        began = clock() if recorders else 0.0
        with held:
            self._made(self._backend.register(self._unregistered), began)

    def _made(self, number: int, began: float) -> None:
        self._number, self._unregistered = number, None
        if began:
            note("compile", f"{len(self.graph.eqns)} equations", began)
        weakref.finalize(self, self._backend.dead_programs.append, number)

    @property
    def compiled(self) -> Compiled:
        """What the backend runs."""
        return self._unregistered or self._backend.lower(self.graph, self._donated)

    def part(self, inputs: Sequence[Key], outputs: Sequence[Key]) -> CompiledPart:
        """It, between these values."""
        graph, program, code = self.compiled
        if program is not None:
            inputs = self._by_slot(inputs, graph.inputs)
            outputs = self._by_slot(outputs, graph.outputs)
        return CompiledPart(self._backend.name, graph, program, inputs, outputs, code=code)

    def _by_slot(self, keys: Sequence[Key], values: Sequence[int]) -> list[Key]:
        """A key for each slot of these values."""
        avals = [self.graph.avals[v] for v in values]
        pairs = zip(keys, avals, strict=True)
        return [key for key, aval in pairs for _ in range(slots_of(self._backend, aval))]

    def run(
        self, slots: Sequence[int], into: Sequence[Storage | None] | None = None
    ) -> list[Storage]:
        """Storages of the outputs: new ones, but for those of ``into``."""
        if not self._outputs:
            return []
        if self._unregistered is not None:
            self._register()
        began = clock() if recorders else 0.0
        held.depth += 1  # ``with held:`` is two calls more
        try:
            outputs = self._stored(self._backend.run(self._number, *slots), into)
        except bridge.FAILURES as failure:
            raise self._error(failure) from None
        finally:
            held.depth -= 1
            if held.waits:
                held.deliver()
        if began:
            self._note_runs(1, began)
        return outputs

    def _error(self, failure: Any) -> OpError:
        """What a run raises; for want of memory it names the op whose result is the largest."""
        graph = self.graph
        if failure.name == InvalidArgumentError.__name__:
            return self._error_of_step(failure)
        if failure.name != ResourceExhaustedError.__name__ or not graph.eqns:
            return bridge.op_error(failure)
        eqn = max(graph.eqns, key=lambda eqn: sum(graph.avals[v].nbytes for v in eqn.outputs))
        error = bridge.op_error(failure, eqn.op.name)
        add_note(error, eqn.line)
        return error

    def _error_of_step(self, failure: Any) -> OpError:
        """Return the error of values that a step's kernel has refused."""
        program = self.compiled.program
        assert program is not None
        step = program.steps[failure.step]
        eqn = program.equations[step.outputs[0]]
        shapes = [program.buffers[i].shape for i in step.inputs]
        error = failures.of_equation(failure, eqn, shapes)
        add_note(error, eqn.line)
        return error

    async def run_async(self, slots: Sequence[int]) -> list[Storage]:
        """:meth:`run` with nothing donated: what takes long, in slices between which the page has
        its turns. Whoever calls it has awaited :meth:`register`."""
        if not self._outputs:
            return []
        sliced = None if is_short(self.seconds) else self._begun(slots)
        if sliced is None:
            began = clock()
            outputs = self.run(slots)
            self.seconds = clock() - began
            return outputs
        self.seconds = 0.0
        try:
            while not (first := self._gone_on(sliced)):
                await give_turn()
        except ResourceExhaustedError:
            sliced.drop()
            return self.run(slots)  # for which other slots make room
        finally:
            sliced.drop()
        return self._stored(first)

    def _begun(self, slots: Sequence[int]) -> SlicedRun | None:
        if not isinstance(self._backend, SlicedRuns):
            return None
        try:
            return self._backend.begin(self._number, *slots)
        except bridge.FAILURES as failure:
            raise self._error(failure) from None

    def _gone_on(self, sliced: SlicedRun) -> int:
        """The first output of a run in slices; 0 while there is more to do."""
        began = clock()
        try:
            first = sliced.go_on(seconds_left())
        except bridge.FAILURES as failure:
            raise self._error(failure) from None
        self.seconds += clock() - began
        if recorders:
            self._note_runs(1 if first else 0, began)
        return first

    def _note_runs(self, count: int, began: float) -> None:
        backend, graph = self._backend, self.graph
        note("run", f"on {backend.name}", began, backend=backend, graph=graph, count=count)

    def _stored(self, first: int, into: Sequence[Storage | None] | None = None) -> list[Storage]:
        backend = self._backend
        stored = []
        if into is None:
            for aval, offset in self._outputs:
                stored.append(Storage(aval, None, backend, first + offset))
            return stored
        for (aval, offset), storage in zip(self._outputs, into, strict=True):
            if storage is None:
                storage = Storage(aval, None, backend, first + offset)
            else:  # its own slot was donated to the run that gave this one
                storage.slot, storage.host = first + offset, None
            stored.append(storage)
        return stored

    def link(self, carried: Mapping[int, int], given: list[int]) -> bool:
        """Prepares :meth:`repeat`; whether the backend can.

        Args:
            carried: positions of inputs, and which outputs are their next values.
            given: positions of inputs that each run gets anew.
        """
        if not self._outputs or not isinstance(self._backend, RepeatedRuns):
            return False
        if self._unregistered is not None:
            self._register()
        readers = Counter(carried.values())
        donatable = {i for i in self.donatable if readers[carried.get(i, -1)] == 1}
        links = [(i, output, i in donatable) for i, output in carried.items()]
        return self._backend.link(self._number, Links(len(self._outputs), links, given))

    def repeat(self, count: int, slots: Sequence[int]) -> tuple[list[Storage], OpError | None]:
        """New storages of what the last of so many runs gave, and why a later one failed."""
        assert isinstance(self._backend, RepeatedRuns), "link() has checked it"
        began = clock() if recorders else 0.0
        with held:
            try:
                outputs = self._stored(self._backend.repeat(self._number, count, *slots))
            except bridge.FAILURES as failure:
                error = self._error(failure)
                last = getattr(failure, "first", None)
                if last is None:
                    raise error from None
                return self._stored(last), error
        if began:
            self._note_runs(count, began)
        return outputs, None
