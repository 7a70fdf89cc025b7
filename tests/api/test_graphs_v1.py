"""Graphs, sessions, scopes and optimizers of ``tf.compat.v1``."""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from api.same import error, same

import tfpy

X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
Y = np.eye(2, dtype=np.float32)[(X[:, 0] > 0).astype(int)]


@same
def test_fetches_and_feeds(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = one.placeholder(tf.float32, [None, 3], name="x")
        n = one.placeholder(tf.float32)
        k = one.placeholder_with_default(2.0, [])
        y = tf.reduce_mean(x * k, name="y")
        table = {"a": [y, (y, "y:0")], "n": ()}
        with one.Session() as sess:
            return [
                [str(t) for t in (x, n, k, y)],
                sess.run(table, {x: X}),
                sess.run(y, {x: X[:5], k: 3.0}),
                sess.run(n + 1.0, {n: 2.0}),
                sess.run(n + 1.0, {n: [[2.0], [3.0]]}),
                sess.run([y, graph.get_operation_by_name("y")], {"x:0": X[:1]}),
                sess.run(y + 1.0, {y: 5.0}),
                y.eval({x: X}),
                sess.run(tf.shape(x), {x: X}),
                sess.run(tf.reshape(x, [tf.shape(x)[0] * 3]), {x: X[:2]}),
                sess.run(tf.boolean_mask(x, x[:, 0] > 0), {x: X}),
                sess.run(tf.strings.join(["a", "b"])),
                sess.make_callable(y, [x])(X),
            ]


@same
def test_errors(tf: Any) -> Any:
    one = tf.compat.v1
    eager = error(lambda: one.placeholder(tf.float32))
    with tf.Graph().as_default() as graph:
        x = one.placeholder(tf.float32, [None, 3], name="x")
        v = tf.Variable(1.0)
        other = tf.Graph()
        with other.as_default():
            y = tf.constant(1.0)
        with one.Session() as sess:
            found = [
                error(lambda: sess.run(x)),
                error(lambda: sess.run(v)),
                error(lambda: sess.run(x, {x: X[:, :2]})),
                error(lambda: sess.run(y)),
                error(lambda: sess.run(3)),
                error(lambda: sess.run(x, {"missing:0": 1.0})),
                error(lambda: graph.get_tensor_by_name("x")),
                error(lambda: graph.get_tensor_by_name("z:0")),
                error(lambda: graph.get_operation_by_name("z")),
                error(lambda: tf.matmul(x, tf.ones([2, 2]))),
                error(lambda: bool(x[0, 0])),
            ]
        found.append(error(lambda: sess.run(x)))
        graph.finalize()
        return [eager, *found, error(lambda: tf.constant(1.0))]


@same
def test_names(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0, name="a")
        b = tf.add(a, 1.0, name="b")
        with tf.name_scope("scope"):
            c = a * b
            with one.name_scope(None, "inner"):
                d = tf.constant(2.0)
        with tf.name_scope("scope"):
            e = tf.constant(2.0)
        again = tf.constant(1.0, name="a")
        operation = graph.get_operation_by_name("b")
        return [
            [t.name for t in (a, b, c, d, e, again)],
            [t.op.type for t in (a, b, c)],
            [operation is b.op, graph.get_tensor_by_name("b:0") is b, b.op.outputs[0] is b],
            [a.graph is graph, a == a, a == b, hash(a) == hash(a), {a: 1}[a]],
            [x.name for x in b.op.inputs][:1],
        ]


@same
def test_control_dependencies(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        v = tf.Variable(1, name="v")
        up = v.assign_add(1)
        with tf.control_dependencies([up]):
            after = tf.identity(v)
        twice = tf.group(v.assign_add(10), v.assign_add(20))
        with tf.control_dependencies([twice]):
            done = tf.no_op()
        with one.Session() as sess:
            sess.run(v.initializer)
            found = [sess.run(after), sess.run(v), sess.run(after), sess.run(done)]
            found += [sess.run(v), sess.run(one.assign(v, 5)), sess.run(v)]
        with one.Session() as sess:
            return [*found, error(lambda: sess.run(v))]


@same
def test_control_flow(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        x = one.placeholder(tf.float32, [2])
        p = one.placeholder(tf.bool, [])
        v = tf.Variable(3.0)
        y = tf.cond(p, lambda: x * v, lambda: x - 1.0)
        total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + x), [0, x])
        slope = one.gradients(y, [x, v])
        with one.Session() as sess:
            sess.run(one.global_variables_initializer())
            feeds = [{x: [1.0, 2.0], p: flag} for flag in (True, False)]
            return [sess.run([y, total, *slope], feed) for feed in feeds]


@same
def test_gradients(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        x = one.placeholder(tf.float32, [None, 3])
        w, unused = tf.Variable([[1.0], [2.0], [3.0]]), tf.Variable(1.0)
        y = tf.matmul(x, w)
        (first,) = one.gradients(tf.reduce_sum(y * y), w)
        (second,) = one.gradients(tf.reduce_sum(first), x)
        stopped = one.gradients(tf.stop_gradient(y) * y, [w], grad_ys=[tf.ones_like(y)])[0]
        with one.Session() as sess:
            sess.run(one.global_variables_initializer())
            none = one.gradients(y, unused)
            return [none, sess.run([first, second, stopped], {x: X}), first.shape, second.shape]


def _optimizers(train: Any) -> list[Callable[[], Any]]:
    return [
        lambda: train.GradientDescentOptimizer(0.1),
        lambda: train.MomentumOptimizer(0.1, 0.9),
        lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        lambda: train.AdagradOptimizer(0.1),
        lambda: train.RMSPropOptimizer(0.1),
        lambda: train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
        lambda: train.AdamOptimizer(0.1),
    ]


@same
def test_optimizers_in_eager_execution(tf: Any) -> Any:
    found = []
    for make in _optimizers(tf.compat.v1.train):
        v, w, step = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable(0)
        optimizer = make()
        for _ in range(3):
            optimizer.minimize(lambda v=v, w=w: tf.reduce_sum(v * v) * w, global_step=step)
        names = optimizer.get_slot_names()
        found.append([v, w, step, names, [optimizer.get_slot(v, n).shape for n in names]])
    return found


@same
def test_optimizers_in_graphs(tf: Any) -> Any:
    one, found = tf.compat.v1, []
    for make in _optimizers(one.train):
        with tf.Graph().as_default():
            v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0)
            step = one.train.get_or_create_global_step()
            train = make().minimize(tf.reduce_sum(v * v) * w, global_step=step)
            with one.Session() as sess:
                sess.run(one.global_variables_initializer())
                for _ in range(3):
                    sess.run(train)
                found.append([sess.run([v, w, step]), [x.name for x in one.global_variables()]])
    return found


@same
def test_training_of_a_classifier(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        x = one.placeholder(tf.float32, [None, 3])
        y = one.placeholder(tf.float32, [None, 2])
        w, b = tf.Variable(tf.zeros([3, 2])), tf.Variable(tf.zeros([2]))
        logits = one.nn.xw_plus_b(x, w, b)
        losses = one.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits)
        loss = one.reduce_mean(losses, reduction_indices=[0])
        right = tf.equal(one.argmax(logits, dimension=1), tf.argmax(y, 1))
        accuracy = tf.reduce_mean(one.to_float(right))
        train = one.train.GradientDescentOptimizer(0.5).minimize(loss)
        sess = one.InteractiveSession()
        one.global_variables_initializer().run()
        seen = [sess.run([loss, train], {x: X[:n], y: Y[:n]})[0] for n in (10, 11, 12, 20)]
        found = [seen, w.eval(), accuracy.eval({x: X, y: Y})]
        sess.close()
        return found


@same
def test_dtypes_of_initial_values(tf: Any) -> Any:
    one = tf.compat.v1
    values = [3, [1, 2], True, 3.5, "a", np.int32(3), lambda: tf.constant(3)]
    with tf.Graph().as_default():
        found = [
            one.get_variable(f"v{i}", initializer=value).dtype.name
            for i, value in enumerate(values)
        ]
        found.append(one.get_variable("w", [2], initializer=one.zeros_initializer(tf.int32)).dtype)
        with one.variable_scope("scope", dtype=tf.float16):
            found += [one.get_variable("x", initializer=3).dtype, one.get_variable("y", []).dtype]
    return [getattr(x, "name", x).removesuffix("_ref") for x in found]


@same
def test_scopes(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        with one.variable_scope("a", initializer=tf.ones_initializer()) as scope:
            x = one.get_variable("x", [2])
            with one.variable_scope("b", regularizer=tf.reduce_sum):
                y = one.get_variable("y", [3], tf.int32, one.zeros_initializer())
        with one.variable_scope("a", reuse=True):
            same_one = one.get_variable("x", [2]) is x
            missing = error(lambda: one.get_variable("z", [2]))
            shape = error(lambda: one.get_variable("x", [3]))
        with one.variable_scope("a"):
            exists = error(lambda: one.get_variable("x", [2]))
        with one.variable_scope("a", reuse=one.AUTO_REUSE):
            auto = [one.get_variable(n, [2]).name for n in ("x", "new")]
        numbered = []
        for _ in range(2):
            with one.variable_scope(None, "d"):
                numbered += [one.get_variable("q", []).name, tf.constant(1.0).name]
        with one.variable_scope(scope, auxiliary_name_scope=False):
            numbered.append(one.get_variable("last", []).name)

        def doubled(getter: Any, *args: Any, **kwargs: Any) -> Any:
            return getter(*args, **kwargs) * 2.0

        with one.variable_scope("c", custom_getter=doubled):
            custom = one.get_variable("x", [], initializer=tf.ones_initializer())
        with one.Session() as sess:
            sess.run(one.global_variables_initializer())
            values = sess.run([x, y, custom])
        keys = one.GraphKeys
        return [
            [x.name, y.name, scope.name, same_one, missing, shape, exists, auto, numbered, values],
            [v.name for v in one.trainable_variables()],
            [v.name for v in one.get_collection(keys.GLOBAL_VARIABLES, "a/")],
            [v.name for v in scope.global_variables()],
            len(one.get_collection(keys.REGULARIZATION_LOSSES)),
        ]


@same
def test_schedules(tf: Any) -> Any:
    train = tf.compat.v1.train
    makers = [
        lambda s: train.exponential_decay(0.1, s, 10, 0.5),
        lambda s: train.exponential_decay(0.1, s, 10, 0.5, staircase=True),
        lambda s: train.natural_exp_decay(0.1, s, 10, 0.5),
        lambda s: train.inverse_time_decay(0.1, s, 10, 0.5, staircase=True),
        lambda s: train.polynomial_decay(0.1, s, 10, 0.01, power=2.0),
        lambda s: train.polynomial_decay(0.1, s, 10, cycle=True),
        lambda s: train.cosine_decay(0.1, s, 20, alpha=0.1),
        lambda s: train.piecewise_constant(s, [5, 12], [1.0, 0.5, 0.1]),
    ]
    eager = [[make(tf.constant(n))() for n in (0, 5, 13, 25)] for make in makers]
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        step = tf.compat.v1.placeholder(tf.int32, [])
        rates = [make(step) for make in makers]
        return [eager, sess.run(rates, {step: 13})]


@pytest.mark.parametrize("is_eager", [True, False])
def test_saver(tmp_path: Path, is_eager: bool) -> None:
    """Check that a checkpoint of either library is restored by the other."""
    import tensorflow

    import tfpy

    paths = [
        _saved(lib, str(tmp_path / lib.__name__ / "model"), is_eager) for lib in (tfpy, tensorflow)
    ]
    assert [Path(path).name for path in paths] == ["model-7", "model-7"]
    for lib in (tfpy, tensorflow):
        for path in paths:
            assert _restored(lib, path, is_eager) == [[1.0, 2.0], 5]


def _saved(lib: Any, path: str, is_eager: bool) -> str:
    one = lib.compat.v1
    if is_eager:
        v, w = lib.Variable([1.0, 2.0], name="v"), lib.Variable(5, name="w")
        return str(one.train.Saver([v, w]).save(None, path, 7))
    with lib.Graph().as_default(), one.Session() as sess:
        lib.Variable([1.0, 2.0], name="v")
        lib.Variable(5, name="w")
        saver = one.train.Saver(max_to_keep=1)
        sess.run(one.global_variables_initializer())
        saver.save(sess, path, global_step=6)
        found = str(saver.save(sess, path, global_step=7))
        assert one.train.latest_checkpoint(str(Path(path).parent)) == found
        assert not Path(f"{path}-6.index").exists()
        return found


def _restored(lib: Any, path: str, is_eager: bool) -> list[Any]:
    one = lib.compat.v1
    if is_eager:
        v, w = lib.Variable([0.0, 0.0], name="v"), lib.Variable(0, name="w")
        one.train.Saver({"v": v, "w": w}).restore(None, path)
        return [v.numpy().tolist(), int(w.numpy())]
    with lib.Graph().as_default(), one.Session() as sess:
        v, w = lib.Variable([0.0, 0.0], name="v"), lib.Variable(0, name="w")
        one.train.Saver().restore(sess, path)
        return [sess.run(v).tolist(), int(sess.run(w))]


@same
def test_older_names(tf: Any) -> Any:
    one, x = tf.compat.v1, [[1.0, -2.0], [3.0, 4.0]]
    one.reset_default_graph()  # templates of other tests add Variables to its collections
    return [
        one.log(tf.abs(x)),
        one.div(7, 2),
        one.div(7.0, 2.0),
        one.reduce_sum(x, reduction_indices=1, keep_dims=True),
        one.squeeze([[1.0]], squeeze_dims=[0]),
        one.expand_dims([1.0], dim=0),
        one.matrix_transpose(x),
        one.to_int32(x),
        one.nn.softmax(x, dim=0),
        one.dimension_value(tf.ones([2]).shape[0]),
        one.rsqrt(4.0),
        one.nn.dropout([1.0, 2.0], keep_prob=1.0),
        tf.compat.v2 is not None,
        one.get_collection("nothing"),
        one.global_variables(),
    ]


SCRIPT = """
import numpy as np
import tfpy.compat.v1 as tf
tf.disable_eager_execution()
tf.set_random_seed(1)
x = tf.placeholder(tf.float32, [None], name="x")
w = tf.get_variable("w", [1], initializer=tf.random_normal_initializer(seed=1))
loss = tf.reduce_mean(tf.square(x * w - 2.0 * x))
train = tf.train.AdamOptimizer(0.5).minimize(loss)
noise = tf.random_normal([3])
print(x, w, loss, tf.executing_eagerly(), [v.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(20):
        sess.run(train, feed_dict={x: np.ones(4)})
    print(sess.run(w).shape, len(set(sess.run(noise)) | set(sess.run(noise))))
tf.reset_default_graph()
print(tf.placeholder(tf.int32, name="x"))
"""


OUTPUT = """\
Tensor("x:0", shape=(None,), dtype=float32) <tf.Variable 'w:0' shape=(1,) dtype=float32> \
Tensor("Mean:0", shape=(), dtype=float32) False ['w:0']
(1,) 6
Tensor("x:0", dtype=int32)
"""
"""The output of the script with TensorFlow, which takes a minute in a process of its own."""


def test_without_eager_execution() -> None:
    """Check the output of a program in a process of its own."""
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert found.stdout == OUTPUT


def test_eager_variables_are_not_kept() -> None:
    gc.collect()
    before = tfpy.memory()["numTensors"]
    variable = tfpy.compat.v1.get_variable("kept", [2])
    assert tfpy.memory()["numTensors"] > before
    del variable
    gc.collect()
    assert tfpy.memory()["numTensors"] == before


@same
def test_partitioned_variables(tf: Any) -> Any:
    v1 = tf.compat.v1
    halves = v1.fixed_size_partitioner(2)
    rows = np.arange(15, dtype=np.float32).reshape(5, 3)

    def shown(v: Any) -> Any:
        return [type(v).__name__, v.name, v.shape.as_list(), [p.name for p in v], len(v)]

    eager = v1.get_variable("e", initializer=tf.constant(rows), partitioner=halves)
    found = [
        *shown(eager),
        tf.reduce_sum(eager),
        v1.nn.embedding_lookup(eager, [0, 4], "div"),
        eager.assign(rows * 2),
        eager.assign_add(rows),
        eager.assign_sub([tf.ones([3, 3]), tf.ones([2, 3])]),
        v1.get_variable("scalar", [], partitioner=halves, initializer=v1.ones_initializer()),
        error(lambda: v1.get_variable("q", [3, 3], partitioner=lambda **_: [2, 2])),
        error(lambda: v1.get_variable("q", [3, 3], partitioner=lambda **_: [2])),
        error(lambda: v1.create_partitioned_variables([1, 3], [2, 1], v1.ones_initializer())),
    ]
    with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        with v1.variable_scope("scope", partitioner=halves):
            v = v1.get_variable("v", initializer=tf.constant(rows))
        with v1.variable_scope("scope", reuse=True):
            found += [v1.get_variable("v") is v, error(lambda: v1.get_variable("none", [2, 2]))]
        with v1.variable_scope("scope"):
            found += [error(lambda: v1.get_variable("v", [5, 3]))]
        parts = v1.create_partitioned_variables([5, 3], [1, 2], tf.constant(rows))
        found += [*shown(v), [p.name for p in parts]]
        with v1.Session() as sess:
            sess.run(v1.global_variables_initializer())
            path = v1.train.Saver().save(sess, f"{folder}/model")
            sess.run([part.assign(part * 0) for part in [*v, *parts]])
            v1.train.Saver().restore(sess, path)
            found += [sess.run(v.as_tensor()), sess.run(parts)]
        found += [tf.train.list_variables(path), tf.train.load_variable(path, "scope/v")]
    return found


@same
def test_global_steps_of_graphs(tf: Any) -> Any:
    one, found = tf.compat.v1, []
    other = tf.Graph()
    with tf.Graph().as_default() as graph:
        with tf.name_scope("scope"):
            step = one.train.create_global_step()
        found += [step.name, one.train.get_global_step(graph) is step]
        found += [error(one.train.create_global_step), one.train.create_global_step(other).name]
        found += [one.train.get_or_create_global_step() is step, step.graph is graph]
        found.append(one.train.get_global_step(other).graph is other)
    for value in ([1, 2], 1.0):
        with tf.Graph().as_default() as graph:
            one.Variable(value, name="global_step", collections=["global_step"])
            found.append(error(one.train.get_global_step))
    return found
