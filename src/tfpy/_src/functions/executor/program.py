"""Programs of a backend for regions of a Graph, and their execution on tensors."""

from __future__ import annotations

import math
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from weakref import getweakrefcount

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
from tfpy._src.compiler.ir.fusion import name_of
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.compiled_parts import CompiledPart, Key, Result
from tfpy._src.functions.executor.donation import unshared
from tfpy._src.functions.executor.memory_use import equation_needing_memory

_registering = threading.RLock()
"""Lock that is held while a program is registered, because several threads may run it first."""


class DeviceProgram:
    """A program of a backend, which is freed together with this object.

    Args:
        graph: The Graph.
        backend: The backend.
        donated: Positions of inputs that a run may pass as donated slots.
        spent: True if nothing reads donated inputs after a run that failed.

    Raises:
        NotLowerable: If the backend cannot run the Graph.
    """

    def __init__(
        self,
        graph: Graph,
        backend: Backend,
        donated: Collection[int] = (),
        spent: bool = False,
    ) -> None:
        self.backend, self.graph = backend, graph
        self._donated, self._spent = donated, spent
        self.outputs: list[tuple[Aval, int]] = []  # with the number of slots before the output
        width = 0
        for value in graph.outputs:
            self.outputs.append((graph.avals[value], width))
            width += slots_of(backend, graph.avals[value])
        self._anew: Sequence[None] = [None] * len(self.outputs)  # no output reuses a storage
        began = clock() if recorders else 0.0
        compiled = backend.lower(graph, donated, spent)
        if began:
            note("lower", f"{len(graph.eqns)} equations", began)
        self._unregistered: Compiled | None = compiled
        made = compiled.made
        overwritten = () if made is None else made.donations.values()
        self.donatable = [i for i in donated if made is not None and made.inputs[i] in overwritten]
        """Positions of the inputs that outputs overwrite if they are donated."""
        self.number = 0
        self.seconds = math.inf
        """Duration in seconds of the last run by :meth:`run_async`, without the page's turns."""

    async def register(self, progress: Progress) -> None:
        """Compile the program without blocking the page."""
        if self._unregistered is not None and self.outputs:
            began = clock() if recorders else 0.0
            self._made(await registered(self.backend, self._unregistered, progress), began)

    def _register(self) -> None:
        with _registering:
            unregistered = self._unregistered
            if unregistered is None:  # another thread has registered it
                return
            began = clock() if recorders else 0.0
            with held:
                self._made(self.backend.register(unregistered), began)

    def _made(self, number: int, began: float) -> None:
        self.number, self._unregistered = number, None
        if began:
            note("compile", f"{len(self.graph.eqns)} equations", began)
        weakref.finalize(self, self.backend.dead_programs.append, number)

    @property
    def compiled(self) -> Compiled:
        """Compiled code of the program."""
        return self._unregistered or self.backend.lower(self.graph, self._donated, self._spent)

    def part(self, inputs: Sequence[Key], outputs: Sequence[Key]) -> CompiledPart:
        """Return the description of the program between these values."""
        graph, program, code = self.compiled
        if program is not None:
            inputs = self._by_slot(inputs, graph.inputs)
            outputs = self._by_slot(outputs, graph.outputs)
        return CompiledPart(self.backend.name, graph, program, inputs, outputs, code=code)

    def _by_slot(self, keys: Sequence[Key], values: Sequence[int]) -> list[Key]:
        """Return a key for each slot of these values."""
        avals = [self.graph.avals[v] for v in values]
        pairs = zip(keys, avals, strict=True)
        return [key for key, aval in pairs for _ in range(slots_of(self.backend, aval))]

    def run(
        self, slots: Sequence[int], into: Sequence[Storage | None] | None = None
    ) -> list[Storage]:
        """Run the program and return the storages of the outputs.

        Args:
            slots: Slots of the inputs.
            into: For each output an existing storage to reuse, or None.
        """
        if not self.outputs:
            return []
        if self._unregistered is not None:
            self._register()
        began = clock() if recorders else 0.0
        held.depth += 1  # faster than `with held:`, which is two calls
        backend = self.backend
        try:
            first = backend.run(self.number, *slots)
            if into is None:
                outputs = [Storage(aval, None, backend, first + at) for aval, at in self.outputs]
            else:
                outputs = self._stored(first, into)
        except bridge.FAILURES as failure:
            raise self.error(failure) from None
        finally:
            held.depth -= 1
            if held.waits:
                held.deliver()
        if began:
            self._note_runs(1, began)
        return outputs

    def error(self, failure: Any) -> OpError:
        """Return the error of a failed run. If memory is exhausted, name the op that needs it."""
        graph = self.graph
        if failure.name == InvalidArgumentError.__name__:
            return self._error_of_step(failure)
        if failure.name != ResourceExhaustedError.__name__ or not graph.eqns:
            return bridge.op_error(failure)
        eqn = equation_needing_memory(graph, failure.message)
        error = bridge.op_error(failure, name_of(eqn))
        add_note(error, eqn.line)
        return error

    def _error_of_step(self, failure: Any) -> OpError:
        """Return the error for values that the kernel of a step has rejected."""
        program = self.compiled.program
        assert program is not None
        step = program.steps[failure.step]
        eqn = program.equations[step.outputs[0]]
        shapes = [program.buffers[i].shape for i in step.inputs]
        error = failures.of_equation(failure, eqn, shapes)
        add_note(error, eqn.line)
        return error

    async def run_async(
        self, slots: Sequence[int], donated: Collection[Storage] = ()
    ) -> list[Storage]:
        """Run the program, in slices if it takes long.

        Between slices the page can respond. The caller must have awaited :meth:`register`.

        Args:
            slots: Slots of the inputs. Donated ones are negative.
            donated: Storages of the donated slots. A run in slices takes them when it begins.
        """
        if not self.outputs:
            return []
        sliced = None if is_short(self.seconds) else self._begun(slots)
        if sliced is None:
            began = clock()
            outputs = self.run(slots)
            self.seconds = clock() - began
        for storage in donated:
            storage.release()
        if sliced is None:
            return outputs
        self.seconds = 0.0
        try:
            while not (first := self._gone_on(sliced)):
                await give_turn()
        except ResourceExhaustedError:
            sliced.drop()
            if donated:
                raise
            return self.run(slots)  # an ordinary run can free other slots to make room
        finally:
            sliced.drop()
        return self._stored(first, self._anew)

    def _begun(self, slots: Sequence[int]) -> SlicedRun | None:
        if not isinstance(self.backend, SlicedRuns):
            return None
        try:
            return self.backend.begin(self.number, *slots)
        except bridge.FAILURES as failure:
            raise self.error(failure) from None

    def _gone_on(self, sliced: SlicedRun) -> int:
        """Run the next slice. Return the first output's slot, or 0 if the run is not finished."""
        began = clock()
        try:
            first = sliced.go_on(seconds_left())
        except bridge.FAILURES as failure:
            raise self.error(failure) from None
        self.seconds += clock() - began
        if recorders:
            self._note_runs(1 if first else 0, began)
        return first

    def _note_runs(self, count: int, began: float) -> None:
        backend, graph = self.backend, self.graph
        note("run", f"on {backend.name}", began, backend=backend, graph=graph, count=count)

    def _stored(self, first: int, into: Sequence[Storage | None]) -> list[Storage]:
        """Return the storages for output slots from `first` on, reusing the ones in `into`."""
        stored = []
        for (aval, offset), storage in zip(self.outputs, into, strict=True):
            if storage is None:
                storage = Storage(aval, None, self.backend, first + offset)
            else:  # the storage's own slot was donated to this run
                storage.slot, storage.host = first + offset, None
            stored.append(storage)
        return stored

    def link(self, carried: Mapping[int, int], given: list[int]) -> bool:
        """Prepare :meth:`repeat`, and return True if the backend supports it.

        Args:
            carried: For positions of inputs, the outputs that are their next values.
            given: Positions of inputs that differ between runs.
        """
        if not self.outputs or not isinstance(self.backend, RepeatedRuns):
            return False
        if self._unregistered is not None:
            self._register()
        readers = Counter(carried.values())
        donatable = {i for i in self.donatable if readers[carried.get(i, -1)] == 1}
        links = [(i, output, i in donatable) for i, output in carried.items()]
        return self.backend.link(self.number, Links(len(self.outputs), links, given))

    def repeat(self, count: int, slots: Sequence[int]) -> tuple[list[Storage], OpError | None]:
        """Run the program `count` times.

        Returns:
            New storages for the outputs of the last successful run, and the error of the next run
            or None.
        """
        assert isinstance(self.backend, RepeatedRuns), "link() has checked it"
        began = clock() if recorders else 0.0
        with held:
            try:
                outputs = self._stored(self.backend.repeat(self.number, count, *slots), self._anew)
            except bridge.FAILURES as failure:
                error = self.error(failure)
                last = getattr(failure, "first", None)
                if last is None:
                    raise error from None
                return self._stored(last, self._anew), error
        if began:
            self._note_runs(count, began)
        return outputs, None


