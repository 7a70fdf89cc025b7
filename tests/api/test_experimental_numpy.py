"""``tf.experimental.numpy`` has TensorFlow's values, dtypes and errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow
from api import numpy_programs
from api.same import compare, error, same

import tfpy
from tfpy._src.library.experimental_numpy import lattice


@pytest.fixture(scope="module")
def scopes() -> Iterator[list[dict[str, Any]]]:
    yield [numpy_programs.scope(library) for library in (tfpy, tensorflow)]
    for library in (tfpy, tensorflow):
        library.random.set_seed(None)


@pytest.mark.parametrize("expression", numpy_programs.FUNCTIONS)
def test_functions(expression: str, scopes: list[dict[str, Any]]) -> None:
    """Check the functions without NumPy behavior of tensors, and with 32 bits.

    Some functions of TensorFlow then raise an AttributeError, because they call `x.astype`.
    """
    (failed, mine), (wanted_error, wanted) = (
        numpy_programs.outcome(names, expression) for names in scopes
    )
    if wanted_error == "AttributeError":
        return
    assert failed == wanted_error, mine
    if not failed:
        compare(mine, wanted, 1e-5, expression)


@pytest.fixture(scope="module")
def differences() -> dict[str, list[str]]:
    """Return the differences of programs with NumPy behavior, by mode."""
    environment = os.environ | {"TFPY_ENABLE_X64": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "api.numpy_programs"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.parametrize("mode", numpy_programs.PROGRAMS)
def test_behavior(mode: str, differences: dict[str, list[str]]) -> None:
    assert differences[mode] == []


def test_lattice() -> None:
    """Check the promotion with weak types for all pairs of dtypes."""
    from tensorflow.python.framework import flexible_dtypes

    table = flexible_dtypes._BINARY_DTYPE_RES_FULL
    for (a, a_weak), row in table.items():
        for (b, b_weak), ((common, is_weak), mode) in row.items():
            if tensorflow.string in (a, b):
                continue
            names = (a.name + "*" * a_weak, b.name + "*" * b_weak)
            assert lattice.join(*names, "all") == common.name + "*" * is_weak, names
            if mode.name == "ALL":
                with pytest.raises(TypeError, match="disallowed"):
                    lattice.join(*names, "safe")
            else:
                lattice.join(*names, "safe")


def test_modes_are_checked() -> None:
    enable = tfpy.experimental.numpy.experimental_enable_numpy_behavior
    with pytest.raises(ValueError, match="does not exist"):
        enable(dtype_conversion_mode="numpy")


@same
def test_select(tf: Any) -> Any:
    select = tf.experimental.numpy.select
    a, b = tf.constant([[1, 2], [3, 4]]), tf.constant([10, 20])
    first, second = tf.constant([[True, False], [False, False]]), tf.constant([True, False])
    return [
        select([first, second], [a, b]),
        select([first, second], [a, b], default=7),
        select([second], [tf.cast(a, tf.float32)], 0.5),
        select([first, True], [a, tf.constant(2.5)]),
        error(lambda: select([first], [a, b])),
    ]


@same
def test_traces(tf: Any) -> Any:
    """Check functions whose arguments are tensors of a trace, also with open shapes."""
    tnp = tf.experimental.numpy

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def statistics(x: Any) -> Any:
        total = tnp.sum(x, axis=0)
        return total, tnp.mean(x), tnp.std(x), tnp.cumsum(x, axis=0), tnp.flip(x, 0), tnp.ravel(x)

    return statistics(tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))


@same
def test_gradients(tf: Any) -> Any:
    tnp = tf.experimental.numpy
    x = tf.constant([0.5, 1.5, 2.5])
    found = []
    for function in (
        lambda: tnp.sum(tnp.exp(x) * tnp.sin(x)),
        lambda: tnp.dot(x, x),
        lambda: tnp.var(x),
        lambda: tnp.sum(tnp.where(x > 1, tnp.square(x), x)),
        lambda: tnp.max(tnp.outer(x, x)),
        lambda: tnp.sum(tnp.take(x, [0, 0, 2])),
        lambda: tnp.sum(tnp.clip(x, 1, 2)),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function()
        found.append(tape.gradient(y, x))
    return found


@same
def test_paddings_of_blocks(tf: Any) -> Any:
    f = tf.required_space_to_batch_paddings
    return [
        *f([5, 4, 9], [2, 4, 5]),
        *f(np.array([5, 4]), [3, 3], [[1, 0], [0, 2]]),
        *f(tf.constant([7]), tf.constant([2]), tf.constant([[1, 1]])),
    ]


CONFIG = """
import tfpy
tfpy.as_tensorflow(replace=True)
import tensorflow as tf
from tensorflow.python.ops.numpy_ops import np_array_ops, np_config
np_config.enable_numpy_behavior()
print(tf.constant([[1, 2]]).T.tolist(), np_array_ops.ravel([[3]]).numpy())
print(hasattr(np_array_ops, "x"))
"""


def test_private_names_of_programs() -> None:
    """Check the name with which many programs enable NumPy behavior."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", CONFIG]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[[1], [2]] [3]\nFalse\n"
