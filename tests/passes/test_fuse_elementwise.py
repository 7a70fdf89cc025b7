"""Chains and DAGs of elementwise equations as single kernels."""

from __future__ import annotations

import pytest
from passes.fusing import Builder, Greedy, check_same, fused_body, kinds, traced

import tfpy as tf
from tfpy import dtypes
from tfpy._src.compiler.ir.fusion import fusion
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm, webgl, webgpu
from tfpy._src.compiler.lower.calls import loop_call
from tfpy._src.compiler.passes.fuse.elementwise import MAX_COST, fuse_elementwise


def run(graph: Graph) -> Graph:
    after = fuse_elementwise(graph, Greedy())
    check_same(graph, after)
    return after


def test_a_chain() -> None:
    b = Builder()
    x, y = b.input(3, 40), b.input(40)
    after = run(b.returns(b.op("relu", b.op("add", b.op("multiply", x, 2.0), y))))
    assert kinds(after) == ["loop(multiply add relu)"]
    assert fused_body(after) == [
        "graph(%0:float32[3,40], %3:float32[40])",
        "%1:float32[] = constant 2.0",
        "%2:float32[3,40] = multiply(%0, %1)",
        "%4:float32[3,40] = add(%2, %3)",
        "%5:float32[3,40] = relu(%4)",
        "return %5",
    ]


def test_a_value_that_all_members_share_is_computed_once() -> None:
    b = Builder()
    x = b.input(3, 40)
    e = b.op("exp", x)
    after = run(b.returns(b.op("multiply", b.op("add", e, 1.0), b.op("subtract", e, 1.0))))
    assert kinds(after) == ["loop(exp add subtract multiply)"]
    (step,) = wasm.lower(after).steps
    assert [code[0] for code in step.params["code"]].count("exp") == 1  # type: ignore[union-attr]


def test_what_a_kernel_reads_too_stays() -> None:
    b = Builder()
    x = b.input(4, 4)
    e = b.op("exp", b.op("negative", x))
    product = b.op("matmul", e, e, transpose_a=False, transpose_b=False)
    after = run(b.returns(b.op("add", b.op("relu", e), 1.0), product))
    assert kinds(after) == ["loop(negative exp)", "matmul", "loop(relu add)"]


def test_an_output_stays() -> None:
    b = Builder()
    x = b.input(4, 4)
    e = b.op("exp", x)
    after = run(b.returns(b.op("add", b.op("relu", e), 1.0), e))
    assert kinds(after) == ["exp", "loop(relu add)"]


def test_cheap_values_are_computed_again_and_dear_ones_are_not() -> None:
    for name, wanted in (
        ("negative", ["loop(negative exp)", "loop(negative sin)"]),
        ("tanh", ["tanh", "exp", "sin"]),
    ):
        b = Builder()
        shared = b.op(name, b.input(4, 4))
        assert kinds(run(b.returns(b.op("exp", shared), b.op("sin", shared)))) == wanted


def test_computing_again_does_not_spread() -> None:
    b = Builder()
    value = b.input(4, 4)
    for _ in range(10):
        value = b.op("negative", value)
    after = run(b.returns(b.op("exp", value), b.op("sin", value)))
    assert kinds(after)[0] == f"loop({' '.join(['negative'] * 9)})"


def test_reshapes_and_broadcasts_inside() -> None:
    b = Builder()
    x, bias, scale = b.input(2, 3, 4, 5), b.input(5), b.input(2, 1)
    rows = b.op("reshape", b.op("add", x, bias), shape=(2, 60))
    wide = b.op("broadcast_to", scale, shape=(2, 60))
    after = run(b.returns(b.op("relu", b.op("multiply", rows, wide))))
    assert kinds(after) == ["loop(add reshape broadcast_to multiply relu)"]
    (step,) = wasm.lower(after).steps
    assert step.params["dims"] == [2, 12, 5]
    assert step.params["strides"] == [[60, 5, 1], [0, 0, 1], [1, 0, 0]]


