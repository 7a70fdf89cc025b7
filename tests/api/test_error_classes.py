"""The classes of ``tf.errors``: their names, and pickling of errors."""

from __future__ import annotations

import copy
import pickle
import traceback

import pytest
import tensorflow

import tfpy as tf

CLASSES = {name: kind for name, kind in vars(tf.errors).items() if isinstance(kind, type)}


@pytest.mark.parametrize("name", CLASSES)
def test_they_are_named_by_where_programs_find_them(name: str) -> None:
    kind = CLASSES[name]
    assert (kind.__module__, kind.__qualname__) == ("tfpy.errors", name)
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_every_class_of_tensorflow_is_there() -> None:
    names = {n for n, kind in vars(tensorflow.errors).items() if isinstance(kind, type)}
    assert names - CLASSES.keys() == set()


def test_what_python_prints() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.zeros([2]) + tf.zeros([3])
    last = traceback.format_exception_only(caught.value)[-1]
    assert last.startswith("tfpy.errors.InvalidArgumentError: add: ")


@pytest.mark.parametrize("through", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_travel(through: object) -> None:
    assert callable(through)
    error = tf.errors.ResourceExhaustedError(None, "matmul", "no memory is left")
    error.add_note("at a line")
    found = through(error)
    assert type(found) is tf.errors.ResourceExhaustedError
    assert (found.op, found.op_name) == (None, "matmul")
    assert (found.message, str(found)) == ("no memory is left", str(error))
    assert found.__notes__ == ["at a line"]
