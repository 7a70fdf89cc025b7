"""Which outputs of a Program are written over the bytes of donated inputs.

A training step reads each Variable and gives its next value. Where the old value is donated, the
next one needs no bytes of its own. This file says for which outputs that is possible
(``Program.donations``, output -> input); whether a run is donated the input is decided at each run
(``executor/donation.py``).

Who frees what:

- An input's slot belongs to whoever passed it, and stays theirs: a run frees nothing that was not
  donated.
- A donated slot belongs to the run once that has succeeded: the caller never frees it. The runtime
  gives its bytes to the output that is written over them, or frees them if there is none.
- A run that fails owns nothing: donated slots are still the caller's, with the bytes they had.
- An output's slot belongs to the caller. Constants belong to the Program and go with it.
- Temporaries belong to nobody: all Programs share their memory (``lower/memory.py``).

How an output comes to the bytes:

- wasm writes in place: an elementwise step may write over an operand that it reads in order. A run
  that fails must leave donated bytes as they were, so nothing but elementwise steps, which cannot
  fail, follows the first one that writes in place.
- webgl cannot draw into a texture that the same step reads. There an output takes the texture of an
  input whose last reader has been drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tfpy._src.compiler.lower.memory import operands_in_order
from tfpy._src.compiler.lower.program import Program, Step


def update_in_place(program: Program, donated: Collection[int]) -> None:
    """Adds the donations of a wasm Program; the steps that write in place move to its end.

    Args:
        donated: input buffers that may be donated to a run.
    """
    wanted = _wanted(program, donated)
    if wanted:
        program.steps, program.donations = _Schedule(program, wanted).made()


def reuse_dead(program: Program, donated: Collection[int]) -> None:
    """Adds the donations of a webgl Program.

    Args:
        donated: input buffers that may be donated to a run.
    """
    last = {i: number for number, step in enumerate(program.steps) for i in step.inputs}
    free = list(donated)
    outputs = set(program.outputs)
    for number, step in enumerate(program.steps):
        for output in outputs.intersection(step.outputs):
            for source in _fitting(program, output, free):
                if last.get(source, -1) < number:
                    program.donations[output] = source
                    free.remove(source)
                    break


def _fitting(program: Program, output: int, donated: Collection[int]) -> Iterator[int]:
    """Those of an output's size and dtype."""
    new = program.buffers[output]
    for source in donated:
        old = program.buffers[source]
        if new.count and (old.count, old.dtype) == (new.count, new.dtype):
            yield source


def _wanted(program: Program, donated: Collection[int]) -> dict[int, int]:
    """Output -> donated input that it may be written over, unless something reads that later.

    An operand of the step that makes the output is best. Else it is one over which no other
    output is written, like a state of which the next one is made by way of others.
    """
    wanted: dict[int, int] = {}
    free = list(donated)
    outputs = set(program.outputs)
    last = [step for step in _steps_after_all_others(program) if step.outputs[0] in outputs]
    for own in (True, False):
        for step in last:
            (output,) = step.outputs
            reads = operands_in_order(step) if own else set(free) - set(step.inputs)
            source = next((i for i in _fitting(program, output, free) if i in reads), None)
            if output not in wanted and source is not None:
                wanted[output] = source
                free.remove(source)
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
    """An order of the steps in which each donated input is read before it is written over."""

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
        source = self._donations.get(step.outputs[0])
        return any(source in other.inputs for other in self._pending if other is not step)
