"""Values, arguments and results of Variables, and the output of printed tensors and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from guides.printed import attempts, prints_the_same


@prints_the_same
def test_making(tf: Any, print: Any) -> None:
    p = attempts(print)
    for value in (1.0, 1, True, "a", [1, 2], np.ones((2, 2), np.float32), None, [], object()):
        p(lambda value=value: tf.Variable(value))
    p(lambda: tf.Variable([1.5], dtype=tf.int32), lambda: tf.Variable(1.0, shape=[2]))
    p(lambda: tf.Variable(tf.constant([1, 2]), dtype=tf.float32), lambda: tf.Variable(lambda: 1.0))
    auto, none = tf.VariableSynchronization.AUTO, tf.VariableAggregation.NONE
    v = tf.Variable(1.0, synchronization=auto, aggregation=none, name="v")
    p(v, v.synchronization, list(tf.VariableAggregation), list(tf.VariableSynchronization))
    on_read, mean = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.MEAN
    v = tf.Variable(1.0, synchronization=on_read, aggregation=mean)
    p(v.trainable, v.aggregation, v.synchronization)
    p(lambda: tf.Variable(1.0, synchronization="x"), lambda: tf.Variable(1.0, aggregation="x"))
    p(lambda: len(tf.Variable([1.0])))


@prints_the_same
def test_assigning(tf: Any, print: Any) -> None:
    p = attempts(print)
    v = tf.Variable([1.0, 2.0], name="v")
    p(v.assign([3, 4]), v.assign_add([1.0, 1.0]), v.assign_sub([1, 1]).assign_add([0.5, 0.5]), v)
    p(v.assign([9.0, 9.0], read_value=False), v.assign([8.0, 9.0], use_locking=True, name="a"))
    p(lambda: v.assign(1.0), lambda: v.assign([1.0, 2.0, 3.0]), lambda: v.assign(["a", "b"]))
    p(lambda: v.assign(tf.constant([1, 2])), lambda: v.assign(None), lambda: v.assign(v * 2))
    p(lambda: v.assign_add(1.0), lambda: v.assign_add(tf.constant([1, 1])))
    p(lambda: v.assign_add("a"), lambda: v.assign_add(None), lambda: v.assign_add([[1.0, 1.0]]), v)
    assigned = v.assign([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
    p(tape.gradient(y, [v]), assigned.assign_add([1.0, 1.0]), v)
    m = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]))
    p(m[0].assign([9.0, 9.0, 9.0]), m[:, 1].assign([7.0, 7.0]), m[1, 2].assign(5.0), m)
    p(lambda: m[0].assign([1.0, 2.0]), lambda: m[5].assign([1.0, 1.0, 1.0]))


@prints_the_same
def test_rows(tf: Any, print: Any) -> None:
    p = attempts(print)
    slices = tf.IndexedSlices
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    at = slices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [1]]))
    p(v.batch_scatter_update(at), lambda: v.batch_scatter_update(3))
    z = tf.Variable(tf.zeros([2, 2, 2]))
    p(z.batch_scatter_update(slices(tf.ones([2, 1, 2]), tf.constant([[0], [1]]))))
    p(v.scatter_add(slices(tf.constant([[10.0, 20.0]]), tf.constant([1]))))
    p(v.sparse_read([0]), v.gather_nd([[0, 1]]), v.scatter_nd_update([[0]], [[5.0, 6.0]]))
    count = tf.Variable(0)
    p(count.count_up_to(2), count.count_up_to(2), lambda: count.count_up_to(2), count)


@prints_the_same
def test_printing(tf: Any, print: Any) -> None:
    p = attempts(print)
    f = tf.float32
    p(f.base_dtype, f.real_dtype, f.limits, f.is_unsigned, f.is_quantized, f.is_numpy_compatible)
    p(str(f.max), str(tf.float16.min), tf.uint8.limits, f.is_compatible_with("float32"))
    p(lambda: tf.float16.limits, tf.complex64.real_dtype, tf.uint8.is_unsigned)
    codes = tf.errors.INVALID_ARGUMENT, tf.errors.OUT_OF_RANGE, tf.errors.UNIMPLEMENTED
    p(codes, tf.errors.InvalidArgumentError(None, None, "m").error_code)
    try:
        tf.reshape([1, 2, 3], [2, 2])
    except tf.errors.InvalidArgumentError as error:
        p(error.error_code)
    p(lambda: tf.constant([1, 2])[...][0], tf.zeros([2, 0]))
