"""Steps that write outputs come early, so that their operands are needed for a short time."""

from __future__ import annotations

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.ops import OPS

PADDING = (("padding", ((0, 0), (0, 100))), ("interior", (0, 0)), ("value", 0))


def test_temporaries_of_outputs_share_memory() -> None:
    graph = Graph()
    x = graph.add_input(Aval((10, 10), ex.F))
    made = []
    for _ in range(8):
        x = graph.add_eqn(OPS["transpose"], [x], (("perm", (1, 0)),))
        made.append(x)
    outputs = [graph.add_eqn(OPS["pad"], [x], PADDING) for x in made]
    ends = [graph.add_eqn(OPS["pad"], [x], PADDING) for x in outputs[::-1]]
    graph.outputs = [*outputs, *ends]
    program = wasm.lower(graph)
    assert program.arena is not None
    assert program.arena.nbytes < 3 * 4 * 100, "two transposed arrays with gaps"
    written = set(program.inputs)
    for step in program.steps:
        assert written.issuperset(step.inputs)
        written.update(step.outputs)
    assert written.issuperset(program.outputs)
