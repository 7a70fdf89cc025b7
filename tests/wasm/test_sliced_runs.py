"""Runs in slices: other runs, frees and donations in between have no effect on the result."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import tfpy
from tfpy._src.backends import event_loop
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.lower.program import Program

from .node_backend import NodeDevice, active
from .node_process import RuntimeFailed
from .node_runtime import Array, NodeRuntime
from .test_arena import chain
from .test_donations import SPEC, arrays, expected, update

STEPS, COUNT = 6, 3000


def numbers(seed: int, count: int = COUNT) -> Array:
    return np.random.default_rng(seed).uniform(-0.01, 0.01, count).astype(np.float32)


def ended(runtime: NodeRuntime, run: int, most: int = 100) -> int:
    """Continue a run one step at a time, and return its first output."""
    for _ in range(most):
        if first := runtime.call("goOn", run=run, ms=0):
            return int(first)
    raise AssertionError("the run does not end")


def check(runtime: NodeRuntime, slot: int, x: Array) -> None:
    """Check that a slot has the result of the chain alone, and free it."""
    wanted = runtime.run_graph(chain(STEPS, x.size), [x])[0]
    np.testing.assert_array_equal(runtime.read(slot, Aval(x.shape, ex.F)), wanted)
    runtime.call("free", slots=[slot])


def test_each_slice_is_a_step_and_what_is_quick_besides(runtime: NodeRuntime) -> None:
    program = wasm.lower(chain(STEPS, COUNT))
    number, x = runtime.register(program), numbers(1)
    slot = runtime.write(x)
    run = runtime.call("begin", program=number, slots=[slot])
    slices = [runtime.call("goOn", run=run, ms=0) for _ in program.steps]
    assert slices[:-1] == [0] * (len(program.steps) - 1)
    check(runtime, slices[-1], x)
    with pytest.raises(RuntimeFailed, match=f"there is no run {run}$"):
        runtime.call("goOn", run=run, ms=0)
    run = runtime.call("begin", program=number, slots=[slot])
    check(runtime, runtime.call("goOn", run=run, ms=1e6), x)
    runtime.call("free", slots=[slot])
    runtime.call("release", program=number)


def test_what_runs_between_does_not_show(runtime: NodeRuntime) -> None:
    """Interleave runs of the same program, whole and in slices, and of one with a larger arena."""
    before = runtime.call("memory")
    small, large = (runtime.register(wasm.lower(chain(STEPS, n))) for n in (COUNT, 9 * COUNT))
    xs = [numbers(seed) for seed in range(4)]
    slots = [runtime.write(x) for x in xs]
    runs = [runtime.call("begin", program=small, slots=[slot]) for slot in slots[:3]]
    whole, wide = slots[3], numbers(9, 9 * COUNT)
    wide_slot = runtime.write(wide)
    found: dict[int, int] = {}
    while len(found) < len(runs):
        for run in runs:
            if run not in found and (first := runtime.call("goOn", run=run, ms=0)):
                found[run] = first
            check(runtime, runtime.call("run", program=small, slots=[whole]), xs[3])
            check(runtime, runtime.call("run", program=large, slots=[wide_slot]), wide)
    for run, x in zip(runs, xs, strict=False):
        check(runtime, found[run], x)
    runtime.call("free", slots=[*slots, wide_slot])
    for number in (small, large):
        runtime.call("release", program=number)
    after = runtime.call("memory")
    assert (after["bytes"], after["slots"]) == (before["bytes"], before["slots"])


def test_slots_that_are_freed_are_read_to_the_end(runtime: NodeRuntime) -> None:
    before = runtime.call("memory")
    number, x = runtime.register(wasm.lower(chain(STEPS, COUNT))), numbers(1)
    slot = runtime.write(x)
    runs = [runtime.call("begin", program=number, slots=[slot]) for _ in range(3)]
    runtime.call("goOn", run=runs[0], ms=0)
    runtime.call("free", slots=[slot])
    with pytest.raises(RuntimeFailed, match=f"there is no slot {slot}$"):
        runtime.call("free", slots=[slot])
    others = [runtime.write(numbers(7)) for _ in range(4)]  # would reuse the freed memory
    check(runtime, ended(runtime, runs[0]), x)
    runtime.call("drop", run=runs[1])
    check(runtime, ended(runtime, runs[2]), x)
    runtime.call("free", slots=others)
    runtime.call("release", program=number)
    after = runtime.call("memory")
    assert (after["bytes"], after["slots"]) == (before["bytes"], before["slots"])


def test_a_run_that_is_dropped_leaves_nothing(runtime: NodeRuntime) -> None:
    number, x = runtime.register(wasm.lower(chain(STEPS, COUNT))), numbers(1)
    slot = runtime.write(x)
    check(runtime, runtime.call("run", program=number, slots=[slot]), x)
    before = runtime.call("memory")
    for slices in range(STEPS):
        run = runtime.call("begin", program=number, slots=[slot])
        for _ in range(slices):
            runtime.call("goOn", run=run, ms=0)
        runtime.call("drop", run=run)
        runtime.call("drop", run=run)  # has no effect
        after = runtime.call("memory")
        assert (after["bytes"], after["slots"]) == (before["bytes"], before["slots"])
    check(runtime, runtime.call("run", program=number, slots=[slot]), x)
    runtime.call("free", slots=[slot])
    runtime.call("release", program=number)


def test_donations(runtime: NodeRuntime) -> None:
    """Donate slots to a run in slices, which takes them when it begins.

    The slots that it only reads cannot be donated to another run meanwhile.
    """
    program: Program = update()
    number = runtime.register(program)
    w, g = arrays()
    slots = [runtime.write(a) for a in (w, g)]
    for is_dropped in (False, True):
        before = runtime.call("memory")
        given = runtime.write(w)
        run = runtime.call("begin", program=number, slots=[-given, slots[1]])
        runtime.call("goOn", run=run, ms=0)
        with pytest.raises(RuntimeFailed, match=f"there is no slot {given}$"):
            runtime.call("run", program=number, slots=[given, slots[1]])
        if is_dropped:
            runtime.call("drop", run=run)
            assert runtime.call("memory")["bytes"] == before["bytes"]
            continue
        first = ended(runtime, run)
        for i, wanted in enumerate(expected(w, g)):
            np.testing.assert_allclose(runtime.read(first + i, SPEC), wanted, 1e-4, 1e-4)
        runtime.call("free", slots=[first, first + 1])
    run = runtime.call("begin", program=number, slots=slots)
    runtime.call("goOn", run=run, ms=0)
    with pytest.raises(RuntimeFailed, match=f"slot {slots[0]} is donated, and read by a run"):
        runtime.call("run", program=number, slots=[-slots[0], slots[1]])
    first = ended(runtime, run)
    for i, wanted in enumerate(expected(w, g)):
        np.testing.assert_allclose(runtime.read(first + i, SPEC), wanted, 1e-4, 1e-4)
    np.testing.assert_array_equal(runtime.read(slots[0], SPEC), w)
    given = runtime.call("run", program=number, slots=[-slots[0], slots[1]])
    runtime.call("free", slots=[slots[1], first, first + 1, given, given + 1])
    runtime.call("release", program=number)


def test_failures(runtime: NodeRuntime) -> None:
    number, x = runtime.register(wasm.lower(chain(STEPS, COUNT))), numbers(1)
    slot, short = runtime.write(x), runtime.write(x[:5])
    for slots, text in (([short], "float32 of 5 elements"), ([], "takes 1 inputs, not 0")):
        with pytest.raises(RuntimeFailed, match=text):
            runtime.call("begin", program=number, slots=slots)
    with pytest.raises(RuntimeFailed, match="there is no program"):
        runtime.call("begin", program=10**6, slots=[slot])
    run = runtime.call("begin", program=number, slots=[slot])
    runtime.call("goOn", run=run, ms=0)
    runtime.call("free", slots=[slot, short])
    runtime.call("release", program=number)
    with pytest.raises(RuntimeFailed, match=f"there is no program {number}$"):
        runtime.call("goOn", run=run, ms=0)
    with pytest.raises(RuntimeFailed, match=f"there is no run {run}$"):
        runtime.call("goOn", run=run, ms=0)


def test_loops_donate_their_state_to_runs_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "SLICE", 0.0)
    monkeypatch.setattr(event_loop, "SHORT", -1.0)
    begun: list[tuple[int, ...]] = []
    plain = NodeDevice.begin

    def begin(self: NodeDevice, program: int, *slots: int) -> int:
        begun.append(slots)
        return plain(self, program, *slots)

    monkeypatch.setattr(NodeDevice, "begin", begin)

    @tfpy.function
    def filled(cache: tfpy.Tensor) -> tfpy.Tensor:
        def step(i: tfpy.Tensor, rows: tfpy.Tensor) -> tuple[tfpy.Tensor, tfpy.Tensor]:
            row = tfpy.cumsum(rows[:1] + 1.0, axis=1)
            return i + 1, tfpy.tensor_scatter_nd_update(rows, [[i]], row)

        return tfpy.while_loop(lambda i, _: i < 8, step, (0, cache))[1]

    with active("simd", "always"):
        found = asyncio.run(filled.call_async(tfpy.zeros([8, 64]))).numpy()
        wanted = filled(tfpy.zeros([8, 64])).numpy()
    np.testing.assert_array_equal(found, wanted)
    assert sum(min(slots) < 0 for slots in begun) == 7  # others hold the first state
