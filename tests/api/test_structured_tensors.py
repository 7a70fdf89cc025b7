"""Structured tensors behave as in TensorFlow."""

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow
from guides.printed import attempts, compare
from tensorflow.python.ops.structured import structured_array_ops  # noqa: F401 - registers them

import tfpy

PROGRAMS: dict[str, Callable[[Any, Callable[..., None]], None]] = {}


def program(function: Callable[[Any, Callable[..., None]], None]) -> Any:
    """Register a program, which prints with `show`: values, or the results of lambdas."""
    PROGRAMS[function.__name__] = function
    return function


def people(tf: Any) -> Any:
    """Return a table."""
    rows = [{"age": 12, "names": ["Jo"]}, {"age": 82, "names": ["Bob", "Bobby"]}]
    return tf.experimental.StructuredTensor.from_pyval(rows)


def nested(tf: Any) -> Any:
    """Return structures in structures, with two axes."""
    return tf.experimental.StructuredTensor.from_pyval(
        [[{"a": 1, "b": {"c": [1, 2]}}], [{"a": 2, "b": {"c": []}}, {"a": 5, "b": {"c": [9]}}]]
    )


@program
def creation(tf: Any, show: Callable[..., None]) -> None:
    kind = tf.experimental.StructuredTensor
    ragged = tf.ragged.constant([[1, 2], [3]])
    rows = [tf.experimental.RowPartition.from_row_lengths([2, 1])]
    for x in (
        people(tf), nested(tf), kind.from_pyval({"a": [1, 2], "b": [[4, 5], [6, 7]], "c": {}}),
        kind.from_pyval([[{}, {}], [{}]]), kind.from_pyval([{}, {}]), kind.from_pyval([]),
        kind.from_fields({"a": [[1, 2], [3, 4]]}, [2, 2]), kind.from_fields({}, [3]),
        kind.from_fields({"a": ragged, "b": ragged}, [2, None]),
        kind.from_fields({}, [2, None], row_partitions=rows, nrows=tf.constant(2)),
        kind.from_fields_and_rank({"a": [1, 2], "b": ragged}, 1),
        kind.from_shape(tf.shape(ragged)),
    ):  # fmt: skip
        show(x)
    show(
        lambda: kind.from_fields({"a": [1, 2]}, [3]), lambda: kind.from_fields({"a": 1}, None),
        lambda: kind.from_fields({"_": 5}), lambda: kind.from_fields({1: 5}),
        lambda: kind.from_fields({"a": object()}), lambda: kind.from_fields({}, [None]),
        lambda: kind.from_fields({}, [], nrows=3), lambda: kind.from_fields_and_rank({}, 1),
        lambda: kind.from_pyval([{}, [{}]]), lambda: kind.from_pyval([{"a": 1}, {}]),
        lambda: kind.from_pyval([{"a": 1}, {"a": "x"}]),
    )  # fmt: skip


@program
def access(tf: Any, show: Callable[..., None]) -> None:
    x, y = people(tf), nested(tf)
    show(x.nrows(), sorted(x.field_names()), x.row_partitions, y.row_partitions[0].row_lengths())
    show(x[:, "names"], x[1]["age"], x[1, "names", 0], x[:1], x[-1])
    show(y[:, :, "a"], y[1, 0, "b", "c"], y[1, :, "b"], y[:, 1:], y.field_value(("b", "c")))
    show(nested(tf)[0, 0][:]["a"], x.with_shape_dtype(tf.int32).shape)
    show(
        lambda: x[...], lambda: x[None], lambda: x[0][0], lambda: x.field_value("z"),
        lambda: x.field_value(("age", "z")), lambda: x[:, 0],
    )  # fmt: skip
    table = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    show(tf.experimental.StructuredTensor.from_pyval(table).to_pyval()[1]["b"])


@program
def changes(tf: Any, show: Callable[..., None]) -> None:
    x, y = people(tf), nested(tf)
    show(x.with_updates({"age": lambda v: v * 2, "names": None, "new": [5, 6]}))
    show(y.with_updates({("b", "c"): lambda v: v + 1, ("b", "d"): y.field_value("a")}))
    show(y.promote(("b", "c"), "d"), y.merge_dims(0, 1), y.merge_dims(-2, -1).shape)
    show(x.partition_outer_dimension(tf.experimental.RowPartition.from_row_lengths([2, 0])))
    show(x.partition_outer_dimension(tf.experimental.RowPartition.from_uniform_row_length(1, 2)))
    show(
        lambda: x.with_updates({"z": None}), lambda: x.with_updates({"z": lambda v: v}),
        lambda: y.with_updates({("z", "c"): 1}), lambda: y.with_updates({("a", "c"): 1}),
        lambda: y.with_updates({"b": 1, ("b", "c"): 2}), lambda: x.with_updates({"age": [1]}),
        lambda: x.with_updates({(): 1}), lambda: x.merge_dims(0, 3), lambda: y.merge_dims(1, 0),
        lambda: x.promote("age", "z"), lambda: x[0].partition_outer_dimension(3),
    )  # fmt: skip


