"""The donation plan: outputs of a Program that are written over the bytes of donated inputs.

A training step reads each Variable and returns its next value. If the old value is donated, the
next one needs no separate bytes. This module finds the outputs for which that is possible
(`Program.donations`, output -> input). Each run decides whether the input is donated
(`executor/donation.py`).

Ownership:

- An input's slot belongs to the caller. A run frees only donated slots.
- A donated slot belongs to the run once the run has succeeded: the caller never frees it. The
  runtime uses its bytes for the output that is written over them, or frees them if there is none.
- A run that fails owns nothing: donated slots still belong to the caller, with their old bytes.
- An output's slot belongs to the caller. Constants belong to the Program and are freed with it.
- Temporaries have no owner: all Programs share their memory (`lower/memory.py`).

Reuse of donated bytes:

- wasm writes in place: an elementwise step may write over an operand that it reads in order. A run
  that fails must leave donated bytes unchanged, so the first step that writes in place is followed
  only by elementwise steps, which cannot fail.
- The state of a loop is not read after a run that failed. There any step of wasm may write over an
  operand that it reads in order, and other steps may follow.
- webgl cannot draw into a texture that the same step reads, and webgpu has the same limit for
  buffers. There an output takes the storage of an input after the last reader of the input. A step
  of webgpu that overwrites a part of an array (`Kernel.overwrites`) does not read this array, so
  its output takes the array's buffer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tfpy._src.compiler.lower.memory import operands_in_order
from tfpy._src.compiler.lower.program import Program, Step


def update_in_place(program: Program, donated: Collection[int]) -> None:
    """Add the donations of a wasm Program. The steps that write in place move to its end.

    Args:
        donated: Input buffers that may be donated to a run.
    """
    wanted = _wanted(program, donated)
    if wanted:
        program.steps, program.donations = _Schedule(program, wanted).made()


def update_spent(program: Program, donated: Collection[int]) -> None:
    """Add donations of a wasm Program that a failing run may leave changed.

    Args:
        donated: Input buffers that may be donated to a run, and are not read if it fails.
    """
    last = {i: number for number, step in enumerate(program.steps) for i in step.inputs}
    free = set(donated).difference(program.donations.values())
    for number, step in enumerate(program.steps):
        (output,) = step.outputs
        if output not in program.outputs or output in program.donations:
            continue
        own = [i for i in operands_in_order(program, step) if last[i] == number]
        source = next((i for i in _fitting(program, output, sorted(free)) if i in own), None)
        if source is not None:
            program.donations[output] = source
            program.spoils = True
            free.remove(source)


def reuse_dead(program: Program, donated: Collection[int]) -> None:
    """Add the donations of a webgl or webgpu Program.

    Args:
        donated: Input buffers that may be donated to a run.
    """
    last = {i: number for number, step in enumerate(program.steps) for i in step.inputs}
    free = list(donated)
    outputs = set(program.outputs)
    for number, step in enumerate(program.steps):
        if not program.kernels[step.kernel].overwrites or step.outputs[0] not in outputs:
            continue
        whole = step.inputs[0]
        if whole in free and step.inputs.count(whole) == 1 and last[whole] == number:
            program.donations[step.outputs[0]] = whole
            free.remove(whole)
    for number, step in enumerate(program.steps):
        for output in outputs.difference(program.donations).intersection(step.outputs):
            for source in _fitting(program, output, free):
                if last.get(source, -1) < number:
                    program.donations[output] = source
                    free.remove(source)
                    break


def _fitting(program: Program, output: int, donated: Collection[int]) -> Iterator[int]:
    """Yield the donated inputs with the size and dtype of an output."""
    new = program.buffers[output]
    for source in donated:
        old = program.buffers[source]
        if new.count and (old.count, old.dtype) == (new.count, new.dtype):
            yield source


def _wanted(program: Program, donated: Collection[int]) -> dict[int, int]:
    """Map outputs to donated inputs that they may be written over, unless read later.

    The best input is an operand of the step that computes the output. Otherwise it is an input that
    no other output is written over, like a state from which the next state is computed indirectly.
    """
    wanted: dict[int, int] = {}
    free = list(donated)
    outputs = set(program.outputs)
    last = [step for step in _steps_after_all_others(program) if step.outputs[0] in outputs]
    for own in (True, False):
        for step in last:
            (output,) = step.outputs
            reads = operands_in_order(program, step) if own else set(free) - set(step.inputs)
            source = next((i for i in _fitting(program, output, free) if i in reads), None)
            if output not in wanted and source is not None:
                wanted[output] = source
                free.remove(source)
    return wanted


def _steps_after_all_others(program: Program) -> list[Step]:
    """Return the elementwise steps on which no step of another kind depends."""
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
        """Return the steps, and the donations that are possible."""
        while self._pending:
            step = next((s for s in self._computable() if not self._is_waiting(s)), None)
            if step is None:  # each waits for another one that reads the bytes it would write over
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
