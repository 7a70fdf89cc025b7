"""Errors of compiled functions name the source line of the op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf

_MESSAGES = "did not hold element-wise|is not in|mine"
_ERRORS = tf.errors.InvalidArgumentError, tf.errors.UnknownError


def _notes(call: Callable[[], Any]) -> str:
    """Return the notes of the error that a compiled function raises."""
    with pytest.raises(_ERRORS, match=_MESSAGES) as caught:
        call()
    return "\n".join(getattr(caught.value, "__notes__", ()))


@tf.function
def _asserts(x: Any) -> Any:
    tf.debugging.assert_positive(x)  # the assertion
    return x + 1.0


@tf.function
def _gathers(x: Any, i: Any) -> Any:
    y = x * 2.0
    return tf.gather(y, i)  # the gather


@tf.function
def _in_a_loop(x: Any) -> Any:
    for _ in tf.range(2):
        x -= 1.0
        tf.debugging.assert_positive(x)  # within the loop
    return x


@tf.function
def _calls(x: Any) -> Any:
    return _asserts(x) * 2.0


def _fails(x: Any) -> Any:
    raise KeyError("mine")


@tf.function
def _calls_python(x: Any) -> Any:
    return tf.numpy_function(_fails, [x], tf.TensorSpec([], tf.float32))  # the call of Python


_ONE = np.float32(1.0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: _asserts(tf.constant(-1.0)), "# the assertion"),
        (lambda: _gathers(tf.ones([3]), tf.constant(7)), "# the gather"),
        (lambda: _in_a_loop(tf.constant(1.5)), "# within the loop"),
        (lambda: _calls(tf.constant(-1.0)), "# the assertion"),
        (lambda: _calls_python(tf.constant(1.0)), "# the call of Python"),
        (
            lambda: list(tf.data.Dataset.from_tensors(-_ONE).map(lambda x: _asserts(x))),
            "# the assertion",
        ),
    ],
)
def test_the_line_is_named_once(call: Callable[[], Any], text: str) -> None:
    notes = _notes(call)
    assert notes.count(text) == 1, notes
    assert notes.count("line ") == 1, notes
    assert __file__ in notes


def test_lines_survive_passes() -> None:
    @tf.function
    def function(x: Any, i: Any) -> Any:
        y = tf.transpose(tf.transpose(x) * 1.0 + 0.0)
        return tf.gather(tf.reshape(y, [-1]) - 0.0, i + 0)  # rewritten

    assert "# rewritten" in _notes(lambda: function(tf.ones([2, 2]), tf.constant(5)))


def test_prod_mode_collects_none() -> None:
    try:
        tf.enable_prod_mode()
        function = tf.function(lambda x: tf.gather(x, 5 + tf.cast(x[0], tf.int32)))
        assert not _notes(lambda: function(tf.ones([2])))
    finally:
        tf.env().reset()
    assert _notes(lambda: tf.function(lambda x, i: tf.gather(x, i))(tf.ones([2]), tf.constant(5)))
