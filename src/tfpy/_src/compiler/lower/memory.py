"""The memory plan: where a Program's temporaries lie in one arena.

Temporaries are the buffers that steps write and that are no outputs. The arena is no Program's: the
runtime keeps one, as large as the largest Program needs, and lends it to each run in turn; nothing
in it is freed one by one. Inputs, outputs and constants lie outside of it, and
``lower/donation_plan.py`` says who frees those.

Two temporaries may share bytes when their live ranges do not meet: no step needs both. An
elementwise step whose operand is read for the last time writes its result in the operand's place.
Temporaries are placed from the largest to the smallest, each at the lowest offset that is free as
long as it lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from tfpy._src.compiler.lower.program import Arena, Program, Step

ALIGNMENT = 64
PADDING = 64  # kernels may read and write so many bytes behind a buffer


@dataclass(frozen=True)
class MemoryPlan:
    """The arena of a Program (None without temporaries) and what a run of it needs."""

    arena: Arena | None
    peak_bytes: int
    """Of temporaries and outputs together, beside the inputs and the constants; outputs that are
    written over a donated input need none."""
    largest_live_bytes: int
    """The most bytes of temporaries and outputs that one step needs: no plan can do with less."""


@dataclass
class _Block:
    """Temporaries that follow one another in place; they live from step ``first`` to ``last``."""

    buffers: list[int]
    nbytes: int
    first: int
    last: int


def plan(program: Program) -> MemoryPlan:
    """Plans the memory of ``program``, which is not changed."""
    blocks = _blocks(program)
    outputs = sum(program.buffers[i].nbytes for i in _new_outputs(program))
    offsets, nbytes = _place(blocks)
    arena = None
    if blocks:
        places = zip(blocks, offsets, strict=True)
        arena = Arena(nbytes, {i: offset for block, offset in places for i in block.buffers})
    return MemoryPlan(arena, nbytes + outputs, _largest_live(program, blocks))


def _new_outputs(program: Program) -> set[int]:
    """The outputs that have bytes of their own, when all inputs are donated that may be."""
    return set(program.outputs) - program.donations.keys()


def _last_uses(program: Program) -> dict[int, int]:
    """The last step that reads or writes each buffer; outputs are needed after all steps."""
    last: dict[int, int] = {}
    for number, step in enumerate(program.steps):
        for buffer in (*step.inputs, *step.outputs):
            last[buffer] = number
    return last | dict.fromkeys(program.outputs, len(program.steps))


def _blocks(program: Program) -> list[_Block]:
    """The temporaries in the order of their steps, those in place of one another together."""
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
    """A temporary that an elementwise step reads, for the last time, in the order it writes."""
    if program.kernels[step.kernel].name != "elementwise":
        return None
    nbytes = program.buffers[step.outputs[0]].nbytes
    for operand in operands_in_order(step):
        fits = operand in blocks and program.buffers[operand].nbytes == nbytes
        if fits and last[operand] == number:
            return operand
    return None


def operands_in_order(step: Step) -> list[int]:
    """The operands that an elementwise step reads as it writes, element by element."""
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
    """The offset of each block, and the bytes of the arena."""
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
    """The most bytes that are needed at once."""
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
