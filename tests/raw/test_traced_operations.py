"""Operations in compiled functions: loops over lists, their gradients, variables, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.formats.raw_ops import record
from tfpy._src.formats.raw_ops.resources import using


def i32(values: Any) -> Any:
    return np.array(values, np.int32)


def every(name: str, inputs: Any, **attrs: Any) -> list[Any]:
    """Return all outputs of a node."""
    return list(record(name).run(inputs, attrs).values())


def node(name: str, inputs: Any, **attrs: Any) -> Any:
    """Return the only output of a node."""
    (found,) = every(name, inputs, **attrs)
    return found


def compiled(function: Any) -> Any:
    return tf.function(function, autograph=False)


def counted(limit: int, body: Any) -> dict[str, Any]:
    """Return the functions of a loop with a counter as its first variable."""

    def step(i: Any, *values: Any) -> list[Any]:
        return [node("AddV2", [i, i32(1)]), *body(i, *values)]

    return {"cond": lambda i, *_: [node("Less", [i, i32(limit)])], "body": step}


X = tf.constant([1.0, 2.0, 3.0])


def multiples(x: Any) -> Any:
    """Write multiples of a vector in a loop into a list without a known element shape."""
    made = node("TensorListReserve", [i32(-1), i32(4)], element_dtype=tf.float32)

    def body(i: Any, rows: Any, x: Any) -> list[Any]:
        row = node("Mul", [x, node("Cast", [i], DstT=tf.float32)])
        return [node("TensorListSetItem", [rows, i, row]), x]

    _, rows, _ = node("While", [i32(0), made, x], **counted(4, body))
    return node("TensorListStack", [rows, i32([3])], element_dtype=tf.float32, num_elements=4)


def test_a_loop_over_a_list() -> None:
    wanted = np.outer([0, 1, 2, 3], X.numpy())
    assert compiled(multiples)(X).numpy().tolist() == wanted.tolist()
    assert multiples(X).numpy().tolist() == wanted.tolist()


def test_its_gradient() -> None:
    for function in (multiples, compiled(multiples)):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.reduce_sum(function(X) ** 2)
        assert tape.gradient(y, X).numpy().tolist() == [28, 56, 84]


def test_a_list_that_grows_in_a_loop_runs_op_by_op() -> None:
    def grown(x: Any) -> Any:
        made = node("EmptyTensorList", [i32([-1]), i32(-1)], element_dtype=tf.float32)
        loop = counted(3, lambda i, rows: [node("TensorListPushBack", [rows, x])])
        rows = node("While", [i32(0), made], **loop)[1]
        return node("TensorListStack", [rows, i32([3])], element_dtype=tf.float32)

    with pytest.warns(UserWarning, match="a list is longer"):
        assert compiled(grown)(X).shape == (3, 3)


def test_arrays_of_old_loops() -> None:
    """Run the ops of TensorFlow 1's ``tf.map_fn``.

    The flow is a loop variable, the handle is not.
    """

    def squares(x: Any) -> Any:
        source, filled = every("TensorArrayV3", [i32(3)], dtype=tf.float32)
        filled = node("TensorArrayScatterV3", [source, i32([0, 1, 2]), x, filled])
        target, flow = every("TensorArrayV3", [i32(3)], dtype=tf.float32)

        def body(i: Any, flow: Any) -> list[Any]:
            row = node("TensorArrayReadV3", [source, i, filled], dtype=tf.float32)
            return [node("TensorArrayWriteV3", [target, i, node("Square", [row]), flow])]

        flow = node("While", [i32(0), flow], **counted(3, body))[1]
        places = node("Range", [i32(0), node("TensorArraySizeV3", [target, flow]), i32(1)])
        assert isinstance(places, np.ndarray)
        return node("TensorArrayGatherV3", [target, places, flow], dtype=tf.float32)

    x = tf.reshape(tf.range(6.0), [3, 2])
    assert compiled(squares)(x).numpy().tolist() == [[0, 1], [4, 9], [16, 25]]


def test_lists_are_values() -> None:
    """Check that an operation does not change the list that it receives."""
    first = node("TensorListFromTensor", [X, i32([])])
    node("TensorListSetItem", [first, i32(0), tf.constant(9.0)])
    node("TensorListPushBack", [first, tf.constant(9.0)])
    found = node("TensorListStack", [first, i32([])], element_dtype=tf.float32)
    assert found.numpy().tolist() == [1, 2, 3]


def test_what_a_loop_leaves_stays_known() -> None:
    def body(i: Any, shape: Any, x: Any) -> list[Any]:
        assert isinstance(shape, np.ndarray)
        return [node("AddV2", [i, i32(1)]), shape, node("Reshape", [x, shape])]

    body.invariants = (1,)  # type: ignore[attr-defined]
    loop = {"cond": lambda i, *_: [node("Less", [i, i32(2)])], "body": body}

    def program(x: Any) -> Any:
        return node("StatelessWhile", [i32(0), i32([3]), x], **loop)[2]

    assert compiled(program)(X).shape == (3,)


def test_branches() -> None:
    def program(p: Any, x: Any) -> Any:
        branches = {
            "then_branch": lambda x: [node("Square", [x])],
            "else_branch": lambda x: [node("Neg", [x])],
        }
        return node("If", [p, x], **branches)[0]

    run = compiled(program)
    assert run(tf.constant(True), X).numpy().tolist() == [1, 4, 9]
    assert run(tf.constant(False), X).numpy().tolist() == [-1, -2, -3]


def test_variables_in_loops() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    def body(i: Any, handle: Any) -> list[Any]:
        record("AssignAddVariableOp").run([handle, X], {})
        return [handle]

    def program() -> Any:
        handle = node("While", [i32(0), v], **counted(3, body))[1]
        return node("ReadVariableOp", [handle], dtype=tf.float32)

    assert compiled(program)().numpy().tolist() == [4, 8, 12]
    assert v.numpy().tolist() == [4, 8, 12]


def test_a_seed_that_each_call_gives() -> None:
    def program(seed: Any) -> Any:
        key, counter = every("StatelessRandomGetKeyCounter", [seed])
        inputs = [i32([3]), key, counter, i32(1)]
        return node("StatelessRandomUniformV2", inputs, dtype=tf.float32)

    wanted = tf.random.stateless_uniform([3], [7, 9]).numpy().tolist()
    assert compiled(program)(tf.constant([7, 9])).numpy().tolist() == wanted


def test_resources_belong_to_who_brings_them() -> None:
    def handle() -> Any:
        shared = {"shared_name": "weights", "container": ""}
        return node("VarHandleOp", [], dtype=tf.float32, shape=(), **shared)

    own: Any = {}
    with using(own):
        first = handle()
        assert handle() is first
    assert handle() is not first
    assert list(own) == [("variable", "", "weights")]
    with pytest.raises(tf.errors.FailedPreconditionError, match="no value yet"):
        node("ReadVariableOp", [first], dtype=tf.float32)
