"""Outputs in place of inputs that are donated to a run; invalid donations are rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.ops import OPS

from .node_process import RuntimeFailed
from .node_runtime import Array, NodeRuntime
from .test_programs import register_gibibyte

COUNT = 5000
SPEC = Aval((COUNT,), ex.F)
CUMSUM = (("axis", 0), ("exclusive", False), ("reverse", False))


def update() -> Program:
    """Return w - cumsum(w * g) in place of w, and the sum of squares."""
    graph = Graph()
    w, g = graph.add_input(SPEC), graph.add_input(SPEC)
    slope = graph.add_eqn(OPS["cumsum"], [graph.add_eqn(OPS["multiply"], [w, g], ())], CUMSUM)
    total = graph.add_eqn(OPS["cumsum"], [graph.add_eqn(OPS["square"], [slope], ())], CUMSUM)
    graph.outputs = [graph.add_eqn(OPS["subtract"], [w, slope], ()), total]
    program = wasm.lower(graph, [0])
    assert program.donations == {program.outputs[0]: program.inputs[0]}
    return program


def arrays() -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    return tuple((rng.standard_normal(COUNT) / 70).astype(np.float32) for _ in range(2))  # type: ignore[return-value]


def expected(w: Array, g: Array) -> list[Array]:
    slope = np.cumsum(w * g, dtype=np.float32)
    return [w - slope, np.cumsum(slope * slope, dtype=np.float32)]


def test_a_slot_given_for_good(runtime: NodeRuntime) -> None:
    number = runtime.register(update())
    w, g = arrays()
    slot, other = runtime.write(w), runtime.write(g)
    kept = runtime.call("run", program=number, slots=[slot, other])
    before = runtime.call("memory")
    given = runtime.call("run", program=number, slots=[-slot, other])
    after = runtime.call("memory")
    assert after["slots"] == before["slots"] + 1  # two created, one consumed
    assert after["bytes"] == before["bytes"] + w.nbytes
    for i, wanted in enumerate(expected(w, g)):
        first, second = runtime.read(kept + i, SPEC), runtime.read(given + i, SPEC)
        np.testing.assert_array_equal(first, second)
        np.testing.assert_allclose(first, wanted, 1e-4, 1e-4)
    with pytest.raises(RuntimeFailed, match=f"there is no slot {slot}$"):
        runtime.call("free", slots=[slot])
    np.testing.assert_array_equal(runtime.read(other, SPEC), g)
    runtime.call("free", slots=[other, kept, kept + 1, given, given + 1])
    runtime.call("release", program=number)


def test_many_steps_take_no_more_memory(runtime: NodeRuntime) -> None:
    number = runtime.register(update())
    w, g = arrays()
    slot, other = runtime.write(w), runtime.write(g)
    sizes = set()
    for _ in range(20):
        slot = runtime.call("run", program=number, slots=[-slot, other])
        runtime.call("free", slots=[slot + 1])
        sizes.add(runtime.call("memory")["bytes"])
        w = expected(w, g)[0]
    assert len(sizes) == 1
    np.testing.assert_allclose(runtime.read(slot, SPEC), w, 1e-3, 1e-4)
    runtime.call("free", slots=[slot, other])
    runtime.call("release", program=number)


def test_an_input_that_no_output_replaces_is_freed(runtime: NodeRuntime) -> None:
    number = runtime.register(update())
    slots = [runtime.write(a) for a in arrays()]
    out = runtime.call("run", program=number, slots=[slots[0], -slots[1]])
    with pytest.raises(RuntimeFailed, match="there is no slot"):
        runtime.call("free", slots=[slots[1]])
    runtime.call("free", slots=[slots[0], out, out + 1])
    runtime.call("release", program=number)


def test_a_slot_is_given_once(runtime: NodeRuntime) -> None:
    number = runtime.register(update())
    slot = runtime.write(arrays()[0])
    for slots in ([-slot, -slot], [-slot, slot], [slot, -slot]):
        with pytest.raises(RuntimeFailed, match=f"slot {slot} is donated and used"):
            runtime.call("run", program=number, slots=slots)
    for slots in ([-(2**31), slot], [slot, -(10**9)]):
        with pytest.raises(RuntimeFailed, match="there is no slot"):
            runtime.call("run", program=number, slots=slots)
    np.testing.assert_array_equal(runtime.read(slot, SPEC), arrays()[0])
    runtime.call("free", slots=[slot])
    runtime.call("release", program=number)


def test_what_was_packed_of_the_old_contents_is_dropped(runtime: NodeRuntime) -> None:
    """Run a convolution that packs a filter which the same run then overwrites."""
    graph = Graph()
    x, w = graph.add_input(Aval((1, 6, 6, 4), ex.F)), graph.add_input(Aval((3, 3, 4, 8), ex.F))
    attrs = (("strides", (1, 1)), ("padding", ((1, 1), (1, 1))), ("dilations", (1, 1)))
    y = graph.add_eqn(OPS["conv2d"], [x, w], attrs)
    graph.outputs = [graph.add_eqn(OPS["negative"], [w], ()), y]
    program = wasm.lower(graph, [1])
    assert program.donations == {program.outputs[0]: program.inputs[1]}
    number = runtime.register(program)
    rng = np.random.default_rng(0)
    image, kernel = (
        rng.standard_normal(graph.avals[v].shape).astype(np.float32) for v in graph.inputs
    )
    (_, wanted) = evaluate(graph, [image, kernel])
    data, slot = runtime.write(image), runtime.write(kernel)
    for sign in (1, -1, 1, -1):
        slot = runtime.call("run", program=number, slots=[data, -slot])
        got = runtime.read(slot + 1, Aval((1, 6, 6, 8), ex.F))
        np.testing.assert_allclose(got, sign * wanted, 1e-4, 1e-5)
        runtime.call("free", slots=[slot + 1])
    runtime.call("free", slots=[data, slot])
    runtime.call("release", program=number)


def cache_update() -> Graph:
    """Return a cache with a new row, and the sums of its rows, which a scan computes."""
    graph = Graph()
    cache, row = graph.add_input(Aval((8, 64), ex.F)), graph.add_input(Aval((1, 64), ex.F))
    starts = graph.add_input(Aval((2,), ex.I))
    after = graph.add_eqn(OPS["dynamic_update_slice"], [cache, row, starts], ())
    graph.outputs = [after, graph.add_eqn(OPS["cumsum"], [after], CUMSUM)]
    return graph


def test_a_slice_is_written_in_place(runtime: NodeRuntime) -> None:
    graph = cache_update()
    program = wasm.lower(graph, [0], spent=True)
    assert program.donations == {program.outputs[0]: program.inputs[0]}
    assert not wasm.lower(graph, [0]).donations  # the scan could fail
    number = runtime.register(program)
    rng = np.random.default_rng(1)
    cache, row = (
        rng.standard_normal(graph.avals[v].shape).astype(np.float32) for v in graph.inputs[:2]
    )
    slot, other = runtime.write(cache), runtime.write(row)
    for start in (3, 0, 99):  # the last one is clipped
        at = runtime.write(np.array([start, 0], np.int32))
        wanted = evaluate(graph, [cache, row, np.array([start, 0], np.int32)])
        before = runtime.call("memory")
        made = runtime.call("run", program=number, slots=[-slot, other, at])
        assert runtime.call("memory")["slots"] == before["slots"] + 1
        got = [runtime.read(made + n, graph.avals[v]) for n, v in enumerate(graph.outputs)]
        np.testing.assert_array_equal(got[0], wanted[0])
        np.testing.assert_allclose(got[1], wanted[1], 1e-5, 1e-5)
        cache, slot = got[0], made
        runtime.call("free", slots=[made + 1, at])
    runtime.call("free", slots=[slot, other])
    runtime.call("release", program=number)


def test_a_program_that_may_fail_later_must_announce_it(runtime: NodeRuntime) -> None:
    program = wasm.lower(cache_update(), [0], spent=True)
    program.spoils = False
    with pytest.raises(RuntimeFailed, match="may fail after one that writes in place"):
        runtime.register(program)


def run_until_full(runtime: NodeRuntime, program: int, slot: int) -> list[int]:
    """Return the results for which the heap has room."""
    held: list[int] = []
    with suppress(RuntimeFailed):
        while True:
            held.append(runtime.call("run", program=program, slots=[slot]))
    return held


def test_a_run_that_fails_leaves_what_it_was_given(empty_runtime: NodeRuntime) -> None:
    """Check that nothing changes if the heap has no room for the other output."""
    program = update()
    big = program.add_buffer((2**28,), ex.F)
    params = {"dims": [2**28], "strides": [[0]], "constants": [], "registers": 2}
    one = program.add_buffer((1,), ex.F)
    program.inputs.append(one)
    program.add_step(program.kernels[0], [one], [big], params | {"code": [["copy", 1, 0]]})
    program.outputs.append(big)
    number, gibibyte = empty_runtime.register(program), register_gibibyte(empty_runtime)
    w, g = arrays()
    slots = [
        empty_runtime.write(w),
        empty_runtime.write(g),
        empty_runtime.write(np.ones(1, np.float32)),
    ]
    held = run_until_full(empty_runtime, gibibyte, slots[2])
    left = set()
    for _ in range(2):
        with pytest.raises(RuntimeFailed, match="out of memory"):
            empty_runtime.call("run", program=number, slots=[-slots[0], *slots[1:]])
        left.add(empty_runtime.call("memory")["bytes"])
    assert len(left) == 1
    np.testing.assert_array_equal(empty_runtime.read(slots[0], SPEC), w)
    empty_runtime.call("free", slots=held)
    out = empty_runtime.call("run", program=number, slots=[-slots[0], *slots[1:]])
    np.testing.assert_allclose(empty_runtime.read(out, SPEC), expected(w, g)[0], 1e-4, 1e-4)
    empty_runtime.call("free", slots=[out, out + 1, out + 2, *slots[1:]])
    for each in (number, gibibyte):
        empty_runtime.call("release", program=each)


Edit = Callable[[dict[str, Any]], Any]


def donations(*pairs: Any) -> Edit:
    return lambda document: document.update(donations=list(pairs))


def late_scan(document: dict[str, Any]) -> None:
    """Run the scan of the squares after the step that writes in place."""
    *first, update = document["steps"]
    assert update["outputs"] == [document["outputs"][0]]
    scan = next(s for s in first if s["outputs"] == [document["outputs"][1]])
    document["steps"] = [*(s for s in first if s is not scan), update, scan]


def early_update(document: dict[str, Any]) -> None:
    """Read the input after the step that overwrites it."""
    step = json.loads(json.dumps(document["steps"][-1]))
    document["buffers"].append(document["buffers"][0])
    step["outputs"] = [len(document["buffers"]) - 1]
    document["outputs"].append(step["outputs"][0])
    document["steps"].append(step)


def shifted(document: dict[str, Any]) -> None:
    """Read the input's elements in another order."""
    params = document["steps"][-1]["params"]
    params.update(dims=[50, 100], strides=[[1, 50], [100, 1]])


