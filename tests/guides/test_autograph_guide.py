"""Python's control flow on tensors, ``tf.cond`` and similar functions, and TensorArrays."""

# ruff: noqa: SIM108 - the programs use Python's statements

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from guides.printed import attempts, prints_the_same

runs_op_by_op = pytest.mark.filterwarnings("ignore:tf.function .* runs op by op")


def both(p: Callable[..., None], tf: Any, function: Callable[..., Any], *arguments: Any) -> None:
    """Print the results of a function, eager and compiled."""
    p(lambda: function(*arguments), lambda: tf.function(function)(*arguments))


@runs_op_by_op
@prints_the_same
def test_shapes_that_differ(tf: Any, print: Any) -> None:
    p = attempts(print)

    def branches(c: Any) -> Any:
        if c:
            x = tf.ones([2])
        else:
            x = tf.ones([3])
        return x

    def grown(n: Any) -> Any:
        x = tf.constant([1.0])
        while n > 0:
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
            n -= 1
        return x

    def grown_wrongly(n: Any) -> Any:
        x = tf.constant([1.0])
        while n > 0:
            x = tf.concat([x, x], 0)
            n -= 1
        return x

    def doubled(i: Any, x: Any) -> Any:
        return [i + 1, tf.concat([x, x], 0)]

    def loop(**options: Any) -> Any:
        return tf.while_loop(lambda i, x: i < 3, doubled, [tf.constant(0), tf.ones([1])], **options)

    for c in (True, False):
        both(p, tf, branches, tf.constant(c))
        both(p, tf, lambda c: tf.ones([2]) if c else 0.0, tf.constant(c))
        both(
            p, tf, lambda c: tf.cond(c, lambda: tf.ones([2]), lambda: tf.ones([3])), tf.constant(c)
        )
    both(p, tf, grown, tf.constant(2))
    p(lambda: tf.function(grown_wrongly)(tf.constant(2)))
    shapes = [tf.TensorShape([]), tf.TensorShape([None])]
    p(lambda: tf.function(lambda: loop(shape_invariants=shapes))(), lambda: tf.function(loop)())


@prints_the_same
def test_conditions(tf: Any, print: Any) -> None:
    p = attempts(print)

    @tf.function
    def sign(x: Any) -> Any:
        if x > 0:
            return 1
        return 0

    @tf.function
    def truth(x: Any) -> Any:
        if x:
            return 1
        return 0

    @tf.function
    def maybe(x: Any) -> Any:
        y = None
        if x > 0:
            y = x
        return y

    p(lambda: sign(tf.constant([1])), lambda: sign(tf.constant([[-1]])), lambda: sign(tf.ones([2])))
    p(
        lambda: truth(tf.constant(True)),
        lambda: truth(tf.constant(2)),
        lambda: truth(tf.constant("a")),
    )
    p(lambda: maybe(tf.constant(1.0)))
    for i in (0, 1, 5, -1):
        fns = [lambda: 1.0, lambda: 2.0, lambda: 3.0]
        both(p, tf, lambda i, fns=fns: tf.switch_case(i, fns), tf.constant(i))
    for x in (1.0, 5.0, 50.0):
        pairs = lambda x: [(x < 2, lambda: 1), (x < 10, lambda: 2)]  # noqa: E731
        both(p, tf, lambda x, pairs=pairs: tf.case(pairs(x), default=lambda: 3), tf.constant(x))


@prints_the_same
def test_built_in_functions_and_classes(tf: Any, print: Any) -> None:
    p = attempts(print)

    def f(x: Any) -> Any:
        class Bent:
            def at(self, y: Any) -> Any:
                if y > 0:
                    return y
                return -2 * y

        return Bent().at(x[0]), sorted(x), sorted(x, reverse=True)

    p(tf.function(f)(tf.constant([-3.0, 1.0, 2.0])))
    tf.autograph.set_verbosity(0)


@runs_op_by_op
@prints_the_same
def test_tensor_arrays(tf: Any, print: Any) -> None:
    p = attempts(print)
    array = tf.TensorArray

    @tf.function
    def squares(n: Any) -> Any:
        ta = array(tf.float32, n)
        for i in tf.range(n):
            ta = ta.write(i, tf.cast(i, tf.float32) ** 2)
        return ta.stack()

    @tf.function
    def halves(x: Any) -> Any:
        ta, i = array(tf.float32, 0, dynamic_size=True), 0
        while x > 1.0:
            ta = ta.write(i, x)
            x, i = x / 2, i + 1
        return ta.stack(), ta.size()

    @tf.function
    def in_branches(x: Any) -> Any:
        ta = array(tf.float32, 3)
        if x > 0:
            ta = ta.write(0, x)
        else:
            ta = ta.write(0, -x)
        return ta.read(0), ta.read(0)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            ta = array(tf.float32, 3)
            for i in range(3):
                ta = ta.write(i, x * float(i))
            y = tf.reduce_sum(ta.stack() ** 2)
        return tape.gradient(y, x)

    p(squares(tf.constant(4)), squares(5), halves(tf.constant(20.0)))
    p(in_branches(tf.constant(20.0)), in_branches(tf.constant(-20.0)))
    both(p, tf, slope, tf.constant(2.0))
    p(lambda: array(tf.float32, 2).read(0), lambda: array(tf.float32, 2).write(5, 1.0))


@prints_the_same
def test_maps_and_folds(tf: Any, print: Any) -> None:
    p = attempts(print)
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    programs = [
        lambda x: tf.map_fn(lambda v: v * v, x),
        lambda x: tf.map_fn(lambda v: (v, v * 2), x, fn_output_signature=(tf.float32, tf.float32)),
        lambda x: tf.map_fn(lambda v: v["a"] + 1, {"a": x}, fn_output_signature=tf.float32),
        lambda x: tf.vectorized_map(lambda v: (v[0] * v[1], v[0]), (x, x)),
        lambda x: tf.foldl(lambda a, v: a * 2 + v, x, initializer=10.0),
        lambda x: tf.foldr(lambda a, v: a - v, x),
        lambda x: tf.scan(lambda a, v: a + v, x, reverse=True),
        lambda x: tf.scan(lambda a, v: (a[0] + v, a[1] * v), x, initializer=(0.0, 1.0)),
        lambda x: tf.while_loop(lambda i: i < 5, lambda i: [i + 1], [tf.constant(0)]),
        lambda x: tf.map_fn(lambda v: v, tf.constant(1.0)),
        lambda x: tf.while_loop(1, lambda i: i, [x]),
        lambda x: tf.cond(True, 1, lambda: 2),
    ]
    for program in programs:
        both(p, tf, program, x)
