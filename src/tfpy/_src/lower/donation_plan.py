"""Donations: which outputs of a Program take over the bytes of inputs.

A training step reads each Variable and gives its next value. When a run is given the old value for
good (``function/sharing.py`` decides at each run), the new one need not have bytes of its own:

- wasm writes in place: an elementwise step may write over an operand that it reads in order. A run
  that fails must leave its inputs as they were, so nothing but elementwise steps, which cannot
  fail, follows the first one that writes in place.
- webgl cannot draw into a texture that the same step reads. There an output takes the texture of an
  input whose last reader has been drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tfpy._src.lower.memory import operands_in_order
from tfpy._src.lower.program import Program, Step


def update_in_place(program: Program, donors: Collection[int]) -> None:
    """Adds the donations of a wasm Program; the steps that write in place move to its end.

    Args:
        donors: input buffers that a run may be given for good.
    """
    wanted = _wanted(program, donors)
    if wanted:
        program.steps, program.donations = _Schedule(program, wanted).made()


def reuse_dead(program: Program, donors: Collection[int]) -> None:
    """Adds the donations of a webgl Program.

    Args:
        donors: input buffers that a run may be given for good.
    """
    last = {i: number for number, step in enumerate(program.steps) for i in step.inputs}
    free = list(donors)
    outputs = set(program.outputs)
    for number, step in enumerate(program.steps):
        for output in outputs.intersection(step.outputs):
            for donor in _fitting(program, output, free):
                if last.get(donor, -1) < number:
                    program.donations[output] = donor
                    free.remove(donor)
                    break


def _fitting(program: Program, output: int, donors: Collection[int]) -> Iterator[int]:
    """The donors of an output's size and dtype."""
    new = program.buffers[output]
    for donor in donors:
        old = program.buffers[donor]
        if new.count and (old.count, old.dtype) == (new.count, new.dtype):
            yield donor


def _wanted(program: Program, donors: Collection[int]) -> dict[int, int]:
    """Output -> donor that it may replace, unless something reads the donor later.

    An operand of the step that makes the output is best. Else it is a donor that no output
    replaces otherwise, like a state of which the next one is made by way of others.
    """
    wanted: dict[int, int] = {}
    free = list(donors)
    outputs = set(program.outputs)
    last = [step for step in _steps_after_all_others(program) if step.outputs[0] in outputs]
    for own in (True, False):
        for step in last:
            (output,) = step.outputs
            reads = operands_in_order(step) if own else set(free) - set(step.inputs)
            donor = next((d for d in _fitting(program, output, free) if d in reads), None)
            if output not in wanted and donor is not None:
                wanted[output] = donor
                free.remove(donor)
    return wanted


def _steps_after_all_others(program: Program) -> list[Step]:
    """The elementwise steps on whose results no step of another kind depends."""
    found: list[Step] = []
    needed: set[int] = set()
    for step in reversed(program.steps):
        if program.kernels[step.kernel].name == "elementwise" and needed.isdisjoint(step.outputs):
            found.append(step)
        else:
            needed.update(step.inputs)
    return found[::-1]


class _Schedule:
    """An order of the steps in which each donor is read before it is written over."""

    def __init__(self, program: Program, wanted: dict[int, int]) -> None:
        self._donations = dict(wanted)
        self._steps: list[Step] = []
        self._pending: list[Step] = []
        late = set(wanted)
        for step in program.steps:
            if late.isdisjoint((*step.inputs, *step.outputs)):
                self._steps.append(step)
            else:
                self._pending.append(step)
                late.update(step.outputs)
        self._unmade = {i for step in self._pending for i in step.outputs}

    def made(self) -> tuple[list[Step], dict[int, int]]:
        """The steps, and the donations that are possible."""
        while self._pending:
            step = next((s for s in self._computable() if not self._is_waiting(s)), None)
            if step is None:  # each waits for another one to read what it would write over
                step = next(self._computable())
                del self._donations[step.outputs[0]]
            self._pending.remove(step)
            self._steps.append(step)
            self._unmade.difference_update(step.outputs)
        return self._steps, self._donations

    def _computable(self) -> Iterator[Step]:
        return (step for step in self._pending if self._unmade.isdisjoint(step.inputs))

    def _is_waiting(self, step: Step) -> bool:
        donor = self._donations.get(step.outputs[0])
        return any(donor in other.inputs for other in self._pending if other is not step)
