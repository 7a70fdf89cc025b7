"""tf.function: traces, cached state and results, as in TensorFlow."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import numpy as np
import pytest
from guides.printed import prints_the_same, refused

import tfpy as tf


@prints_the_same
def test_traces_once_per_signature(tf: Any, print: Any) -> None:
    @tf.function
    def double(a: Any) -> Any:
        print("Tracing with", a)
        return a + a

    print(double(tf.constant(1)))
    print(double(tf.constant(1.1)))
    print(double(tf.constant(2.5)))
    print(double(tf.constant([1.0, 2.0])))
    print(double(2), double(2), double(3))
    print(double.experimental_get_tracing_count())


@prints_the_same
def test_python_arguments_are_constants(tf: Any, print: Any) -> None:
    @tf.function
    def power(x: Any, n: int = 2, *, scale: float = 1.0) -> Any:
        print("Tracing", n, scale)
        y = tf.ones_like(x)
        for _ in range(n):
            y *= x
        return y * scale

    x = tf.constant([2.0, 3.0])
    print(power(x), power(x, 3), power(x, n=3), power(x, scale=0.5))
    print(power(x, 3), power.experimental_get_tracing_count())


@prints_the_same
def test_structures(tf: Any, print: Any) -> None:
    @tf.function
    def f(nest: Any) -> Any:
        a, (b, c) = nest["x"], nest["y"]
        return {"sum": a + b, "rest": [c, (a, None)], "number": 3}

    out = f({"x": tf.constant(1.0), "y": [tf.constant(2.0), tf.constant([3.0])]})
    print(sorted(out), out["sum"], out["rest"], out["number"])


@prints_the_same
def test_variables(tf: Any, print: Any) -> None:
    v = tf.Variable(1.0)
    w = tf.Variable([1.0, 2.0], trainable=False)

    @tf.function
    def step(x: Any) -> Any:
        before = v + 0.0
        v.assign_add(x)
        w.assign(w * v)
        v.assign_sub(0.5)
        return before, v, w

    print(step(tf.constant(2.0)))
    print(step(tf.constant(3.0)))
    print(v.numpy(), w.numpy())
    concrete = step.get_concrete_function(tf.constant(1.0))
    print(len(concrete.variables), len(concrete.trainable_variables))


@prints_the_same
def test_variables_made_inside(tf: Any, print: Any) -> None:
    class Scale:
        def __init__(self) -> None:
            self.weight: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.weight is None:
                self.weight = tf.Variable(tf.fill([2], 3.0))
            return self.weight * x

    a, b = Scale(), Scale()
    print(a(tf.constant(2.0)), a(tf.constant(3.0)), b(tf.constant(1.0)))

    @tf.function
    def always() -> Any:
        return tf.Variable(1.0) + 1.0

    print(refused(always))


@prints_the_same
def test_closures_and_globals(tf: Any, print: Any) -> None:
    big = tf.range(100.0)
    small = tf.constant(3.0)
    numbers = np.arange(4, dtype=np.float32)

    @tf.function
    def f(x: Any) -> Any:
        return tf.reduce_sum(big) * small + x * numbers

    print(f(tf.constant(1.0)))
    print(f(tf.constant([1.0, 2.0, 3.0, 4.0])))


def test_small_integers_that_ops_compute_while_tracing_are_constants() -> None:
    @tf.function
    def low_bits(x: Any) -> Any:
        return tf.bitwise.bitwise_and(x, tf.cast(15, x.dtype))

    graph = low_bits.get_concrete_function(tf.TensorSpec([3], tf.int8)).traced.graph
    assert len(graph.inputs) == 1
    assert [array.tolist() for array in graph.constants.values()] == [15]


@prints_the_same
def test_nested_functions(tf: Any, print: Any) -> None:
    v = tf.Variable(2.0)

    @tf.function
    def inner(x: Any) -> Any:
        v.assign_add(1.0)
        return x * v

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) + inner(x + 1.0)

    print(outer(tf.constant(1.0)), v.numpy())
    concrete = inner.get_concrete_function(tf.TensorSpec([], tf.float32))

    @tf.function
    def calls_concrete(x: Any) -> Any:
        return concrete(x) * 2.0

    print(calls_concrete(tf.constant(3.0)), v.numpy())


@prints_the_same
def test_input_signature(tf: Any, print: Any) -> None:
    @tf.function(
        input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([], tf.int32)]
    )
    def f(x: Any, n: Any) -> Any:
        return tf.reduce_sum(x) * tf.cast(n, tf.float32)

    print(f(tf.ones([3, 2]), 2), f([[1.0, 2.0]], tf.constant(3)))
    print(refused(lambda: f(tf.ones([3]), 2)))
    print(refused(lambda: f(tf.ones([3, 2], tf.int32), 2)))
    print(refused(lambda: f(tf.ones([3, 2]))))


@prints_the_same
def test_concrete_functions(tf: Any, print: Any) -> None:
    @tf.function
    def f(x: Any, y: Any = 2.0) -> Any:
        return {"out": x * y}

    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    print(concrete(tf.constant([1.0, 2.0])))
    print(concrete.structured_outputs["out"].shape, concrete.structured_outputs["out"].dtype)
    print(refused(lambda: concrete(tf.constant(1))))
    open_ = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    print(open_(tf.constant([1.0])), open_(tf.constant([1.0, 2.0, 3.0])))


@prints_the_same
def test_what_symbolic_tensors_refuse(tf: Any, print: Any) -> None:
    def attempt(use: Any) -> None:
        @tf.function(autograph=False)
        def f(x: Any) -> Any:
            return use(x)

        print(refused(lambda: f(tf.constant([1.0, 2.0]))))

    attempt(lambda x: x.numpy())
    attempt(lambda x: 1.0 if x[0] > 0 else 2.0)
    attempt(lambda x: list(x))
    attempt(lambda x: np.sin(x))
    attempt(lambda x: object())


@prints_the_same
def test_init_scope_and_eager_flags(tf: Any, print: Any) -> None:
    @tf.function
    def f(x: Any) -> Any:
        print(tf.executing_eagerly(), tf.inside_function())
        with tf.init_scope():
            print(tf.executing_eagerly())
            y = tf.constant(4.0) * 2.0
            print(y.numpy())
        return x + y

    print(f(tf.constant(1.0)), tf.executing_eagerly())
    tf.config.run_functions_eagerly(True)
    try:
        print(f(tf.constant(2.0)), tf.config.functions_run_eagerly())
    finally:
        tf.config.run_functions_eagerly(False)


@prints_the_same
def test_generators_draw_anew_at_each_call(tf: Any, print: Any) -> None:
    generator = tf.random.Generator.from_seed(7)

    @tf.function
    def draw() -> Any:
        return generator.normal([3]), generator.uniform([2])

    for _ in range(2):
        print([t.numpy().tolist() for t in draw()])
    print(generator.normal([2]).numpy().tolist())


def test_stateful_random_draws_anew_at_each_call() -> None:
    @tf.function
    def draw() -> Any:
        return tf.random.uniform([4]), tf.random.normal([4], seed=3)

    first, second = draw(), draw()
    for a, b in zip(first, second, strict=True):
        assert not np.array_equal(a.numpy(), b.numpy())


def test_a_symbolic_tensor_that_leaked_is_refused() -> None:
    leaked: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        leaked.append(x * 2.0)
        return x

    f(tf.constant(1.0))
    with pytest.raises(TypeError, match="out of scope"):
        _ = leaked[0] + 1.0

    @tf.function
    def g(x: Any) -> Any:
        return x + leaked[0]

    with pytest.raises(TypeError, match="out of scope"):
        g(tf.constant(1.0))


def test_an_error_leaves_variables_as_they_were() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x: Any) -> Any:
        v.assign(v * 2.0)
        return x + tf.ones([3])

    with pytest.raises(ValueError, match=r"\[2\] vs. \[3\]"):
        f(tf.ones([2]))
    np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])


def test_string_and_host_ops_run_between_regions() -> None:
    @tf.function
    def f(x: Any) -> Any:
        values, _ = tf.linalg.eigh(x @ tf.transpose(x))
        return tf.reduce_sum(values), tf.strings.length(tf.strings.as_string(x))

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    total, lengths = f(x)
    np.testing.assert_allclose(total.numpy(), 30.0, rtol=1e-5)
    np.testing.assert_array_equal(lengths.numpy(), [[8, 8], [8, 8]])


def test_outputs_that_are_inputs_or_constants() -> None:
    v = tf.Variable([5.0])

    @tf.function
    def f(x: Any) -> Any:
        return x, tf.reshape(x, [2, 1]), tf.constant(3.0), v, x

    x = tf.constant([1.0, 2.0])
    a, b, c, d, e = f(x)
    v.assign([6.0])
    for got, wanted in ((a, [1, 2]), (b, [[1], [2]]), (c, 3), (d, [5]), (e, [1, 2])):
        np.testing.assert_array_equal(got.numpy(), wanted)


def test_methods_do_not_keep_their_object() -> None:
    class Model:
        def __init__(self) -> None:
            self.w = tf.Variable(tf.ones([1000]))

        @tf.function
        def call(self, x: Any) -> Any:
            return self.w * x

    model = Model()
    model.call(tf.constant(2.0))
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


def test_the_cache_is_bounded_and_visible() -> None:
    @tf.function
    def f(x: Any, n: int) -> Any:
        return x + float(n)

    x = tf.constant(1.0)
    for n in range(300):
        f(x, n)
    f(x, 299)
    info = f.cache_info()
    assert (info.hits, info.misses, info.currsize) == (1, 300, info.maxsize)
    assert f(x, 0).numpy() == 1.0


def test_memory_comes_back() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.nn.relu(x @ x) + 1.0)

    f(tf.ones([50, 50]))
    gc.collect()
    before = tf.memory()["numBytes"]
    for _ in range(3):
        f(tf.ones([50, 50]))
    gc.collect()
    assert tf.memory()["numBytes"] == before


def test_compile_model_prepares_the_first_call() -> None:
    shares: list[float] = []
    traced: list[int] = []

    def model(x: Any, power: int = 2) -> Any:
        traced.append(power)
        return tf.reduce_sum(x**power)

    compiled = asyncio.run(
        tf.compile_model_async(model, tf.TensorSpec([3]), progress=shares.append)
    )
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    assert compiled(tf.constant([1.0, 2.0, 3.0])).numpy() == 14.0
    assert traced == [2]
    with pytest.raises(ValueError, match="every size"):
        asyncio.run(tf.compile_model_async(model, tf.TensorSpec([None])))


def test_compile_model_changes_nothing() -> None:
    v = tf.Variable(1.0)
    asyncio.run(tf.compile_model_async(lambda x: v.assign_add(x), tf.TensorSpec([])))
    assert v.numpy() == 1.0


def test_lower_prints_what_runs() -> None:
    f = tf.function(lambda x: tf.nn.relu(x) * 2.0 * 1.0)
    text = f.lower(tf.TensorSpec([4])).as_text()
    assert text.startswith("# 2 equations: 1 relu, 1 multiply")
    assert f.lower().as_text() == text


def test_tidy_while_tracing_keeps_what_is_captured() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.tidy(lambda: x * tf.range(100.0))

    x = tf.constant(2.0)
    assert f(x).numpy()[99] == f(x).numpy()[99] == 198.0
