"""The largest holders of memory, in errors, and in tf.memory() in debug mode."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.backends.javascript import failures
from tfpy._src.backends.memory_holders import largest

HERE = Path(__file__).name


def test_kinds_of_tensors() -> None:
    held = [tf.constant(np.full([317, 811], float(n), np.float32)) * 2.0 for n in range(3)]
    (found,) = [holder for holder in largest(1000) if holder.aval == "float32[317,811]"]
    assert (found.tensors, found.nbytes, found.line) == (3, 3 * 317 * 811 * 4, None)
    assert found.place in ("cpu", "host")
    sizes = [holder.nbytes for holder in largest(1000)]
    assert sizes == sorted(sizes, reverse=True)
    assert largest(2) == largest(1000)[:2]
    del held
    assert not [holder for holder in largest(1000) if holder.aval == "float32[317,811]"]


def test_an_error_names_them() -> None:
    huge = tf.zeros([4096, 4099]) + 1.0
    error = failures.op_error("ResourceExhaustedError", "webgl: out of memory", "add")
    assert isinstance(error, tf.errors.ResourceExhaustedError)
    assert str(error).startswith("add: webgl: out of memory; the largest tensors are ")
    assert f"float32[4096,4099] ({4096 * 4099 * 4} bytes" in str(error)
    assert "tensors" not in str(failures.op_error("Error", "webgl: no", None))
    del huge


def test_lines_in_debug_mode() -> None:
    assert "largest" not in tf.memory()
    tf.enable_debug_mode()
    try:
        made = tf.ones([3001, 1009]) * 2.0
        found = [h for h in tf.memory()["largest"] if h.aval == "float32[3001,1009]"]
        lines = {holder.line for holder in found}
        assert any(line is not None and HERE in line for line in lines), found

        @tf.function
        def double(x: tf.Tensor) -> tf.Tensor:
            return x * 4.0

        again = double(tf.reshape(made, [1009, 3001]))
        (found,) = [h for h in tf.memory()["largest"] if "1009,3001" in h.aval]
        assert found.line is not None
        assert found.line.endswith(f"{HERE}:{double.python_function.__code__.co_firstlineno + 2}")
        del again
    finally:
        tf.env().set("DEBUG", False)
    assert "largest" not in tf.memory()


@pytest.fixture(autouse=True)
def _on_cpu() -> None:
    tf.set_backend("cpu")
