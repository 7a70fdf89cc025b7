"""Sources of elements, and iterators over them, as in TensorFlow."""

from __future__ import annotations

import asyncio
import collections
import tempfile
import time
from typing import Any

import numpy as np
import pytest
from api.same import same
from data.shown import outcome, shown

import tfpy

Pair = collections.namedtuple("Pair", "first second")


@same
def test_tensors(tf: Any) -> Any:
    data = tf.data.Dataset
    nests = [
        3,
        [1, 2],
        (1, (2.5, [b"x"])),
        {"b": [1, 2], "a": ([3], {"c": True})},
        Pair([1], 2.5),
        (1, None),
        np.ones((2, 3), np.float32),
        tf.ragged.constant([[1, 2], [3]]),
        tf.sparse.from_dense([[1, 0], [0, 3]]),
        tf.Variable([1.5]),
        "text",
    ]
    return [shown(tf, data.from_tensors(nest)) for nest in nests]


@same
def test_slices(tf: Any) -> Any:
    data = tf.data.Dataset
    nests = [
        [1, 2],
        ([1, 2], ([2.5, 1.5], [[b"x"], [b"y"]])),
        {"b": [1, 2], "a": np.ones((2, 3, 1))},
        Pair([1], [[2.5]]),
        tf.ragged.constant([[1, 2], [3]]),
        (tf.sparse.from_dense([[1, 0], [0, 3]]), [1, 2]),
        [],
        np.zeros((0, 3), np.float32),
        tf.constant(["a", "bc"]),
    ]
    return [shown(tf, data.from_tensor_slices(nest)) for nest in nests]


@same
def test_named_tuples_stay(tf: Any) -> Any:
    found = next(iter(tf.data.Dataset.from_tensors(Pair(1, (2, 3)))))
    return [type(found).__name__, found.first, found.second]


@same
def test_range(tf: Any) -> Any:
    data = tf.data.Dataset
    found = [data.range(4), data.range(2, 5), data.range(7, 0, -3), data.range(3, 0)]
    found += [data.range(0, 5, 2, output_type=tf.float32), data.range(tf.constant(3, tf.int64))]
    found += [data.counter().take(3), data.counter(5, -2).take(3)]
    return [shown(tf, d) for d in [*found, data.counter(dtype=tf.int32).take(2)]]


def generator(values: list[Any]) -> Any:
    return lambda: iter(values)


@same
def test_generator(tf: Any) -> Any:
    data = tf.data.Dataset
    scalar, row = tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32)
    rows = [(1, [1.5]), (2, [2.5, 3.5]), (np.int32(3), np.zeros(0, np.float32))]
    ragged = tf.RaggedTensorSpec([2, None], tf.int32)
    texts = [{"a": "x", "b": 1}, {"a": b"y", "b": 2}]
    named = {"a": tf.TensorSpec([], tf.string), "b": scalar}
    return [
        shown(tf, d)
        for d in (
            data.from_generator(generator([1, 2, 3]), output_signature=scalar),
            data.from_generator(generator([3.5, True]), output_signature=scalar),
            data.from_generator(generator(rows), output_signature=(scalar, row)),
            data.from_generator(generator(texts), output_signature=named),
            data.from_generator(generator([1, 2]), tf.int32),
            data.from_generator(generator(rows), (tf.int32, tf.float32), ([], [None])),
            data.from_generator(lambda n: iter(range(n)), tf.int64, [], args=(4,)),
            data.from_generator(
                generator([tf.ragged.constant([[1], [2, 3]])]), output_signature=ragged
            ),
            data.from_generator(generator([tf.constant(3)]), output_signature=scalar).repeat(2),
            data.from_generator(lambda: [1, 2], output_signature=scalar),
        )
    ]


@same
def test_a_generator_is_called_by_each_iteration(tf: Any) -> Any:
    calls = []

    def made() -> Any:
        calls.append(1)
        yield len(calls)

    d = tf.data.Dataset.from_generator(made, output_signature=tf.TensorSpec([], tf.int32))
    return [list(d.repeat(2)), list(d), len(calls)]


@same
def test_generator_errors(tf: Any) -> Any:
    data = tf.data.Dataset
    scalar = tf.TensorSpec([], tf.int32)

    def failing(error: BaseException) -> Any:
        def made() -> Any:
            yield 1
            raise error

        return data.from_generator(made, output_signature=scalar)

    ragged = tf.RaggedTensorSpec([None], tf.int32)
    return [
        outcome(call)
        for call in (
            lambda: data.from_generator(3, output_signature=scalar),
            lambda: data.from_generator(generator([1])),
            lambda: data.from_generator(generator([1]), tf.int32, output_signature=scalar),
            lambda: data.from_generator(generator([1]), output_signature=tf.int32),
            lambda: data.from_generator(generator(["a"]), output_signature=scalar),
            lambda: data.from_generator(generator([[1]]), output_signature=scalar),
            lambda: data.from_generator(generator([(1, 2)]), output_signature=scalar),
            lambda: data.from_generator(generator([1]), output_signature=(scalar, scalar)),
            lambda: data.from_generator(generator([3.5]), output_signature=ragged),
            lambda: failing(ValueError("v")),
            lambda: failing(KeyError("k")),
            lambda: failing(NotImplementedError("n")),
            lambda: failing(ZeroDivisionError("z")),
        )
    ]