@program
def functions(tf: Any, show: Callable[..., None]) -> None:
    x, y = people(tf), nested(tf)
    show(tf.shape(y).static_lengths(), tf.size(y), tf.rank(y), tf.size(x[0]), tf.rank(x))
    show(tf.zeros_like(x), tf.ones_like(y, tf.int32), tf.zeros_like(x[0]), tf.ones_like(y))
    show(tf.concat([y, y], 0), tf.concat([y, y], -1).shape, tf.gather(x, [1, 1, 0]))
    show(tf.gather(y, [[0], [1]], batch_dims=1, axis=1), tf.gather(y, [1]))
    show(*(tf.expand_dims(y, axis) for axis in (0, 1, 2, -1)), tf.expand_dims(x[0], 0))
    show(tf.shape(tf.random.shuffle(y)).static_lengths()[0])
    show(
        lambda: tf.expand_dims(x, 5), lambda: tf.concat([x, y], 0), lambda: tf.concat([x, x], 1),
        lambda: tf.gather(x, [0], axis=1), lambda: tf.random.shuffle(x[0]),
        lambda: tf.concat([x, x.field_value("names")], 0),
    )  # fmt: skip


@program
def elsewhere(tf: Any, show: Callable[..., None]) -> None:
    x, y = people(tf), nested(tf)

    older = tf.function(lambda s, n: s.with_updates({"age": lambda age: age + n}))
    show(older(x, 1), older(x[0], 2).field_value("age"))
    show(tf.cond(tf.constant(True), lambda: x, lambda: tf.gather(x, [1, 0])).field_value("age"))
    for dataset in (
        tf.data.Dataset.from_tensor_slices(x), tf.data.Dataset.from_tensor_slices(y).batch(2),
        tf.data.Dataset.from_tensors(y), tf.data.Dataset.from_tensor_slices(y).map(lambda s: s[:1]),
    ):  # fmt: skip
        show(*dataset, *(element.shape for element in dataset))
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        s = tf.experimental.StructuredTensor.from_fields({"v": v * 2.0, "w": [1, 2]}, [2])
        loss = tf.reduce_sum(s[1]["v"] ** 2)
    show(tape.gradient(loss, v))
    spec = tf.type_spec_from_value(x)
    show(spec.shape, spec.rank, spec.is_compatible_with(x), spec == tf.type_spec_from_value(x[:1]))
    inner = tf.experimental.DynamicRaggedShape.Spec([], [2], tf.int64)
    made = tf.experimental.StructuredTensor.Spec({"a": tf.TensorSpec([2], tf.int32)}, inner)
    scalar = tf.experimental.DynamicRaggedShape.Spec([], [], tf.int64)
    show(scalar.rank, tf.experimental.StructuredTensor.Spec({}, scalar).shape)
    show(made.shape, inner.rank, inner.num_row_partitions, inner.inner_rank)
    show(tf.experimental.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}], made))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for library in (tfpy, tensorflow):
        PROGRAMS[name](library, attempts(print))
        texts.append(capsys.readouterr().out)
    compare(*texts)


def test_open_shapes() -> None:
    spec = [tfpy.TensorSpec([None, None], tfpy.int32)]

    @tfpy.function(input_signature=spec)
    def flat(x: Any) -> Any:
        s = tfpy.experimental.StructuredTensor.from_fields({"x": x}, [None, None])
        return s.merge_dims(0, 1).field_value("x"), s.nrows()

    for rows in (2, 3):
        values, count = flat(tfpy.ones([rows, rows], tfpy.int32))
        assert values.shape == [rows * rows]
        assert int(count) == rows


def test_to_pyval_of_symbolic_tensors() -> None:
    with pytest.raises(ValueError, match="only supported in eager mode"):
        tfpy.function(lambda s: s.to_pyval())(people(tfpy))
