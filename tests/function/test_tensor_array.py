"""Eager tf.TensorArray."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from api.same import error, same
from api.twin import check

import tfpy


def _floats(lib: Any, size: int = 3, **options: Any) -> Any:
    return lib.TensorArray(lib.float32, size, **options)


@same
def test_reading_and_writing(lib: Any) -> Any:
    c = lib.constant
    filled = lambda **options: _floats(lib, **options).unstack(c([1.0, 2.0, 3.0]))  # noqa: E731
    written = _floats(lib).write(1, 5.0)
    changed = _floats(lib)
    changed.write(c(1), c(2.0))
    kept = filled(clear_after_read=False)
    return [
        [kept.read(1), kept.read(1), kept.size(), kept.stack()],
        [written.read(0), written.read(1), written.stack()],
        changed.read(c(1)),
        _floats(lib).write(0, 1.0).write(0, 2.0).read(0),
        _floats(lib, 1, dynamic_size=True).write(3, 1.0).stack(),
        _floats(lib, element_shape=[2]).stack(),
        _floats(lib).write(0, 1).read(0),
        [filled().gather([2, 0]), filled().identity().stack(), filled().dtype],
        _floats(lib).unstack(c([1.0, 2.0])).size(),
        _floats(lib).scatter([2, 0], c([[1.0], [2.0]])).stack(),
        _floats(lib).unstack(c([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).concat(),
        _floats(lib).split(c([1.0, 2.0, 3.0, 4.0]), [1, 2, 1]).read(1),
        _floats(lib, infer_shape=False).split(c([1.0, 2.0, 3.0]), [1, 2, 0]).concat(),
    ]


def _errors(lib: Any) -> list[str]:
    c = lib.constant
    twice = _floats(lib).write(0, 1.0)
    twice.read(0)
    calls: list[Callable[[], Any]] = [
        lambda: lib.TensorArray(lib.float32),
        lambda: _floats(lib).stack(),
        lambda: _floats(lib).read(0),
        lambda: _floats(lib).read(5),
        lambda: _floats(lib).write(3, 1.0),
        lambda: _floats(lib).write(-1, 1.0),
        lambda: _floats(lib).write(0, c(1)),
        lambda: _floats(lib).write(0, [1.0]).write(1, [1.0, 2.0]),
        lambda: _floats(lib, element_shape=[2]).write(0, [1.0]),
        lambda: _floats(lib).unstack(c([1.0, 2.0, 3.0, 4.0])),
        lambda: _floats(lib).unstack(c(1.0)),
        lambda: _floats(lib).scatter([2, 5], c([[1.0], [2.0]])),
        lambda: _floats(lib).unstack(c([1.0, 2.0, 3.0])).concat(),
        lambda: _floats(lib).split(c([1.0, 2.0]), [1, 2]),
        lambda: _floats(lib).grad("g"),
        lambda: twice.read(0),
    ]
    return [error(call) for call in calls]


def test_errors() -> None:
    assert _errors(tfpy) == _errors(tf)


def test_gradients() -> None:
    def program(lib: Any, x: Any) -> Any:
        array = _floats(lib, clear_after_read=False).unstack(x)
        array = array.write(1, array.read(0) * array.read(2))
        return array.stack()

    check(program, np.array([1.0, 2.0, 3.0], np.float32), grads=True)


@same
def test_arrays_from_around_a_branch(lib: Any) -> Any:
    """Check that a branch fills a copy, so that the array outside does not change."""

    @lib.function
    def filled(x: Any, flag: Any, way: Any) -> Any:
        array = _floats(lib, element_shape=[2])
        ways = {
            "unstack": lambda x: array.unstack(x),
            "scatter": lambda x: array.scatter([2, 0], x[:2]),
        }
        fill = ways[way]
        chosen = lib.cond(flag, lambda: fill(x), lambda: fill(-x))
        return chosen.stack(), array.stack()

    @lib.function
    def parts(x: Any, flag: Any) -> Any:
        array = _floats(lib, element_shape=[2])
        chosen = lib.cond(
            flag, lambda: array.split(x, [2, 2, 2]), lambda: array.split(-x, [2, 2, 2])
        )
        return chosen.stack()

    x = lib.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = [
        filled(x, lib.constant(flag), way)
        for flag in (True, False)
        for way in ("unstack", "scatter")
    ]
    return [found, [parts(lib.reshape(x, [-1]), lib.constant(flag)) for flag in (True, False)]]
