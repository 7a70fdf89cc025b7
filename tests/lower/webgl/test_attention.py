"""Sizes for which attention has its own steps on WebGL2."""

from __future__ import annotations

from typing import Any

import pytest

import tfpy as tf
from tfpy._src.compiler.lower.webgl import WebGLTarget
from tfpy._src.compiler.passes.pipeline import optimize


def attend(q: Any, k: Any, v: Any) -> Any:
    return tf.nn.softmax(q @ tf.linalg.matrix_transpose(k) * 0.125) @ v


def apart(q: Any, k: Any, v: Any) -> Any:
    """Compute attention of heads of 64 columns that are adjacent in rows."""

    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [x.shape[0], -1, 64]), [1, 0, 2])

    mixed = tf.transpose(attend(heads(q), heads(k), heads(v)), [1, 0, 2])
    return tf.reshape(mixed, q.shape)


@pytest.mark.parametrize(
    ("function", "shape", "taken"),
    [
        (attend, (4, 64, 64), True),
        (attend, (4, 128, 64), False),
        (apart, (128, 256), True),
        (apart, (256, 256), False),
    ],
)
def test_taken_where_fewer_draws_pay(function: Any, shape: tuple[int, ...], taken: bool) -> None:
    specs = [tf.TensorSpec(shape)] * 3
    graph = optimize(
        tf.function(function).get_concrete_function(*specs).traced.graph, WebGLTarget()
    )
    assert any(dict(eqn.attrs).get("kind") == "attention" for eqn in graph.eqns) == taken