def other_size(document: dict[str, Any]) -> None:
    document["buffers"].append({"dtype": "float32", "shape": [7]})
    document["inputs"].append(len(document["buffers"]) - 1)
    document["donations"] = [[document["outputs"][0], len(document["buffers"]) - 1]]


WRONG: dict[str, tuple[Edit, str]] = {
    "a number": (lambda d: d.update(donations=1), "donations is missing"),
    "no pair": (donations([4]), "a donation is not a pair"),
    "no buffer": (donations([99, 0]), "a donation is not"),
    "negative buffer": (donations([-1, 0]), "a donation is not"),
    "output that is none": (donations([0, 0]), "is not an output"),
    "input that is none": (lambda d: donations([d["outputs"][0], 10**6])(d), "is not an input"),
    "temporary": (
        lambda d: donations([d["outputs"][0], d["steps"][0]["outputs"][0]])(d),
        "is not an input",
    ),
    "output twice": (
        lambda d: donations([d["outputs"][0], 0], [d["outputs"][0], 1])(d),
        "is in two donations",
    ),
    "input twice": (
        lambda d: donations([d["outputs"][0], 0], [d["outputs"][1], 0])(d),
        "is in two donations",
    ),
    "another size": (other_size, "differ in size"),
    "scan in place": (lambda d: donations([d["outputs"][1], 0])(d), "may fail|would overwrite"),
    "scan afterwards": (late_scan, "may fail after one that writes in place"),
    "read afterwards": (early_update, "would overwrite input 0"),
    "another order": (shifted, "would overwrite input 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str, runtime: NodeRuntime) -> None:
    document = json.loads(update().to_json())
    edit, message = WRONG[name]
    edit(document)
    before = runtime.call("memory")
    with pytest.raises(RuntimeFailed, match=message):
        runtime.register_text(json.dumps(document))
    assert runtime.call("memory")["bytes"] == before["bytes"]


def test_random_programs(runtime: NodeRuntime) -> None:
    """Check that the outputs have the same bits, whichever inputs are donated or kept."""
    rng = np.random.default_rng(7)
    taken = 0
    for _ in range(30):
        graph = random_graph(rng)
        program = wasm.lower(graph, range(len(graph.inputs)))
        number, plain = runtime.register(program), runtime.register(wasm.lower(graph))
        data = [rng.standard_normal(graph.avals[v].shape).astype(np.float32) for v in graph.inputs]
        slots = [runtime.write(a) for a in data]
        first = runtime.call("run", program=plain, slots=slots)
        wanted = [runtime.read(first + i, graph.avals[v]) for i, v in enumerate(graph.outputs)]
        signs = rng.choice([1, -1], len(slots))
        given = [int(sign) * slot for sign, slot in zip(signs, slots, strict=True)]
        second = runtime.call("run", program=number, slots=given)
        for i, (v, array) in enumerate(zip(graph.outputs, wanted, strict=True)):
            np.testing.assert_array_equal(runtime.read(second + i, graph.avals[v]), array)
        for slot, array in zip(given, data, strict=True):
            if slot > 0:
                np.testing.assert_array_equal(runtime.read(slot, Aval(array.shape, ex.F)), array)
        count = len(graph.outputs)
        left = [s for s in given if s > 0]
        runtime.call(
            "free", slots=[*left, *range(first, first + count), *range(second, second + count)]
        )
        for each in (number, plain):
            runtime.call("release", program=each)
        taken += len(program.donations)
    assert taken > 40


def random_graph(rng: np.random.Generator) -> Graph:
    """Return updates of some inputs in terms of each other, scans and transposes."""
    graph = Graph()
    shape = (int(rng.integers(1, 30)),) * 2
    values = [graph.add_input(Aval(shape, ex.F)) for _ in range(5)]
    for _ in range(int(rng.integers(3, 25))):
        x, y = (int(v) for v in rng.choice(values[-9:], 2))
        kind = int(rng.integers(6))
        if kind == 0:
            values.append(graph.add_eqn(OPS["transpose"], [x], (("perm", (1, 0)),)))
        elif kind == 1:
            values.append(graph.add_eqn(OPS["cumsum"], [x], CUMSUM))
        elif kind == 2:
            values.append(graph.add_eqn(OPS["tanh"], [x], ()))
        else:
            values.append(graph.add_eqn(OPS["maximum" if kind == 3 else "subtract"], [x, y], ()))
    made = values[5:]
    graph.outputs = [int(v) for v in rng.choice(made, min(len(made), 5), replace=False)]
    return graph