class GraphProgram:
    """A Graph that runs as one program of a backend, as a function of tensors.

    Args:
        main: The program.
        read: Positions of the program's inputs, among `positions` followed by the outputs of the
            prelude.
        select: Function that takes the slots at `positions` and the positions of donated ones, and
            returns the slots for the program.
        takes_all: True if the program takes the slots at `positions` unchanged when none is
            donated.
        positions: Positions among the Graph's inputs.
        donations: Pairs of positions, in the Graph's inputs and in `positions`.
        before: For each output of the program the position, in `positions`, of the input whose
            storage receives the output if the input is donated, or -1.
        results: Outputs of the Graph.
    """

    def __init__(
        self,
        main: DeviceProgram,
        read: Sequence[int],
        select: Callable[[list[int], Collection[int]], list[int]],
        takes_all: bool,
        positions: Sequence[int],
        donations: Sequence[tuple[int, int]],
        before: Sequence[int],
        results: Sequence[Result],
    ) -> None:
        self.main = main
        self._backend = main.backend
        self._read = read
        self.select = select
        self.takes_all = takes_all
        self.positions = positions
        self.donations = donations
        self._before = before
        self._spent = [at for _, at in donations if at not in before]
        """Inputs that may be donated without providing the storage of an output."""
        self.results = results
        self._is_linked = False
        self._anew: list[int] | None = None  # inputs that differ between repeated runs, if possible

    def run(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run the Graph and return its outputs."""
        backend = self._backend
        if backend.collect_due:
            backend.collect()
        donated = unshared(inputs, self.donations, holders=0) if self.donations else None
        slots = []
        for i in self.positions:
            storage = inputs[i].storage
            slots.append(storage.slot if storage.backend is backend else storage.slot_on(backend))
        if donated:
            found = self._run_donating(slots, donated)
        else:
            found = self.main.run(slots if self.takes_all else self.select(slots, ()))
        return [
            Tensor(aval, found[i])
            if before < 0
            or inputs[before].storage is not found[i]
            or getweakrefcount(inputs[before])  # weak references identify values
            else inputs[before]  # its storage has received the next value
            for aval, i, before in self.results
        ]

    def run_timed(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run the Graph and measure the duration."""
        began = clock()
        outputs = self.run(inputs)
        self.main.seconds = clock() - began
        return outputs

    def _run_donating(self, slots: list[int], donated: Mapping[int, Storage]) -> list[Storage]:
        with held:
            taken = self.select(slots, donated)
            outputs = self.main.run(taken, list(map(donated.get, self._before)))
            for at in self._spent:
                if at in donated:
                    donated[at].release()
        return outputs

    def link(self, carried: Mapping[int, int], count: int) -> bool:
        """Prepare :meth:`repeat`, and return True if several runs can be made at once.

        Args:
            carried: For positions of the Graph's inputs, the outputs that are their next values.
            count: Number of the Graph's first inputs that differ between runs.
        """
        if not self._is_linked:
            self._is_linked = True
            places = {at: n for n, at in enumerate(self._read)}
            numbered = [(i, places[at]) for at, i in enumerate(self.positions) if at in places]
            anew = [(i, n) for i, n in numbered if i < count]
            links = {n: carried[i] for i, n in numbered if i in carried}
            if self.main.link(links, [n for _, n in anew]):
                self._anew = [i for i, _ in anew]
        return self._anew is not None

    def repeat(
        self, inputs: Sequence[Tensor], later: Sequence[Sequence[Tensor]]
    ) -> tuple[list[Tensor], OpError | None]:
        """Run the Graph several times. Return the last outputs, and a failed run's error or None.

        Args:
            inputs: Inputs of the first run.
            later: First inputs of the further runs.
        """
        assert self._anew is not None, "link() has checked it"
        backend = self._backend
        if backend.collect_due:
            backend.collect()
        donated = unshared(inputs, self.donations, holders=0)
        slots = [inputs[i].slot_on(backend) for i in self.positions]
        anew = [tensors[i].slot_on(backend) for tensors in later for i in self._anew]
        with held:
            taken = self.select(slots, donated)
            found, error = self.main.repeat(len(later) + 1, [*taken, *anew])
            for storage in donated.values():
                storage.release()
        return [Tensor(aval, found[i]) for aval, i, _ in self.results], error