def test_one_array_read_in_two_ways() -> None:
    b = Builder()
    x = b.input(6)
    column = b.op("reshape", b.op("exp", x), shape=(6, 1))
    after = run(b.returns(b.op("subtract", column, b.op("negative", b.op("sin", x)))))
    assert kinds(after) == ["loop(exp reshape sin negative subtract)"]


def test_a_reshape_across_dimensions_stays_outside() -> None:
    b = Builder()
    x, y = b.input(6, 4), b.input(4, 6)
    turned = b.op("reshape", b.op("exp", x), shape=(4, 6))
    assert kinds(run(b.returns(b.op("add", turned, y)))) == ["exp", "reshape", "add"]


def test_large_broadcast_operands_are_computed_before() -> None:
    b = Builder()
    x, v = b.input(4000, 64), b.input(64)
    small = b.op("rsqrt", b.op("add", v, 0.1))
    after = run(b.returns(b.op("relu", b.op("multiply", x, small))))
    assert kinds(after) == ["loop(add rsqrt)", "loop(multiply relu)"]


def test_random_numbers_only_where_the_index_is_theirs() -> None:
    b = Builder()
    state = [b.input(dtype=dtypes.int32) for _ in range(6)]
    inside = b.op("random_uniform", *state, shape=(8, 6))
    after = run(b.returns(b.op("multiply", inside, 2.0)))
    assert kinds(after) == ["loop(random_uniform multiply)"]
    b = Builder()
    state = [b.input(dtype=dtypes.int32) for _ in range(6)]
    x = b.input(8, 6)
    across = b.op("random_uniform", *state, shape=(6,))
    after = run(b.returns(b.op("multiply", b.op("exp", x), across)))
    assert kinds(after) == ["random_uniform", "loop(exp multiply)"]


def test_limits() -> None:
    b = Builder()
    total = b.input(5)
    for _ in range(40):
        total = b.op("add", total, b.input(5))
    after = run(b.returns(total))
    assert [len(eqn.inputs) for eqn in after.eqns] == [11, 16, 16]
    b = Builder()
    value = b.input(5)
    for _ in range(3 * MAX_COST):
        value = b.op("add", value, 1.0)
    assert len(run(b.returns(value)).eqns) == 3


