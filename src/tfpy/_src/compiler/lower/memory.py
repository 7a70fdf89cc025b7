"""The memory plan: the places of a Program's temporaries in one arena.

Temporaries are the buffers that steps write and that are not outputs. The arena does not belong to
a Program: the runtime keeps one, as large as the largest Program needs, and lends it to each run.
Its blocks are not freed one by one. Inputs, outputs and constants are outside of the arena;
`lower/donation_plan.py` describes who frees them.

Two temporaries may share bytes if their live ranges do not overlap. An elementwise step, or an
update of a slice, that is the last reader of an operand writes its result in the operand's place.
Temporaries are placed from the largest to the smallest, each at the lowest offset that is free
during its lifetime.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from tfpy._src.compiler.lower.program import Arena, Program, Step

ALIGNMENT = 64
PADDING = 64  # bytes after a buffer that kernels may read and write


@dataclass(frozen=True)
class MemoryPlan:
    """The arena of a Program (None without temporaries) and the memory of a run."""

    arena: Arena | None
    peak_bytes: int
    """Largest number of bytes of temporaries and outputs together, without inputs and constants.
    Outputs that are written over a donated input count as 0."""
    largest_live_bytes: int
    """Largest number of bytes of temporaries and outputs that one step needs, a lower bound of any
    plan."""


@dataclass
class _Block:
    """Temporaries that replace one another in place. They live from step `first` to step `last`."""

    buffers: list[int]
    nbytes: int
    first: int
    last: int


def plan(program: Program) -> MemoryPlan:
    """Plan the memory of `program`, which is not changed."""
    blocks = _blocks(program)
    outputs = sum(program.buffers[i].nbytes for i in _new_outputs(program))
    offsets, nbytes = _place(blocks)
    arena = None
    if blocks:
        places = zip(blocks, offsets, strict=True)
        arena = Arena(nbytes, {i: offset for block, offset in places for i in block.buffers})
    return MemoryPlan(arena, nbytes + outputs, _largest_live(program, blocks))


def _new_outputs(program: Program) -> set[int]:
    """Return the outputs that need their own bytes if all possible inputs are donated."""
    return set(program.outputs) - program.donations.keys()


def _last_uses(program: Program) -> dict[int, int]:
    """Return the last step that reads or writes each buffer. Outputs are needed after all steps."""
    last: dict[int, int] = {}
    for number, step in enumerate(program.steps):
        for buffer in (*step.inputs, *step.outputs):
            last[buffer] = number
    return last | dict.fromkeys(program.outputs, len(program.steps))


def _blocks(program: Program) -> list[_Block]:
    """Return blocks of temporaries in the order of their steps.

    Temporaries that replace one another are one block.
    """
    last = _last_uses(program)
    outputs = set(program.outputs)
    blocks: dict[int, _Block] = {}
    found: list[_Block] = []
    for number, step in enumerate(program.steps):
        (output,) = step.outputs
        if output in outputs:
            continue
        operand = _operand_to_overwrite(program, step, number, last, blocks)
        if operand is None:
            block = _Block([], program.buffers[output].nbytes, number, number)
            found.append(block)
        else:
            block = blocks[operand]
        block.buffers.append(output)
        block.last = last[output]
        blocks[output] = block
    return found


def _operand_to_overwrite(
    program: Program, step: Step, number: int, last: dict[int, int], blocks: dict[int, _Block]
) -> int | None:
    """Return a temporary that a step may overwrite, or None. The step must be its last reader."""
    nbytes = program.buffers[step.outputs[0]].nbytes
    for operand in operands_in_order(program, step):
        fits = operand in blocks and program.buffers[operand].nbytes == nbytes
        if fits and last[operand] == number:
            return operand
    return None


def operands_in_order(program: Program, step: Step) -> list[int]:
    """Return the operands over which a step may write its result.

    An elementwise step reads them in the order in which it writes. A step that updates a slice
    leaves all other elements unchanged.
    """
    kind = program.kernels[step.kernel].name
    if kind == "dynamic_update_slice":
        return [i for i in step.inputs[:1] if step.inputs.count(i) == 1]
    if kind != "elementwise":
        return []
    dims = cast(Sequence[int], step.params["dims"])
    strides = cast(Sequence[Sequence[int]], step.params["strides"])
    moved = {i for i, s in zip(step.inputs, strides, strict=True) if not _is_dense(dims, s)}
    return [operand for operand in step.inputs if operand not in moved]


def _is_dense(dims: Sequence[int], strides: Sequence[int]) -> bool:
    dense = 1
    for dim, stride in zip(reversed(dims), reversed(strides), strict=True):
        if dim != 1 and stride != dense:
            return False
        dense *= dim
    return True


def _place(blocks: Sequence[_Block]) -> tuple[list[int], int]:
    """Return the offset of each block, and the size of the arena in bytes."""
    count = len(blocks)
    offsets = [0] * count
    first, last, begin, end = np.zeros((4, count), np.int64)
    nbytes = 0
    by_size = sorted(range(count), key=lambda i: (-blocks[i].nbytes, blocks[i].first))
    for placed, number in enumerate(by_size):
        block = blocks[number]
        size = -(-(block.nbytes + PADDING) // ALIGNMENT) * ALIGNMENT
        met = np.flatnonzero((first[:placed] <= block.last) & (last[:placed] >= block.first))
        met = met[np.argsort(begin[met], kind="stable")]
        offset = 0
        for start, stop in zip(begin[met].tolist(), end[met].tolist(), strict=True):
            if offset + size <= start:
                break
            offset = max(offset, stop)
        first[placed], last[placed] = block.first, block.last
        begin[placed], end[placed] = offset, offset + size
        offsets[number] = offset
        nbytes = max(nbytes, offset + size)
    return offsets, nbytes


def _largest_live(program: Program, blocks: Sequence[_Block]) -> int:
    """Return the largest number of bytes that are needed at the same time."""
    change = [0] * (len(program.steps) + 2)
    for block in blocks:
        change[block.first] += block.nbytes
        change[block.last + 1] -= block.nbytes
    outputs = _new_outputs(program)
    for number, step in enumerate(program.steps):
        change[number] += sum(program.buffers[i].nbytes for i in step.outputs if i in outputs)
    live = largest = 0
    for difference in change:
        live += difference
        largest = max(largest, live)
    return largest
