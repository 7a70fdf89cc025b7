"""Choice of the jax backend, and no import of JAX before it is chosen."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import tfpy
from tfpy._src.backends import registry
from tfpy._src.backends.backend import BackendSkipped
from tfpy._src.backends.jax import detection


def printed(program: str, **variables: str) -> str:
    """Return the output of a program in a subprocess."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_nothing_is_imported_unless_it_is_asked_for() -> None:
    program = """
import sys
import tfpy as tf
found = tf.function(lambda x: x * 2.0)(tf.constant([1.0])).numpy().tolist()
report = tf.backend_report()["jax"]
print(found, tf.get_backend(), report["status"], report["reason"], "jax" in sys.modules)
"""
    reason = (
        'JAX is installed for the CPU alone; tf.set_backend("jax") or the variable '
        "TFPY_BACKEND=jax uses it anyway"
    )
    assert printed(program) == f"[2.0] cpu skipped {reason} False"


def test_the_variable_chooses() -> None:
    program = "import tfpy as tf; print(tf.get_backend(), tf.backend_report()['jax']['variant'])"
    assert printed(program, TFPY_BACKEND="jax") == "jax jax-cpu"
    assert printed(program, TFPY_BACKEND="cpu") == "cpu"
    wrong = "import tfpy as tf\ntry: tf.get_backend()\nexcept ValueError as e: print(e)"
    assert "Backend 'moon' is unknown" in printed(wrong, TFPY_BACKEND="moon")


def test_it_is_chosen_where_there_is_a_plugin_and_a_device(monkeypatch: Any) -> None:
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    assert "for the CPU alone" in detection.why_not()
    monkeypatch.setattr(detection, "has_plugin", lambda: True)
    assert "sees no GPU or TPU" in detection.why_not()
    monkeypatch.setattr("jax.default_backend", lambda: "gpu")
    assert detection.why_not() == ""
    monkeypatch.setattr(registry, "active", None)
    assert tfpy.get_backend() == "jax"
    assert tfpy.backend_report()["jax"]["status"] == "chosen"


def test_what_is_missing_is_said(monkeypatch: Any) -> None:
    monkeypatch.setattr(detection, "find_spec", lambda name: None)
    with pytest.raises(BackendSkipped, match=r"pip install jax"):
        detection.check_installed()
    assert "not installed" in detection.why_not()
    monkeypatch.undo()
    monkeypatch.setattr(detection, "has_plugin", lambda: True)

    def broken() -> str:
        raise RuntimeError("no driver")

    monkeypatch.setattr("jax.default_backend", broken)
    assert detection.why_not() == "JAX does not start: no driver"


def test_users_see_jax_as_they_configured_it() -> None:
    """Check that JAX's 64-bit setting in the program does not affect tfpy, and vice versa."""
    program = """
import jax
jax.config.update("jax_enable_x64", True)
import numpy as np, tfpy as tf
x = tf.constant([[3.0, 1.0, 2.0]])
f = tf.function(lambda x: (tf.argsort(x), tf.reduce_sum(x), tf.argmax(x), tf.sort(x)))
print([t.numpy().dtype.name for t in f(x)], tf.random.stateless_uniform([2], [1, 2]).dtype.name,
      jax.numpy.ones(2).dtype.name, tf.get_backend())
"""
    wanted = "['int32', 'float32', 'int32', 'float32'] float32 float64 jax"
    assert printed(program, TFPY_BACKEND="jax") == wanted


def test_text_of_what_runs() -> None:
    text = tfpy.function(lambda x: x * 2.0).get_concrete_function(tfpy.constant([1.0, 2.0])).lower()
    assert "stablehlo.multiply" in text.as_text()


def test_failures_are_tensorflows() -> None:
    from tfpy._src.backends.jax.backend import _error

    assert isinstance(_error(RuntimeError("RESOURCE_EXHAUSTED: Out of memory")),
                      tfpy.errors.ResourceExhaustedError)  # fmt: skip
    assert isinstance(_error(RuntimeError("INTERNAL: x")), tfpy.errors.InternalError)
