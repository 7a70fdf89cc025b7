"""Settings of the runtime, types and dates of ``tf.compat``, and other short functions."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from api.same import error, same

import tfpy


@same
def test_settings(tf: Any) -> Any:
    config = tf.config
    found = [
        config.experimental.get_device_policy(),
        config.experimental.get_synchronous_execution(),
    ]
    config.experimental.set_device_policy("explicit")
    found.append(config.experimental.get_device_policy())
    config.experimental.set_device_policy(None)
    found.append(error(lambda: config.experimental.set_device_policy("loud")))
    found.append(config.threading.get_inter_op_parallelism_threads())
    found.append(config.threading.get_intra_op_parallelism_threads())
    tf.constant(1.0) + 1.0
    found.append(error(lambda: config.threading.set_inter_op_parallelism_threads(3)))
    found.append(error(lambda: config.threading.set_intra_op_parallelism_threads(3)))
    config.experimental_run_functions_eagerly(True)
    found.append(config.experimental_functions_run_eagerly())
    config.experimental_run_functions_eagerly(False)
    tf.experimental.async_clear_error()
    with tf.experimental.async_scope(), tf.experimental.function_executor_type(None):
        found.append(tf.function(lambda x: x + 1.0)(1.0))
    return [*found, error(lambda: config.experimental.get_memory_usage("CPU:0"))]


DETERMINISTIC = """
import tfpy as tf
tf.config.threading.set_inter_op_parallelism_threads(2)
tf.config.experimental.set_synchronous_execution(False)
tf.experimental.enable_strict_mode()
print(tf.config.threading.get_inter_op_parallelism_threads())
tf.config.experimental.enable_op_determinism()
try:
    tf.random.uniform([1])
except RuntimeError as error:
    print("set a" in str(error))
tf.random.set_seed(1)
print(tf.random.uniform([1]).numpy().round(3))
"""


def test_settings_at_the_start() -> None:
    found = subprocess.run(
        [sys.executable, "-c", DETERMINISTIC], capture_output=True, text=True, check=True
    )
    assert found.stdout.split("\n")[:3] == ["2", "True", "[0.165]"]


@same
def test_compat(tf: Any) -> Any:
    compat, shape = tf.compat, tf.TensorShape([2, None])
    types = (compat.bytes_or_text_types, compat.integral_types, compat.real_types)
    with compat.forward_compatibility_horizon(2098, 1, 1):
        later = compat.forward_compatible(2097, 12, 31)
    with compat.forward_compatibility_horizon(2019, 1, 1):
        earlier = compat.forward_compatible(2025, 12, 31)
    return [
        *types,
        compat.complex_types,
        [str(compat.dimension_at_index(shape, i)) for i in (0, 1, -1)],
        str(compat.dimension_at_index(tf.TensorShape(None), 3)),
        [compat.dimension_value(shape[0]), compat.dimension_value(None)],
        [later, earlier, compat.forward_compatible(2026, 1, 16)],
        error(lambda: compat.dimension_at_index(shape, 2)),
    ]


@same
def test_short_functions(tf: Any) -> Any:
    x = tf.constant([[4.0, 0.0], [0.0, 9.0]])
    traced: list[bool] = []
    tf.function(lambda y: traced.append(tf.is_symbolic_tensor(y)))(x)
    return [
        tf.tuple([x, None]),
        tf.guarantee_const(x),
        tf.matrix_square_root(x),
        [tf.is_symbolic_tensor(x), tf.is_symbolic_tensor(3), *traced],
        [f.name for f in tf.autograph.experimental.Feature],
    ]


@pytest.mark.parametrize("rounds", [4, 6, 8, 12])
def test_index_shuffle(rounds: int) -> None:
    def program(tf: Any) -> Any:
        shuffle = tf.random_index_shuffle
        return [
            shuffle(tf.range(50), [1, 2, 3], 49, rounds),
            shuffle(7, [5, 2**31 - 1, 77], 100_000, rounds),
        ]

    same(program)()


@pytest.mark.parametrize(
    "case",
    [
        lambda tf: tf.random_index_shuffle(1, [1, 2], 5),
        lambda tf: tf.random_index_shuffle(9, [1, 2, 3], 5),
        lambda tf: tf.config.experimental.get_memory_usage("GPU:7"),
    ],
)
def test_errors(case: Any) -> None:
    import tensorflow

    assert error(lambda: case(tfpy)) == error(lambda: case(tensorflow))
