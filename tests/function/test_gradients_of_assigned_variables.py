"""Gradients of Variables that a program assigns and reads, as in TensorFlow.

Each read of a Variable contributes to its gradient. No gradient flows to the assigned values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from api.same import same
from api.twin import check

UPDATES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "assign": lambda tf, v, w: v.assign(v * w),
    "assign-constant": lambda tf, v, w: v.assign([3.0, 4.0]),
    "assign-twice": lambda tf, v, w: (v.assign(v * w), v.assign(w * 2.0)),
    "assign_add": lambda tf, v, w: v.assign_add(w),
    "assign_sub": lambda tf, v, w: v.assign_sub([1.0, 1.0]),
    "scatter_nd_update": lambda tf, v, w: v.scatter_nd_update([[0]], [7.0]),
    "slice": lambda tf, v, w: v[:1].assign([9.0]),
    "branch": lambda tf, v, w: tf.cond(w[0] > 0.0, lambda: v.assign(v * w) * 1.0, lambda: v * 1.0),
    "other-branch": lambda tf, v, w: tf.cond(
        w[0] < 0.0, lambda: v.assign(v * w) * 1.0, lambda: v * 1.0
    ),
}


def variables(tf: Any) -> tuple[Any, Any]:
    return tf.Variable([1.0, 2.0]), tf.Variable([3.0, 5.0])


def gradients(tf: Any, body: Callable[[Any, Any, Any], Any], how: str) -> Any:
    """Return the value of a body and its gradients for both Variables."""
    v, w = variables(tf)

    def step() -> Any:
        return body(tf, v, w)

    def within() -> Any:
        with tf.GradientTape() as tape:
            y = step()
        return y, tape.gradient(y, [v, w])

    if how == "tape inside":
        return tf.function(within)()
    if how == "compiled":
        step = tf.function(step)
    elif how == "nested":
        inner = tf.function(step)
        step = tf.function(lambda: inner() * v)
    return within()


@pytest.mark.parametrize("update", UPDATES)
def test_updates(update: str) -> None:
    def after(tf: Any, v: Any, w: Any) -> Any:
        UPDATES[update](tf, v, w)
        return tf.reduce_sum(v**2 * w)

    def before_and_after(tf: Any, v: Any, w: Any) -> Any:
        return tf.reduce_sum(v * w) + after(tf, v, w)

    def program(tf: Any) -> Any:
        hows = ("eager", "compiled", "nested", "tape inside")
        found = [gradients(tf, before_and_after, how) for how in hows]
        return [*found, gradients(tf, after, "compiled")]

    check(program)


def in_a_branch(tf: Any, v: Any, w: Any) -> Any:
    if tf.reduce_sum(w) > 0.0:
        v.assign(w * 2.0)
        y = tf.reduce_sum(v**2 * w)
    else:
        y = tf.reduce_sum(v)
    return y * tf.reduce_sum(v)


def in_a_branch_of_a_branch(tf: Any, v: Any, w: Any) -> Any:
    if w[0] > 0.0:
        y = tf.cond(w[1] > 0.0, lambda: (v.assign_add(w), v**2 * w)[1], lambda: v * 2.0)
    else:
        y = v * 1.0
    return tf.reduce_sum(y) * tf.reduce_sum(v)


def by_a_function_in_a_branch(tf: Any, v: Any, w: Any) -> Any:
    @tf.function
    def update() -> Any:
        v.assign(v * w)
        return v**2 * w

    return tf.reduce_sum(tf.cond(w[0] > 0.0, update, lambda: v * 1.0)) * tf.reduce_sum(v)


def in_a_loop(tf: Any, v: Any, w: Any) -> Any:
    y = tf.constant(0.0)
    for i in tf.range(3):
        y += tf.reduce_sum(v * w * tf.cast(i + 1, tf.float32))
        v.assign(v * 2.0)
        y += tf.reduce_sum(v**2)
    return y + tf.reduce_sum(v * w)


def only_assigned_in_a_loop(tf: Any, v: Any, w: Any) -> Any:
    for _ in tf.range(2):
        v.assign(v * w)
    return tf.reduce_sum(v**2)


def in_a_map(tf: Any, v: Any, w: Any) -> Any:
    def row(x: Any) -> Any:
        v.assign(v + x)
        return tf.reduce_sum(v**2) * x

    return tf.reduce_sum(tf.map_fn(row, tf.constant([1.0, 2.0])))


def with_a_custom_gradient(tf: Any, v: Any, w: Any) -> Any:
    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        return x * 2.0, lambda g: g * 10.0

    y = doubled(v)
    v.assign(v * 3.0)
    return tf.reduce_sum(y * doubled(v) * w)


def recomputed(tf: Any, v: Any, w: Any) -> Any:
    scaled = tf.recompute_grad(lambda x: x * v)
    v.assign(v * w)
    return tf.reduce_sum(scaled(w))


def stopped(tf: Any, v: Any, w: Any) -> Any:
    v.assign(tf.stop_gradient(v) * w)
    return tf.reduce_sum(tf.stop_gradient(v) * w + v * 3.0)


def returned(tf: Any, v: Any, w: Any) -> Any:
    v.assign(v * w)
    return v


def returned_by_an_inner_function(tf: Any, v: Any, w: Any) -> Any:
    @tf.function
    def inner(x: Any) -> Any:
        x.assign_add([2.0, 2.0])
        return x

    v.assign_add(w)
    return inner(v)


BODIES = (
    in_a_branch, in_a_branch_of_a_branch, by_a_function_in_a_branch, in_a_loop,
    only_assigned_in_a_loop, in_a_map, with_a_custom_gradient, recomputed, stopped, returned,
    returned_by_an_inner_function,
)  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_bodies(body: Callable[[Any, Any, Any], Any]) -> None:
    hows = ("compiled", "nested", "tape inside")
    check(lambda tf: [gradients(tf, body, how) for how in hows], tolerance=1e-4)


def derivatives(tf: Any, compiled: bool) -> Any:
    """Return derivatives of other kinds and orders."""

    def made(body: Callable[[Any, Any], Any]) -> tuple[Any, Any, Callable[[], Any]]:
        v, w = variables(tf)

        def step() -> Any:
            return body(v, w)

        return v, w, tf.function(step) if compiled else step

    def cubes(v: Any, w: Any) -> Any:
        v.assign(v * w)
        return v**3 * w

    found = []
    v, w, step = made(cubes)
    with tf.GradientTape(persistent=True) as tape:
        y = step()
        z = step() * 2.0
    found += [tape.gradient(y, [v, w]), tape.gradient([y, z], [v, w]), tape.jacobian(y, [v, w])]
    v, w, step = made(cubes)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = step()
        slope = tape.gradient(y, v)
    found.append(outer.jacobian(slope, [v, w]))
    v, w, step = made(lambda v, w: [v * w, v.assign(v * w), v**2 * w][::2])
    tangents = [tf.constant([1.0, 2.0]), tf.constant([0.5, 1.0])]
    with tf.autodiff.ForwardAccumulator([v, w], tangents) as accumulator:
        y = step()
    found.append(accumulator.jvp(y))
    v, w, step = made(cubes)
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            first = step()
        y = step() + first
    found.append(tape.gradient(y, [v, w]))
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def rows() -> Any:
        table.scatter_update(tf.IndexedSlices([[7.0, 8.0]], [1]))
        return tf.gather(table, [1, 1]) ** 2

    rows = tf.function(rows) if compiled else rows
    with tf.GradientTape(persistent=True) as tape:
        y = rows()
    found += [tf.convert_to_tensor(tape.gradient(y, table)), tape.batch_jacobian(y, table)]
    return found


@same(tolerance=1e-4)
def test_derivatives_of_other_kinds(tf: Any) -> Any:
    return [derivatives(tf, compiled) for compiled in (True, False)]


@same
def test_which_variables_a_tape_watches(tf: Any) -> Any:
    found = []
    for compiled in (True, False):
        for trainable in (True, False):
            for accessed in (True, False):
                for watched in (True, False):
                    v = tf.Variable([1.0, 2.0], trainable=trainable)

                    def step(v: Any = v) -> Any:
                        v.assign(v * 0.5)
                        return v**2

                    step = tf.function(step) if compiled else step
                    with tf.GradientTape(watch_accessed_variables=accessed) as tape:
                        if watched:
                            tape.watch(v)
                        y = step()
                    found.append(tape.gradient(y, v))
    return found


@same
def test_gradients_of_graphs(tf: Any) -> Any:
    v, w = variables(tf)

    @tf.function
    def slopes() -> Any:
        y = v * w
        v.assign(v * 3.0)
        return tf.gradients(v**2 + y, [v, w])

    return slopes()


@same(tolerance=1e-4)
def test_spectral_normalization(tf: Any) -> Any:
    """Differentiate a power iteration that updates and clips a Variable and then reads it."""
    kernel = tf.Variable([[1.0, 2.0], [0.5, 4.0]])
    u = tf.Variable([[1.0, 0.5]], trainable=False)

    @tf.function
    def layer(x: Any) -> Any:
        v = tf.linalg.normalize(tf.matmul(u, kernel, transpose_b=True))[0]
        u.assign(tf.linalg.normalize(tf.matmul(v, kernel))[0])
        sigma = tf.matmul(tf.matmul(v, kernel), u, transpose_b=True)
        kernel.assign(kernel / sigma)
        return tf.matmul(x, kernel)

    found = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(tf.constant([[1.0, 2.0], [3.0, 4.0]])) ** 2)
        found += [y, tape.gradient(y, kernel), kernel.numpy(), u.numpy()]
    return found
