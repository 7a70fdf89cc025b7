"""Compiled functions that call compiled functions: number of traces, and gradients."""

# ruff: noqa: SIM108 - the programs use Python's statements

from __future__ import annotations

from typing import Any

from guides.printed import prints_the_same


@prints_the_same
def test_inner_functions_are_traced_once(tf: Any, print: Any) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        print("tracing inner", x.shape)
        return x * 2

    @tf.function
    def outer(x: Any) -> Any:
        print("tracing outer")
        return inner(x) + inner(x + 1) + tf.reduce_sum(inner(tf.stack([x, x])))

    print(outer(tf.constant(1.0)))
    print(outer(tf.constant(2.0)))
    print(inner(tf.constant(3.0)))
    print(inner.experimental_get_tracing_count(), outer.experimental_get_tracing_count())


@prints_the_same
def test_values_of_python_that_are_equal(tf: Any, print: Any) -> None:
    @tf.function
    def choose(flag: Any) -> Any:
        print("tracing", flag)
        return tf.constant(7 if flag else 3)

    for flag in (True, 1, 1.0, False, 0, None, "a", "a"):
        print(choose(flag))


@prints_the_same
def test_variables_and_effects(tf: Any, print: Any) -> None:
    total = tf.Variable(1.0)

    @tf.function
    def add(x: Any) -> Any:
        total.assign_add(x)
        return total.read_value()

    @tf.function
    def show() -> None:
        tf.py_function(lambda t: print("total", t.numpy()), [total], [])

    @tf.function
    def outer(x: Any) -> Any:
        total.assign(total * 10)
        first = add(x)
        show()
        second = add(x * 2)
        show()
        return first, second, total * 1

    print(outer(tf.constant(3.0)))
    print(outer(tf.constant(1.0)))
    show()
    print(total)


@prints_the_same
def test_gradients(tf: Any, print: Any) -> None:
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def tripled(x: Any) -> Any:
        return x * 3, lambda g: g * 30

    @tf.function
    def innermost(x: Any) -> Any:
        return tf.sin(x) * w + tripled(x)

    @tf.function
    def inner(x: Any) -> Any:
        return innermost(x) * innermost(x * x), x + 1

    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            a, b = inner(x)
            y = a * b
        return tape.gradient(y, [x, w])

    @tf.function
    def curvature(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = inner(x)[0]
            first = tape.gradient(y, x)
            again = first * first
        return first, outer.gradient(first, [x, w]), outer.gradient(again, [x, w])

    x = tf.constant(0.7)
    for function in (slope, curvature):
        print(function(x))
        print(function.python_function(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = slope(x)[0]
    print(tape.gradient(y, [x, w]))


@prints_the_same
def test_in_loops_and_branches(tf: Any, print: Any) -> None:
    w = tf.Variable(0.5)

    @tf.function
    def step(x: Any) -> Any:
        w.assign(w * 0.9)
        return tf.tanh(x * w) + x

    @tf.function
    def run(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in tf.range(n):
                if i % 2 == 0:
                    y = step(y)
                else:
                    y = y * 1.5
        return y, tape.gradient(y, x)

    print(run(tf.constant(0.3), tf.constant(5)))
    print(w)


@prints_the_same
def test_methods_and_modules(tf: Any, print: Any) -> None:
    class Layer(tf.Module):
        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size
            self.w = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.w is None:
                self.w = tf.Variable(tf.ones([x.shape[-1], self.size]) * 0.1)
            return tf.nn.relu(x @ self.w)

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [Layer(3), Layer(1)]

        @tf.function
        def __call__(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return x

    model = Model()

    @tf.function
    def train(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        variables = model.trainable_variables
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign_sub(0.1 * g)
        return loss

    x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [0.0]])
    model(x)
    for _ in range(3):
        print(train(x, y))
    print([v.numpy() for v in model.trainable_variables])


@prints_the_same
def test_ragged_and_arrays_pass(tf: Any, print: Any) -> None:
    @tf.function
    def total(r: Any) -> Any:
        return tf.reduce_sum(r, 1)

    @tf.function
    def filled(array: Any, x: Any) -> Any:
        return array.write(0, x).stack()

    @tf.function
    def outer(values: Any) -> Any:
        r = tf.RaggedTensor.from_row_lengths(values, [1, 2])
        return total(r), filled(tf.TensorArray(tf.float32, 1), values[0])

    print(outer(tf.constant([1.0, 2.0, 3.0])))
