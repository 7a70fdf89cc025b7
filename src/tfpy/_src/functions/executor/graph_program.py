"""Graphs that run as one program of a backend, as functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple
from weakref import getweakrefcount

from tfpy._src.backends.interrupts import held
from tfpy._src.backends.storage import Storage
from tfpy._src.base.errors import OpError
from tfpy._src.base.profiler_spans import clock
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.donation import unshared
from tfpy._src.functions.executor.program import DeviceProgram


class Result(NamedTuple):
    """An output of a Graph as its runs return it."""

    aval: Aval
    computed: int
    """Position of the value among the computed values."""
    before: int
    """Position of the input that has this output as its next value, or -1."""


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
        self._select = select
        self._takes_all = takes_all
        self._positions = positions
        self._donations = donations
        self._before = before
        self._spent = [at for _, at in donations if at not in before]
        """Inputs that may be donated without providing the storage of an output."""
        self._results = results
        self._is_linked = False
        self._anew: list[int] | None = None  # inputs that differ between repeated runs, if possible

    def run(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run the Graph and return its outputs."""
        backend = self._backend
        if backend.collect_due:
            backend.collect()
        donated = unshared(inputs, self._donations, holders=0) if self._donations else None
        slots = []
        for i in self._positions:
            storage = inputs[i].storage
            slots.append(storage.slot if storage.backend is backend else storage.slot_on(backend))
        if donated:
            found = self._run_donating(slots, donated)
        else:
            found = self.main.run(slots if self._takes_all else self._select(slots, ()))
        return [
            Tensor(aval, found[i])
            if before < 0
            or inputs[before].storage is not found[i]
            or getweakrefcount(inputs[before])  # weak references identify values
            else inputs[before]  # its storage has received the next value
            for aval, i, before in self._results
        ]

    def run_timed(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run the Graph and measure the duration."""
        began = clock()
        outputs = self.run(inputs)
        self.main.seconds = clock() - began
        return outputs

    def _run_donating(self, slots: list[int], donated: Mapping[int, Storage]) -> list[Storage]:
        with held:
            taken = self._select(slots, donated)
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
            numbered = [(i, places[at]) for at, i in enumerate(self._positions) if at in places]
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
        donated = unshared(inputs, self._donations, holders=0)
        slots = [inputs[i].slot_on(backend) for i in self._positions]
        anew = [tensors[i].slot_on(backend) for tensors in later for i in self._anew]
        with held:
            taken = self._select(slots, donated)
            found, error = self.main.repeat(len(later) + 1, [*taken, *anew])
            for storage in donated.values():
                storage.release()
        return [Tensor(aval, found[i]) for aval, i, _ in self._results], error
