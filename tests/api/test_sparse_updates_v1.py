"""Optimizers of ``tf.compat.v1`` change only the rows that have a gradient, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import same

TABLE = np.arange(8, dtype=np.float32).reshape(4, 2) + 1
IDS = ([1, 3], [1, 1], [0, 2], [3, 1])


def _optimizers(tf: Any) -> dict[str, Any]:
    train = tf.compat.v1.train
    step = tf.Variable(0, dtype=tf.int64)
    penalties = {"l1_regularization_strength": 0.01, "l2_regularization_strength": 0.1}
    return {
        "sgd": train.GradientDescentOptimizer(0.5),
        "momentum": train.MomentumOptimizer(0.5, 0.9),
        "nesterov": train.MomentumOptimizer(0.5, 0.9, use_nesterov=True),
        "adagrad": train.AdagradOptimizer(0.5),
        "rms": train.RMSPropOptimizer(0.5, momentum=0.3),
        "centered": train.RMSPropOptimizer(0.5, momentum=0.3, centered=True),
        "adam": train.AdamOptimizer(0.5),
        "adadelta": train.AdadeltaOptimizer(0.5, epsilon=0.1),
        "proximal": train.ProximalGradientDescentOptimizer(0.5, 0.1, 0.1),
        "proximal adagrad": train.ProximalAdagradOptimizer(0.5, 0.1, **penalties),
        "ftrl": train.FtrlOptimizer(0.5),
        "shrinking ftrl": train.FtrlOptimizer(
            0.5, l2_shrinkage_regularization_strength=0.1, **penalties
        ),
        "dual": train.AdagradDAOptimizer(0.5, step, **penalties),
    }


@same
def test_rows_without_gradients_are_kept(tf: Any) -> Any:
    found = {}
    for name, optimizer in _optimizers(tf).items():
        v = tf.Variable(TABLE)
        for k, ids in enumerate(IDS):
            values = tf.constant([[0.1, 0.2], [0.3, -0.4]]) * (k + 1.0)
            slices = tf.IndexedSlices(values, tf.constant(ids), tf.constant([4, 2]))
            optimizer.apply_gradients([(slices, v)])
        slots = {slot: optimizer.get_slot(v, slot) for slot in optimizer.get_slot_names()}
        found[name] = v.numpy(), {slot: x.numpy() for slot, x in slots.items()}
    return found


@same
def test_embeddings_of_graphs(tf: Any) -> Any:
    v1, found = tf.compat.v1, {}
    for name in ("momentum", "rms", "ftrl", "adam"):
        with tf.Graph().as_default(), v1.Session() as sess:
            v = v1.get_variable("v", initializer=TABLE)
            ids = v1.placeholder(tf.int32, [None])
            rows = tf.nn.embedding_lookup(v, ids)
            op = _optimizers(tf)[name].minimize(tf.reduce_sum(rows * rows), var_list=[v])
            sess.run(v1.global_variables_initializer())
            for one in IDS:
                sess.run(op, {ids: one})
            found[name] = sess.run(v)
    return found


@same
def test_gradients_of_gathered_rows(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as sess:
        v, w = v1.get_variable("v", initializer=TABLE), v1.get_variable("w", initializer=TABLE)
        ids = v1.placeholder(tf.int32, [None, 2])
        a, b = tf.gather(v, ids), tf.nn.embedding_lookup(v, ids[:, 0])
        c, d = tf.gather(w, ids[0]) + tf.reduce_sum(w), tf.gather(v, [0, 1], axis=1)
        sess.run(v1.global_variables_initializer())
        found = []
        for y, xs in (
            ([a * a, b], [v]),
            (c, [v, w]),
            (d, [v]),
            (tf.gather(v, [0, 1], None, 1), [v]),
            (w * 2.0, [v, w]),
            (a, [v, v]),
        ):
            gradients = tf.gradients(y, xs)
            known = [g for g in gradients if g is not None]
            values = sess.run(known, {ids: [[1, 3], [1, 0]]})
            found.append(
                [
                    [g is not None for g in gradients],
                    [hasattr(g, "indices") for g in known],
                    [tuple(x) if hasattr(x, "indices") else x for x in values],
                ]
            )
        (slices,) = tf.gradients(a * a, v)
        (clipped,), norm = tf.clip_by_global_norm([slices], 1.0)
        dense = tf.convert_to_tensor(slices)
        flat = tf.convert_to_tensor(tf.gradients(tf.sign(a), v)[0])
        parts = sess.run([clipped, norm, dense, flat, slices.values * 2.0], {ids: [[1, 3], [1, 0]]})
        return found, tuple(parts[0]), parts[1:], slices.values.shape, slices.indices.dtype


@same
def test_variables_of_optimizers(tf: Any) -> Any:
    adam, found = tf.compat.v1.train.AdamOptimizer(0.1), []

    def names(name: str) -> list[str]:
        v = tf.Variable([1.0, 2.0], name=name)
        adam.apply_gradients([(tf.constant([1.0, 1.0]), v)])
        return [x.name for x in adam.variables()]

    found += [names("optimized_b"), names("optimized_a")]
    for name in ("optimized_c", "optimized_d"):
        with tf.Graph().as_default():
            found.append(names(name))
    try:
        sgd = tf.compat.v1.train.GradientDescentOptimizer(0.1)
        sgd.apply_gradients([(tf.constant(1.0), tf.constant(1.0))])
    except NotImplementedError as error:
        found.append([str(error.args[0])])
    return found


@same
def test_settings_that_are_functions(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.compat.v1.train.RMSPropOptimizer(
        lambda: 0.1, lambda: 0.9, lambda: 0.5, lambda: 0.1
    )
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    return v.numpy()