@same
def test_errors(tf: Any) -> Any:
    data = tf.data.Dataset
    return [
        outcome(call)
        for call in (
            lambda: data.from_tensor_slices(3),
            lambda: data.from_tensor_slices(([1, 2], [3])),
            lambda: data.from_tensor_slices({1, 2}),
            lambda: data.from_tensors(object()),
            lambda: data.range(),
            lambda: data.range(1, 2, 3, 4),
            lambda: data.range(0, 5, 0),
            lambda: data.range(1.5),
        )
    ]


@same
def test_iterators(tf: Any) -> Any:
    d = tf.data.Dataset.range(2)
    it = iter(d)
    got = [next(it), it.get_next(), outcome(it.get_next), outcome(it.__next__)]
    again = iter(d)
    found = [again.get_next_as_optional() for _ in range(3)]
    return [
        *got,
        repr(it.element_spec),
        [x.has_value() for x in found],
        found[0].get_value(),
        outcome(found[2].get_value),
        [repr(x.element_spec) for x in found],
        isinstance(it, tf.data.Iterator),
        list(iter(it)),
        iter(it) is it,
    ]


@same
def test_optionals(tf: Any) -> Any:
    some = tf.experimental.Optional.from_value({"a": 1, "b": [2.5]})
    none = tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
    return [
        some.has_value(),
        some.get_value(),
        none.has_value(),
        outcome(none.get_value),
        isinstance(none, tf.experimental.Optional),
        repr(none.element_spec),
        repr(some.element_spec),
        *_optionals_of_an_iterator(tf),
    ]


def _optionals_of_an_iterator(tf: Any) -> list[Any]:
    iterator = iter(tf.data.Dataset.from_tensors({"a": 1, "b": [2.5]}))
    found = [iterator.get_next_as_optional() for _ in range(2)]
    return [x for o in found for x in (o.has_value(), repr(o.element_spec))]


@same
def test_numpy_iterators(tf: Any) -> Any:
    d = tf.data.Dataset.from_tensor_slices({"a": [[1, 2], [3, 4]], "b": [b"x", b"y"]})
    it = d.as_numpy_iterator()
    found = [next(it), it.next()]
    kinds = [type(x["b"]).__name__ for x in found]
    writeable = found[0]["a"].flags.writeable
    windows = tf.data.Dataset.range(2).window(2)
    return [found, kinds, writeable, outcome(it.next), outcome(windows.as_numpy_iterator)]


@same
def test_saved_iterators(tf: Any) -> Any:
    data = tf.data.Dataset.range(10).shuffle(5).repeat(2)
    it = data.as_numpy_iterator()
    for _ in range(13):
        next(it)
    state = it.save()
    rest = list(it)
    it.restore(state)
    tf.train.Checkpoint(it=it).write(tempfile.mkdtemp() + "/numpy")
    found = [state.dtype, state.shape.rank, rest == list(it)]
    prefix = tempfile.mkdtemp() + "/it"
    first, second = iter(data), iter(data)
    head = [next(first) for _ in range(4)]
    path = tf.train.Checkpoint(it=first).save(prefix)
    tf.train.Checkpoint(it=second).restore(path)
    found += [sorted([*head, *second]) == sorted([*range(10), *range(10)])]
    random = data.map(lambda x: tf.random.uniform([]))
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.train.Checkpoint(it=iter(random)).write(prefix)
    options = tf.data.Options()
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.WARN
    tf.train.Checkpoint(it=iter(random.with_options(options))).write(prefix)
    other = iter(tf.data.Dataset.from_tensor_slices([1, 2]))
    with pytest.raises(tf.errors.NotFoundError, match="dataset definition has not changed"):
        tf.train.Checkpoint(it=other).restore(path)
    return found


def test_other_tasks_run_between_elements() -> None:
    done: list[Any] = []

    def slow(x: Any) -> Any:
        time.sleep(0.06)  # longer than a page may be blocked
        return x

    async def other() -> None:
        for number in range(3):
            done.append(f"other {number}")
            await asyncio.sleep(0)

    async def main() -> None:
        task = asyncio.ensure_future(other())
        d = tfpy.data.Dataset.range(3)
        async for x in d.map(lambda x: tfpy.py_function(slow, [x], tfpy.int32)):
            number = int(x)
            done.append(number)
        await task

    asyncio.run(main())
    assert [x for x in done if isinstance(x, int)] == [0, 1, 2]
    assert done.index("other 1") < done.index(1) < done.index(2)


@same
def test_single_elements(tf: Any) -> Any:
    data = tf.data.Dataset
    one = data.from_tensors((1, [2.5]))
    errors = [outcome(data.range(n).get_single_element) for n in (0, 2)]
    return [one.get_single_element(), *errors]


@same
def test_texts(tf: Any) -> Any:
    d = tf.data.Dataset.range(3)
    return [
        repr(d.map(lambda x: (x, x)).batch(2)),
        str(tf.data.Dataset.from_tensor_slices({"a": [1]}).shuffle(3)),
        repr(d.window(2)),
        repr(tf.data.DatasetSpec(tf.TensorSpec([], tf.int32))),
        repr(tf.type_spec_from_value(d)),
        tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)) == tf.type_spec_from_value(d),
        tf.data.Dataset.__name__,
        isinstance(d, tf.data.Dataset),
    ]
