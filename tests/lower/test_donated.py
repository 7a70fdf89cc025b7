"""Outputs that overwrite inputs."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from passes.sketch import Sketch

import tfpy as tf
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.expr import F, I
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm, webgl, webgpu
from tfpy._src.compiler.lower.memory import plan
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.ops import OPS
from tfpy._src.compiler.passes.pipeline import optimize

CUMSUM = {"axis": 0, "exclusive": False, "reverse": False}


def lowered(graph: Graph, donated: Collection[int]) -> Program:
    program = wasm.lower(graph, donated)
    verify(program)
    return program


def kernels(program: Program) -> list[str]:
    return [program.kernels[step.kernel].name for step in program.steps]


def adam_step() -> Graph:
    """Return gradients of two layers and the updates of weights and moments."""
    weights = [tf.Variable(tf.ones(shape)) for shape in ([300, 40], [40, 10])]
    moments = [[tf.Variable(tf.zeros(w.shape)) for w in weights] for _ in range(2)]

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(tf.tanh(x @ weights[0]) @ weights[1]))
        gradients = tape.gradient(loss, weights)
        for w, m, s, g in zip(weights, *moments, gradients, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * g * g)
            w.assign_sub(0.01 * m / (tf.sqrt(s) + 1e-7))
        return loss

    return step.get_concrete_function(tf.ones([20, 300])).traced.graph


def variables_of(graph: Graph) -> list[int]:
    """Return the positions of weights and moments."""
    shapes = [graph.avals[i].shape for i in graph.inputs]
    return [i for i, shape in enumerate(shapes) if shape in ((300, 40), (40, 10))]


def test_adam_needs_no_second_set_of_weights_and_moments() -> None:
    graph = optimize(adam_step(), WasmTarget())
    variables = variables_of(graph)
    nbytes = sum(graph.avals[graph.inputs[i]].nbytes for i in variables)
    before, after = lowered(graph, ()), lowered(graph, variables)
    assert set(after.donations) == set(after.outputs[1:])
    assert set(after.donations.values()) == {after.inputs[i] for i in variables}
    assert plan(before).peak_bytes - plan(after).peak_bytes > 0.98 * nbytes
    assert plan(after).largest_live_bytes <= plan(before).largest_live_bytes - nbytes / 2
    assert sorted(kernels(before)) == sorted(kernels(after))


def test_webgl_takes_textures_whose_last_reader_was_before() -> None:
    graph = optimize(adam_step(), WasmTarget())
    program = webgl.lower(graph, variables_of(graph))
    verify(program)
    made = {i: n for n, step in enumerate(program.steps) for i in step.outputs}
    for output, given in program.donations.items():
        readers = [n for n, step in enumerate(program.steps) if given in step.inputs]
        assert readers[-1] < made[output]
    # Of the three outputs of one shape, the first one needs its own texture.
    assert len(program.donations) == 4


def test_webgpu_overwrites_the_array_of_which_it_updates_a_part() -> None:
    """Check that each update overwrites the array that it changes, and not a spent one before it.

    An array that is also the update, or is read later, stays.
    """
    graph = Graph()
    caches = [graph.add_input(Aval((40, 8), F)) for _ in range(4)]
    starts = graph.add_input(Aval((2,), I))
    row = graph.add_input(Aval((1, 8), F))
    updates = [row, row, caches[2], row]
    new = [
        graph.add_eqn(OPS["dynamic_update_slice"], [cache, update, starts], ())
        for cache, update in zip(caches, updates, strict=True)
    ]
    graph.outputs = [*new, graph.add_eqn(OPS["exp"], [caches[3]], ())]
    program = webgpu.lower(graph, range(4))
    verify(program)
    found = [program.donations.get(output) for output in program.outputs]
    assert found[:3] == [*program.inputs[:2], None]
    assert found[3] == program.inputs[2]  # any spent array
    assert [k.overwrites for k in program.kernels] == [True, False]


def test_without_donors_nothing_changes() -> None:
    graph = optimize(adam_step(), WasmTarget())
    assert wasm.lower(graph).donations == {}
    assert webgl.lower(graph).donations == {}
    assert "donations" not in wasm.lower(graph).to_json()


def test_what_is_read_later_is_read_first() -> None:
    """Check that an update moves after the last reader of the old value.

    The update is traced before this reader.
    """
    s = Sketch((50,), (50,))
    new = s("add", 0, 1)
    other = s("cumsum", s("multiply", 0, 1), **CUMSUM)
    program = lowered(s.returns(new, other), [0])
    assert program.donations == {program.outputs[0]: program.inputs[0]}
    assert kernels(program) == ["elementwise", "scan", "elementwise"]
    assert program.steps[-1].outputs == (program.outputs[0],)


def test_nothing_that_can_fail_follows() -> None:
    """Check that a new value that a product needs is not written in place.

    The product could fail.
    """
    s = Sketch((8, 8), (8, 8))
    new = s("add", 0, 1)
    product = s("matmul", new, 1, transpose_a=False, transpose_b=False)
    assert lowered(s.returns(new, product), [0]).donations == {}


def test_updates_that_read_each_other() -> None:
    s = Sketch((50,), (50,))
    program = lowered(s.returns(s("add", 0, 1), s("multiply", 0, 1)), [0, 1])
    assert len(program.donations) == 1
    s = Sketch((50,), (50,))
    program = lowered(s.returns(s("add", 0, 1), s("exp", 1)), [0, 1])
    assert len(program.donations) == 2


@pytest.mark.parametrize("attrs", [{"perm": (1, 0)}], ids=str)
def test_moved_operands_stay(attrs: dict[str, tuple[int, ...]]) -> None:
    """Check that a transposed operand is not overwritten.

    It is read in another order than the result is written.
    """
    s = Sketch((8, 8), (8, 8))
    graph = s.returns(s("add", s("transpose", 0, **attrs), 1))
    program = lowered(optimize(graph, WasmTarget()), [0])
    step = program.steps[-1]
    for output, given in program.donations.items():
        assert output in step.outputs
        assert given not in step.inputs


def test_other_sizes_and_dtypes_stay() -> None:
    s = Sketch((8, 8), (8,))
    assert lowered(s.returns(s("add", 0, 1)), [1]).donations == {}
    s = Sketch((8, 8))
    assert lowered(s.returns(s("greater", 0, 0)), [0]).donations == {}
    s = Sketch((0, 8))
    assert lowered(s.returns(s("exp", 0)), [0]).donations == {}


def test_a_state_that_the_next_one_is_not_made_of_directly() -> None:
    """Check that the state is donated if only a product reads it, as in a recurrent cell."""
    s = Sketch((4, 4), (4, 4))
    graph = s.returns(s("tanh", s("matmul", 0, 1, transpose_a=False, transpose_b=False)))
    program = lowered(graph, [0])
    assert program.donations == {program.outputs[0]: program.inputs[0]}
    assert webgl.lower(graph, [0]).donations == program.donations


def test_the_text(rng: np.random.Generator) -> None:
    s = Sketch((50,))
    program = lowered(s.returns(s("exp", 0)), [0])
    assert "%1:float32[50] = elementwise(%0) in place of %0 dims=[50]" in str(program)
    assert '"donations":[[1,0]]' in program.to_json()


@pytest.mark.parametrize(
    ("donations", "message"),
    [
        ({1: 0}, "reads buffer 0 after 1 is written"),
        ({2: 1}, "cannot take over"),
        ({0: 2}, "cannot take over"),
        ({2: 3}, "differ in size"),
        ({1: 0, 2: 0}, "two outputs"),
    ],
    ids=str,
)
def test_wrong_donations(donations: dict[int, int], message: str) -> None:
    s = Sketch((50,))
    program = wasm.lower(s.returns(s("exp", 0), s("tanh", 0)))
    program.inputs.append(program.add_buffer((2,), tf.float32))
    verify(program)
    program.donations = donations
    with pytest.raises(ValueError, match=message):
        verify(program)
