"""Arguments of compiled functions: structures, ragged tensors, star arguments; many retraces."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from api.same import error, same

import tfpy as tf


@same
def test_calls_with_nests_in_turns(lib: Any) -> Any:
    """Check that each kind of argument has its own trace, which later calls find again."""
    traced: list[str] = []

    @lib.function(autograph=False)
    def combine(x: Any, y: Any = None, flag: Any = False) -> Any:
        traced.append(type(x).__name__)
        parts = [x[k] for k in ("b", "a")] if isinstance(x, dict) else x
        total = parts[0] * 10.0 - parts[1]
        return {"z": total if y is None else total + y[0], "a": (total if flag else -total, x)}

    one, two = lib.constant(1.0), lib.constant([2.0, 3.0])
    calls = [
        ((one, two),),
        ([one, two],),
        ({"b": one, "a": two},),
        ({"a": one, "b": two}, (two,)),
        ({"a": one, "b": two}, (two,), True),
        ((two, one), None),
    ]
    found = [combine(*call) for _ in range(3) for call in calls]
    return found, traced, combine.experimental_get_tracing_count()


@same
def test_concrete_functions_take_nests_by_name_and_position(lib: Any) -> Any:
    scalar = lib.TensorSpec((), lib.float32)

    @lib.function
    def combine(x: Any, y: Any) -> Any:
        total = x["a"] * 10.0 + x["b"][0] + y
        return {"total": total * 2.0}

    two = combine.get_concrete_function({"a": scalar, "b": [scalar]}, scalar)
    c = lib.constant
    given = {"a": c(1.0), "b": [c(2.0)]}
    return two(given, c(3.0)), two(x=given, y=c(4.0)), two(given, y=c(5.0))


@same
def test_concrete_functions_take_ragged_and_sparse_tensors(lib: Any) -> Any:
    @lib.function
    def more(x: Any) -> Any:
        return x + 1

    @lib.function
    def total(x: Any, y: Any) -> Any:
        return lib.sparse.reduce_sum(x) + y

    @lib.function
    def scaled(how: Any, x: Any) -> Any:
        return x * 2.0 if how == "twice" else x

    ragged = lib.ragged.constant([[1, 2], [3]])
    sparse = lib.sparse.from_dense([[1.0, 0.0], [2.0, 3.0]])
    scalar = lib.constant(1.0)
    return (
        more.get_concrete_function(ragged)(ragged),
        total.get_concrete_function(sparse, scalar)(sparse, scalar),
        scaled.get_concrete_function("twice", scalar)("twice", scalar),
    )


@same
def test_input_signatures_of_star_arguments(lib: Any) -> Any:
    scalar = lib.TensorSpec((), lib.float32)

    @lib.function(input_signature=(scalar, scalar, scalar))
    def total(x: Any, *args: Any) -> Any:
        return x + lib.add_n(list(args))

    @lib.function(input_signature=[scalar])
    def alone(x: Any, *args: Any) -> Any:
        return x * 2.0

    one = lib.ones([])
    return total(one, one, one), total(1.0, 2.0, 3.0), alone(one)


def test_input_signatures_that_do_not_fit() -> None:
    scalar = tf.TensorSpec((), tf.float32)

    @tf.function(input_signature=(scalar, scalar))
    def total(x: Any, *args: Any) -> Any:
        return x

    @tf.function(input_signature=(scalar,))
    def alone(x: Any, *args: Any) -> Any:
        return x

    @tf.function(input_signature=(scalar, scalar))
    def single(x: Any) -> Any:
        return x

    one = tf.ones([])
    assert error(lambda: total(one)) == error(lambda: total(one, one, one)) == "TypeError"
    assert error(lambda: alone(one, one)) == "TypeError"
    with pytest.raises(TypeError, match="has 2 entries, but the function takes"):
        single(one)


@same
def test_python_functions_as_decorators(lib: Any) -> Any:
    @lib.py_function(Tout=lib.float32)
    def plus(x: Any, y: Any) -> Any:
        return x + y

    @lib.numpy_function(Tout=[lib.float32, lib.int32])
    def halves(x: Any) -> Any:
        return x / 2, x.astype("int32")

    @lib.function
    def program(x: Any) -> Any:
        return plus(x, x * 2.0), halves(x)

    x = lib.constant(3.0)
    return plus(x, x), halves(x), program(x)


@same
def test_what_python_functions_raise(lib: Any) -> Any:
    def outcomes(raised: type[Exception]) -> list[str]:
        def fails(x: Any) -> Any:
            raise raised("as wanted")

        def called() -> Any:
            return lib.py_function(fails, [1.0], lib.TensorSpec([], lib.float32))

        def of_arrays() -> Any:
            return lib.numpy_function(fails, [1.0], lib.float32)

        calls = (called, lib.function(called), of_arrays, lib.function(of_arrays))
        return [error(call) for call in calls]

    kinds = (ValueError, TypeError, StopIteration, MemoryError, NotImplementedError, KeyError)
    return [outcomes(kind) for kind in kinds]


@same
def test_elements_of_arrays_are_read_twice(lib: Any) -> Any:
    @lib.function
    def fibonacci(n: Any) -> Any:
        array = lib.TensorArray(lib.int32, size=n).write(0, 1).write(1, 1)
        for i in lib.range(2, n):
            array = array.write(i, array.read(i - 1) + array.read(i - 2))
        return array.stack()

    @lib.function
    def static() -> Any:
        array = lib.TensorArray(lib.int32, size=6).write(0, 1).write(1, 1)
        for i in lib.range(2, 6):
            array = array.write(i, array.read(i - 1) + array.read(i - 2))
        return array.stack(), array.read(3) + array.read(3)

    return fibonacci(lib.constant(6)), static()


test_elements_of_arrays_are_read_twice = pytest.mark.filterwarnings("ignore:.*op by op")(
    test_elements_of_arrays_are_read_twice
)


def test_many_retraces_are_told(caplog: pytest.LogCaptureFixture) -> None:
    @tf.function
    def power(x: Any, n: Any) -> Any:
        return x**n

    x = tf.constant(2.0)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for n in range(4):
            power(x, n)
        assert not caplog.records
        for n in range(4, 12):
            power(x, n)
    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith("5 out of the last 5 calls of the tf.function 'power' traced")
    assert second.startswith("6 out of the last 6 calls")


def test_few_retraces_are_not_told(caplog: pytest.LogCaptureFixture) -> None:
    @tf.function
    def double(x: Any) -> Any:
        return x * 2.0

    for n in range(6):
        for _ in range(3):
            double(tf.ones([n]))
    assert not caplog.records
