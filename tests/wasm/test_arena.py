"""Temporaries in the arena: programs compute the same, and invalid plans are rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.ops import OPS

from .node_process import RuntimeFailed
from .node_runtime import NodeRuntime
from .test_programs import register_gibibyte

UNARY = ("negative", "relu", "tanh", "exp")
BINARY = ("add", "subtract", "multiply", "maximum")


def random_graph(rng: np.random.Generator, steps: int) -> Graph:
    """Return elementwise steps (with broadcasting), reductions and transposes of 2-D values."""
    graph = Graph()
    rows, columns = int(rng.integers(1, 40)), int(rng.integers(1, 60))
    values = [graph.add_input(Aval((rows, columns), ex.F)) for _ in range(2)]
    for _ in range(steps):
        x, y = (values[-int(rng.integers(1, min(5, len(values)) + 1))] for _ in range(2))
        kind = int(rng.integers(4))
        if kind == 0 and graph.avals[x].shape == graph.avals[y].shape:
            values.append(graph.add_eqn(OPS[str(rng.choice(BINARY))], [x, y], ()))
        elif kind == 1:
            total = graph.add_eqn(OPS["reduce_max"], [x], (("axes", (1, 2)),))
            shape = (graph.avals[x].shape[0], 1)
            column = graph.add_eqn(OPS["reshape"], [total], (("shape", shape),))
            values.append(graph.add_eqn(OPS["subtract"], [x, column], ()))
        elif kind == 2:
            values.append(graph.add_eqn(OPS["transpose"], [x], (("perm", (1, 0)),)))
        else:
            small = graph.add_eqn(OPS["tanh"], [x], ())
            values.append(graph.add_eqn(OPS[str(rng.choice(UNARY))], [small], ()))
    graph.outputs = list(dict.fromkeys([values[-1], values[len(values) // 2]]))
    return graph


def test_random_programs(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for steps in (2, 5, 9, 17, 33, 60):
        graph = random_graph(rng, steps)
        arrays = [
            rng.standard_normal(graph.avals[i].shape).astype(np.float32) for i in graph.inputs
        ]
        for got, wanted in zip(
            runtime.run_graph(graph, arrays), evaluate(graph, arrays), strict=True
        ):
            np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)


def chain(length: int, count: int) -> Graph:
    """Return exp(...exp(-x)) with reductions in between, so that only steps in place are fused."""
    graph = Graph()
    y = graph.add_input(Aval((count,), ex.F))
    for _ in range(length):
        y = graph.add_eqn(OPS["tanh"], [y], ())
        y = graph.add_eqn(OPS["cumsum"], [y], CUMSUM)
    graph.outputs = [y]
    return graph


CUMSUM = (("axis", 0), ("exclusive", False), ("reverse", False))


def test_programs_share_one_arena(runtime: NodeRuntime) -> None:
    """Check that the runtime allocates the largest arena, not the sum.

    It frees the arena with the last program.
    """
    before = runtime.call("memory")["bytes"]
    programs = [wasm.lower(chain(4, count)) for count in (100_000, 20_000, 1000, 50_000)]
    largest = max(p.arena.nbytes for p in programs if p.arena is not None)
    numbers = [runtime.register(p) for p in programs]
    for _ in range(2):
        for program, number in zip(programs, numbers, strict=True):
            x = np.linspace(-1, 1, program.buffers[0].count, dtype=np.float32)
            slot = runtime.write(x)
            out = runtime.call("run", program=number, slots=[slot])
            got = runtime.read(out, Aval(x.shape, ex.F))
            np.testing.assert_allclose(got, evaluate(chain(4, x.size), [x])[0], 2e-2, 1e-2)
            runtime.call("free", slots=[slot, out])
    held = runtime.call("memory")["bytes"] - before
    assert largest <= held < largest + 200_000
    for number in numbers:
        runtime.call("release", program=number)
    assert runtime.call("memory")["bytes"] == before


Edit = Callable[[dict[str, Any]], Any]


def planned() -> dict[str, Any]:
    """Return tanh, cumsum, tanh in place, cumsum, with temporaries 1, 2 and 3."""
    document: dict[str, Any] = json.loads(wasm.lower(chain(2, 100)).to_json())
    offsets = dict(document["arena"]["offsets"])
    assert document["arena"]["nbytes"] == 1024
    assert offsets == {1: 0, 2: 512, 3: 512}
    return document


def offset(buffer: int, value: Any) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        for pair in document["arena"]["offsets"]:
            if pair[0] == buffer:
                pair[1] = value

    return edit


WRONG: dict[str, tuple[Edit, str]] = {
    "no arena": (lambda d: d.pop("arena"), "buffer 1 has no place"),
    "arena that is a number": (lambda d: d.update(arena=3), "offsets is missing"),
    "arena without a size": (lambda d: d["arena"].pop("nbytes"), "nbytes is missing"),
    "arena of negative size": (lambda d: d["arena"].update(nbytes=-1), "nbytes"),
    "small arena": (lambda d: d["arena"].update(nbytes=512), "no room for buffer 2"),
    "place that is a number": (lambda d: d["arena"]["offsets"].append(2), "not a pair"),
    "place of no buffer": (
        lambda d: d["arena"]["offsets"].append([99, 0]),
        "a place of the arena is not",
    ),
    "place of an input": (lambda d: d["arena"]["offsets"].append([0, 0]), "is not a temporary"),
    "place of an output": (lambda d: d["arena"]["offsets"].append([4, 0]), "is not a temporary"),
    "two places": (lambda d: d["arena"]["offsets"].append([1, 512]), "two places"),
    "missing place": (lambda d: d["arena"]["offsets"].pop(), "has no place"),
    "negative offset": (offset(1, -64), "a place of the arena is not"),
    "offset behind the end": (offset(1, 2**30), "no room for buffer 1"),
    "no alignment": (offset(1, 4), "no room for buffer 1"),
    "padding outside": (offset(2, 640), "no room for buffer 2"),
    "cumsum in place": (offset(2, 0), "step 1 would overwrite buffer 1"),
    "operand half overwritten": (offset(3, 448), "step 2 would overwrite buffer 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str, runtime: NodeRuntime) -> None:
    document = planned()
    edit, message = WRONG[name]
    edit(document)
    with pytest.raises(RuntimeFailed, match=message):
        runtime.register_text(json.dumps(document))


def test_an_arena_that_does_not_fit_is_an_error_of_the_run(empty_runtime: NodeRuntime) -> None:
    before = empty_runtime.call("memory")["bytes"]
    document = planned()
    document["arena"]["nbytes"] = 2**31 - 1
    number = empty_runtime.register_text(json.dumps(document))
    gibibyte, one = register_gibibyte(empty_runtime), empty_runtime.write(np.ones(1, np.float32))
    slot = empty_runtime.write(np.zeros(100, np.float32))
    held = [empty_runtime.call("run", program=gibibyte, slots=[one]) for _ in range(2)]
    with pytest.raises(RuntimeFailed, match="out of memory"):
        empty_runtime.call("run", program=number, slots=[slot])
    empty_runtime.call("free", slots=[slot, one, *held])
    for program in (number, gibibyte):
        empty_runtime.call("release", program=program)
    assert empty_runtime.call("memory")["bytes"] == before