@pytest.mark.parametrize("limit", range(7, 12))
def test_reads_stay_within_the_limit(limit: int) -> None:
    """Check that an array that is read in several ways counts as one."""

    def gradient(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.image.rgb_to_hsv(x)
            total = tf.reduce_sum(y * y)
        return y, tape.gradient(total, x)

    target = Greedy()
    target.max_inputs = limit
    after = fuse_elementwise(traced(gradient, (2, 4, 5, 3)), target)
    reads = [loop_call(eqn)[1] for eqn in after.eqns if eqn.op is fusion]
    assert reads
    assert max(len(set(values)) for values in reads) <= limit


def test_types_that_devices_do_not_store_stay() -> None:
    b = Builder()
    x = b.input(5, dtype=dtypes.complex64)
    graph = b.returns(b.op("negative", b.op("square", x)))
    assert kinds(fuse_elementwise(graph, Greedy())) == ["square", "negative"]


def test_slices_are_read_where_they_lie() -> None:
    b = Builder()
    z, c = b.input(6, 40), b.input(6, 10)
    gates = [
        b.op("strided_slice", z, begin=(0, 10 * i), size=(6, 10), strides=(1, 1)) for i in range(4)
    ]
    kept = b.op("multiply", b.op("sigmoid", gates[0]), c)
    new = b.op("add", kept, b.op("multiply", b.op("sigmoid", gates[1]), b.op("tanh", gates[2])))
    after = run(b.returns(b.op("multiply", b.op("tanh", new), b.op("sigmoid", gates[3])), new))
    assert [len(eqn.inputs) for eqn in after.eqns] == [2, 2]
    first, second = wasm.lower(after).steps
    assert first.params["dims"] == [6, 10]
    assert first.params["strides"] == [[40, 1], [40, 1], [40, 1], [10, 1]]
    assert first.params["offsets"] == [0, 10, 20, 0]
    assert second.params["offsets"] == [30, 0]


def test_slices_with_steps_and_reshapes() -> None:
    b = Builder()
    x = b.input(8, 9, 10)
    part = b.op("strided_slice", x, begin=(1, 2, 3), size=(3, 1, 4), strides=(2, 1, 2))
    flat = b.op("reshape", b.op("negative", part), shape=(12,))
    after = run(b.returns(b.op("exp", flat)))
    assert kinds(after) == ["loop(strided_slice negative reshape exp)"]
    (step,) = wasm.lower(after).steps
    assert step.params["dims"] == [3, 4]
    assert step.params["strides"] == [[180, 2]]
    assert step.params["offsets"] == [113]


def test_a_slice_of_what_is_computed_is_computed_alone() -> None:
    b = Builder()
    e = b.op("exp", b.input(8, 10))
    part = b.op("strided_slice", e, begin=(0, 2), size=(8, 3), strides=(1, 1))
    after = run(b.returns(b.op("negative", part)))
    assert kinds(after) == ["loop(exp strided_slice negative)"]


def test_slices_that_stay() -> None:
    b = Builder()
    x = b.input(9)
    backwards = b.op("strided_slice", x, begin=(8,), size=(9,), strides=(-1,))
    half = b.op("strided_slice", x, begin=(0,), size=(4,), strides=(1,))
    joined = b.op("concat", half, half, axis=0)
    rows = b.op(
        "strided_slice", b.op("exp", b.input(4, 6)), begin=(0, 0), size=(2, 3), strides=(2, 2)
    )
    after = run(
        b.returns(
            b.op("exp", backwards),
            b.op("negative", half),
            joined,
            b.op("exp", b.op("reshape", b.op("reshape", rows, shape=(6,)), shape=(3, 2))),
        )
    )
    assert kinds(after)[:4] == ["strided_slice", "strided_slice", "concat", "exp"]


def test_bodies_that_say_the_same_are_one_graph() -> None:
    b = Builder()
    x, weights = b.input(4, 4), b.input(4, 4)
    for scale in (2.0, 2.0, 3.0, 0.0, -0.0):
        product = b.op("matmul", x, weights, transpose_a=False, transpose_b=False)
        x = b.op("relu", b.op("multiply", product, scale))
    after = run(b.returns(x))
    bodies = [dict(eqn.attrs)["body"] for eqn in after.eqns if eqn.op.name == "fusion"]
    assert bodies[0] is bodies[1]
    assert len({id(body) for body in bodies}) == 4


def test_slices_of_one_array_are_one_operand() -> None:
    """Check that slices of one array count as one operand.

    They may exceed a kernel's limit, because a device binds each buffer once.
    """
    b = Builder()
    words = b.input(6, dtype=dtypes.int32)
    bounds = [b.input(dtype=dtypes.int32) for _ in range(2)]
    at = [b.op("strided_slice", words, begin=(i,), size=(1,), strides=(1,)) for i in range(6)]
    state = [b.op("reshape", word, shape=()) for word in at]
    graph = b.returns(b.op("random_int", *state, *bounds, shape=(5, 7)))
    target = Greedy()
    target.max_inputs = 7
    (eqn,) = fuse_elementwise(graph, target).eqns
    assert eqn.op is fusion
    for lower in (webgl.lower, webgpu.lower):
        program = lower(fuse_elementwise(graph, target))
        (step,), (kernel,) = program.steps, program.kernels
        assert step.inputs == (0, 1, 2)
        assert kernel.inputs == ("x0", "x6", "x7")
