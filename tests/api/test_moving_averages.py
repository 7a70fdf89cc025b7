"""Moving averages and parts of Variables in graphs of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from api.same import error, same


@same
def test_averages_of_a_graph(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        with one.variable_scope("net"):
            w = one.get_variable("w", initializer=tf.constant([1.0, 2.0]))
        loss = tf.reduce_sum(w, name="loss")
        averages = tf.train.ExponentialMovingAverage(0.5)
        with tf.name_scope("training"):
            update = averages.apply([w, loss])
        with tf.control_dependencies([w.assign_add([1.0, 1.0])]):
            both = averages.apply([w])
        sess.run(one.global_variables_initializer())
        found = [update.name, both.name, averages.average_name(w)]
        for _ in range(2):
            sess.run(w.assign([3.0, 4.0]))
            found.append(sess.run(update))
            found.append(sess.run([averages.average(w), averages.average(loss)]))
        sess.run(both)
        found.append(sess.run([w, averages.average(w)]))
        restored = {name: v.name for name, v in averages.variables_to_restore().items()}
        names = [v.name for v in one.global_variables()]
        averaged = [v.name for v in one.moving_average_variables()]
        return found, sorted(restored.items()), names, averaged


@same
def test_averages_of_a_graph_with_updates(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        w = one.get_variable("w", initializer=tf.constant([1.0, 2.0]))
        step = one.get_variable("step", initializer=0, trainable=False)
        averages = tf.train.ExponentialMovingAverage(0.9, step)
        update = averages.apply([w])
        sess.run(one.global_variables_initializer())
        found = []
        for _ in range(3):
            sess.run([w.assign_add([1.0, 3.0]), step.assign_add(4)])
            sess.run(update)
            found.append(sess.run(averages.average(w)))
        refused = error(lambda: averages.apply([tf.constant(1)]))
        return found, refused, sorted(averages.variables_to_restore())


@same
def test_averages_in_a_training_step(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        w = one.get_variable("w", initializer=tf.constant([1.0, -2.0]))
        train = one.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w * w))
        averages = one.train.ExponentialMovingAverage(0.75)
        with tf.control_dependencies([train]):
            step = averages.apply(one.trainable_variables())
        sess.run(one.global_variables_initializer())
        return [(sess.run(step), sess.run([w, averages.average(w)])) for _ in range(3)]


@same
def test_eager_averages(tf: Any) -> Any:
    x = tf.Variable(1.0, name="eager_x")
    averages = tf.train.ExponentialMovingAverage(0.5)
    first = averages.apply([x])
    x.assign(3.0)
    averages.apply([x])
    refused = error(lambda: averages.apply([tf.constant(1.0)]))
    return first, averages.average(x), refused


@same
def test_parts_of_a_variable_in_a_graph(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        v = one.get_variable("v", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        parts = [v[1], v[..., 0], v[:, tf.newaxis, 1:], v[0, 1] * 2.0]
        slope = tf.gradients(v[1, 0] ** 2, v)
        changed = v[0].assign([7.0, 8.0])
        sess.run(one.global_variables_initializer())
        before = sess.run([*parts, slope])
        after = sess.run(changed), sess.run(parts[0])
        with tf.control_dependencies([v.assign_add(tf.ones([2, 2]))]):
            later = v[0] + 0.0
        return parts[0].name, before, after, sess.run(later)
