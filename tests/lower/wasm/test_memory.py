"""The memory plan of wasm Programs: no live value is overwritten, and memory use is low."""

from __future__ import annotations

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.lower.memory import ALIGNMENT, PADDING, plan
from tfpy._src.compiler.lower.program import Kernel, Program
from tfpy._src.compiler.ops import OPS

CONV = Kernel("conv2d", ("x", "filter"))
ADD = Kernel("elementwise", ("a", "b"))

INVERTED_RESIDUALS = (  # expansion, channels, repeats, stride (Sandler et al., 2018, table 2)
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def add(program: Program, a: int, b: int) -> int:
    buffer = program.buffers[a]
    out = program.add_buffer(buffer.shape, buffer.dtype)
    strides = [[1] if i == a or program.buffers[i].count == buffer.count else [0] for i in (a, b)]
    program.add_step(ADD, [a, b], [out], {"dims": [buffer.count], "strides": strides})
    return out


def apply_kernel(program: Program, x: int, shape: tuple[int, ...]) -> int:
    out = program.add_buffer(shape, ex.F)
    program.add_step(CONV, [x], [out], {})
    return out


def mobilenet_v2(batch: int) -> Program:
    """Return a Program of the network's activations. Convolutions include bias and clamp."""
    program = Program("wasm")
    size, channels = 112, 32
    program.inputs = [program.add_buffer((batch, 224, 224, 3), ex.F)]
    y = apply_kernel(program, program.inputs[0], (batch, size, size, channels))
    for expansion, out, repeats, first_stride in INVERTED_RESIDUALS:
        for i in range(repeats):
            x, wide = y, channels * expansion
            if expansion > 1:
                y = apply_kernel(program, y, (batch, size, size, wide))
            size //= first_stride if i == 0 else 1
            y = apply_kernel(program, y, (batch, size, size, wide))
            y = apply_kernel(program, y, (batch, size, size, out))
            if i > 0:
                y = add(program, y, x)
            channels = out
    y = apply_kernel(program, y, (batch, size, size, 1280))
    y = apply_kernel(program, y, (batch, 1, 1, 1280))
    program.outputs = [apply_kernel(program, y, (batch, 1000))]
    return program


def check_apart(program: Program) -> None:
    """Simulate the steps with one owner per byte range, and check each read."""
    planned = plan(program)
    offsets = planned.arena.offsets if planned.arena is not None else {}
    nbytes = planned.arena.nbytes if planned.arena is not None else 0
    granules = np.full(nbytes // ALIGNMENT, -1)
    written = {i for step in program.steps for i in step.outputs}
    assert offsets.keys() == written - set(program.outputs)

    def span(buffer: int) -> slice:
        begin = offsets[buffer]
        assert begin % ALIGNMENT == 0
        assert begin + program.buffers[buffer].nbytes + PADDING <= nbytes
        return slice(
            begin // ALIGNMENT, -(-(begin + program.buffers[buffer].nbytes + PADDING) // ALIGNMENT)
        )

    for step in program.steps:
        for i in step.inputs:
            assert i not in offsets or (granules[span(i)] == i).all()
        for i in step.outputs:
            if i in offsets:
                granules[span(i)] = i


@pytest.mark.parametrize("batch", [1, 3])
def test_mobilenet_v2_needs_little_more_than_its_largest_step(batch: int) -> None:
    program = mobilenet_v2(batch)
    planned = plan(program)
    check_apart(program)
    total = sum(program.buffers[i].nbytes for step in program.steps for i in step.outputs)
    assert planned.largest_live_bytes == batch * 4 * 96 * (112 * 112 + 56 * 56)
    assert planned.peak_bytes <= 1.3 * planned.largest_live_bytes < total / 3


def test_random_programs(rng: np.random.Generator) -> None:
    """Plan steps of random sizes that read random earlier buffers. A third is elementwise."""
    ratios = []
    for _ in range(60):
        program = Program("wasm")
        program.inputs = [program.add_buffer((int(rng.integers(1, 400)),), ex.F)]
        for _ in range(int(rng.integers(1, 40))):
            recent = range(max(0, len(program.buffers) - 6), len(program.buffers))
            a, b = (int(i) for i in rng.choice(recent, 2))
            if rng.integers(3) == 0:
                add(program, a, b)
            else:
                apply_kernel(program, a, (int(rng.integers(1, 400)),))
        made = [i for step in program.steps for i in step.outputs]
        program.outputs = [int(i) for i in rng.choice(made, min(len(made), 3), replace=False)]
        check_apart(program)
        planned = plan(program)
        padded = planned.largest_live_bytes + (PADDING + ALIGNMENT) * len(program.buffers)
        ratios.append(planned.peak_bytes / padded)
    assert max(ratios) <= 1.3


def test_elementwise_steps_work_in_place() -> None:
    """Check that a chain of elementwise steps needs memory for one temporary."""
    graph = Graph()
    x = graph.add_input(Aval((1000,), ex.F))
    y = x
    for name in ("negative", "relu", "exp", "tanh"):
        y = graph.add_eqn(OPS[name], [y], ())
    graph.outputs = [graph.add_eqn(OPS["add"], [y, x], ())]
    arena = wasm.lower(graph).arena
    assert arena is not None
    assert arena.nbytes == 4096
    assert list(arena.offsets.values()) == [0] * 4


def test_an_operand_that_is_needed_again_or_moved_stays() -> None:
    program = Program("wasm")
    program.inputs = [program.add_buffer((64,), ex.F)]
    a = apply_kernel(program, program.inputs[0], (64,))
    b = add(program, a, a)
    c = add(program, b, a)  # a is read again here, so b cannot overwrite it
    turned = program.add_buffer((64,), ex.F)
    params = {"dims": [8, 8], "strides": [[1, 8], [8, 1]]}
    program.add_step(ADD, [c, c], [turned], params)
    program.outputs = [apply_kernel(program, turned, (64,))]
    arena = plan(program).arena
    assert arena is not None
    assert arena.offsets[a] != arena.offsets[b]
    assert arena.offsets[c] != arena.offsets[turned]
    check_apart(program)


def test_no_temporaries_no_arena() -> None:
    program = Program("wasm")
    program.inputs = [program.add_buffer((8,), ex.F)]
    program.outputs = [apply_kernel(program, program.inputs[0], (4,))]
    assert plan(program).arena is None
    assert plan(program).peak_bytes == plan(program).largest_live_bytes == 16
    assert "arena" not in program.to_json()


def test_a_result_that_nobody_reads_has_a_place() -> None:
    program = mobilenet_v2(1)
    apply_kernel(program, program.inputs[0], (77,))
    check_apart(program)
