"""``tf.zeros_initializer`` and others, in TensorFlow 2's and in TensorFlow 1's form."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from api.same import error, same

PART = {"partition_shape": (1, 3), "partition_offset": (1, 0)}


@same
def test_values(tf: Any) -> Any:
    ramp = tf.constant_initializer([0, 1, 2, 3, 4, 5])
    return [
        tf.zeros_initializer()([2]),
        tf.zeros_initializer()((2, 2), dtype=tf.bool),
        tf.ones_initializer()([2, 3], tf.int32),
        tf.ones_initializer()([2, 3], **PART),
        ramp((2, 3)),
        ramp((2, 3), dtype=tf.float32),
        tf.constant_initializer(2.5)([3]),
        tf.constant_initializer(2.5, support_partition=True)([3], **PART),
        tf.random_uniform_initializer(-1.0, 1.0, seed=3)([2, 3]),
        tf.random_uniform_initializer(0, 9, seed=3)([2, 3], tf.int32),
        tf.random_uniform_initializer(seed=3)([2, 3], **PART),
        tf.random_normal_initializer(1.0, 2.0, seed=3)([2, 3]),
    ]


@same
def test_configurations(tf: Any) -> Any:
    made = [
        tf.zeros_initializer(),
        tf.ones_initializer(),
        tf.constant_initializer([1, 2]),
        tf.random_uniform_initializer(-1.0, seed=4),
        tf.random_normal_initializer(stddev=0.5, seed=4),
    ]
    again = [type(i).from_config({**i.get_config(), "dtype": "float32"}) for i in made]
    names = [type(i).__name__ for i in made]
    return [names, [i.get_config() for i in made], [i([2], tf.float32) for i in again]]


@same
def test_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.zeros_initializer()([2], tf.string)),
        error(lambda: tf.ones_initializer()([2], tf.string)),
        error(lambda: tf.zeros_initializer()([2], other=1)),
        error(lambda: tf.constant_initializer(1)([2], **PART)),
        error(lambda: tf.constant_initializer(tf.constant(1))),
        error(lambda: tf.constant_initializer([1, 2, 3])([2, 2])),
        error(lambda: tf.random_normal_initializer()([2], tf.int32)),
        error(lambda: tf.random_uniform_initializer()([2], tf.bool)),
    ]


V1 = {
    "constant": {"value": [1, 2, 3, 4, 5, 6, 7, 8]},
    "glorot_normal": {"seed": 1},
    "glorot_uniform": {"seed": 1},
    "ones": {},
    "orthogonal": {"seed": 1},
    "random_normal": {"seed": 1},
    "random_uniform": {"seed": 1, "maxval": 2.0},
    "truncated_normal": {"seed": 1},
    "uniform_unit_scaling": {"seed": 1},
    "variance_scaling": {"seed": 1, "distribution": "untruncated_normal"},
    "zeros": {},
}


@same
def test_version_one(tf: Any) -> Any:
    one, found = tf.compat.v1, []
    for name, arguments in V1.items():
        made = getattr(one, f"{name}_initializer")(**arguments)
        again = type(made).from_config(made.get_config())
        value = made([4, 2])
        found += [type(made).__name__, made.get_config(), again([4, 2]).shape, value.dtype]
        if name != "orthogonal":  # its signs depend on the decomposition
            found.append(value)
    return found


@same
def test_version_one_of_parts(tf: Any) -> Any:
    one = tf.compat.v1.initializers
    info = SimpleNamespace(full_shape=[3, 3], var_offset=[1, 0])
    return [
        one.identity(2.0)([2, 2]),
        one.identity()([2, 3], partition_info=info),
        one.constant([1, 2, 3, 4])([2, 2]),
        one.constant(7, dtype=tf.int32)([2, 2]),
        one.he_normal(seed=2)([3, 2, 4]),
        one.he_uniform(seed=2)([3, 2]),
        one.lecun_normal(seed=2)([3]),
        one.lecun_uniform(seed=2)([3, 2]),
        one.glorot_uniform(seed=2)([3, 2], partition_info=info),
        error(lambda: one.identity()([2])),
        error(lambda: one.orthogonal()([2])),
        error(lambda: one.variance_scaling(mode="other")),
        error(lambda: one.variance_scaling(scale=0.0)),
        error(lambda: one.constant([1, 2], verify_shape=True)([2, 2])),
        error(lambda: one.constant([1, 2, 3])([2, 2])),
    ]


@same
def test_orthogonal(tf: Any) -> Any:
    q = tf.compat.v1.orthogonal_initializer(2.0, seed=1)([3, 2, 3])
    flat = np.reshape(q, [6, 3])
    return [flat.T @ flat, q.shape]
