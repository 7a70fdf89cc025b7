"""Values of the parts of partitioned Variables, and losses in the shape of all operands."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import same


@same
def test_initializers_of_parts(tf: Any) -> Any:
    v1 = tf.compat.v1
    seen = []

    def counted(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        seen.append([list(shape), partition_info.full_shape, partition_info.var_offset])
        return tf.fill(shape, float(partition_info.var_offset[0]))

    def plain(shape: Any, dtype: Any = None) -> Any:
        return tf.ones(shape, dtype)

    found: list[Any] = []
    with tf.Graph().as_default(), v1.Session() as sess:
        for name, initializer, axis in (
            ("a", v1.initializers.identity(), 0),
            ("b", v1.initializers.identity(gain=2.0), 1),
            ("c", counted, 0),
            ("d", plain, 0),
        ):
            divided = v1.variable_axis_size_partitioner(8, axis=axis)
            v = v1.get_variable(name, [4, 4], initializer=initializer, partitioner=divided)
            sess.run(v1.global_variables_initializer())
            found += [sess.run(tf.identity(v)), [sess.run(part) for part in v]]
    return [found, seen]


@same
def test_losses_of_operands_with_other_shapes(tf: Any) -> Any:
    wide = np.array([[0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.3, 0.3]], np.float32)
    narrow = np.array([[1.0, 2.0, 3.0, 4.0]], np.float32)
    loss = tf.raw_ops.SoftmaxCrossEntropyWithLogits
    return [
        [tuple(loss(features=features, labels=labels)) for features, labels in pairs]
        for pairs in [[(narrow, wide), (wide, wide), (wide, narrow), (narrow[:, :1], wide)]]
    ]
