"""Softmax and its logarithm, recognized in Graphs traced from public functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from passes.fusing import Greedy, check_same, kinds, traced

import tfpy as tf
from tfpy._src.compiler.ir.fusion import fusion
from tfpy._src.compiler.passes.fuse.softmax import fuse_softmax


@pytest.mark.parametrize("kind", ["softmax", "log_softmax"])
@pytest.mark.parametrize("shape", [(7,), (5, 9), (2, 3, 8)])
def test_recognized(kind: str, shape: tuple[int, ...]) -> None:
    graph = traced(getattr(tf.nn, kind), shape)
    after = fuse_softmax(graph, Greedy())
    check_same(graph, after)
    (eqn,) = (e for e in after.eqns if e.op is fusion)
    attrs = dict(eqn.attrs)
    assert attrs["kind"] == kind
    rows = 1 if len(shape) == 1 else graph.avals[0].size // shape[-1]
    assert dict(attrs["pattern"].params) == {"rows": rows, "n": shape[-1]}
    assert [e.op.name for e in after.eqns if e.op is not fusion] == []


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.nn.softmax(x, axis=0),  # rows only
        lambda x: tf.exp(x) / tf.reduce_sum(tf.exp(x), -1, keepdims=True),  # may overflow: kept
        lambda x: tf.exp(x - tf.reduce_max(x, -1, keepdims=True)),
        lambda x: tf.nn.softmax(x) * tf.exp(x - tf.reduce_max(x, -1, keepdims=True)),
        lambda x: (
            tf.exp(x - tf.reduce_min(x, -1, keepdims=True))
            / tf.reduce_sum(tf.exp(x - tf.reduce_min(x, -1, keepdims=True)), -1, keepdims=True)
        ),
    ],
)
def test_what_is_no_softmax(function: Callable[..., Any]) -> None:
    graph = traced(function, (6, 6))
    assert kinds(fuse_softmax(graph, Greedy())) == kinds(graph)


def test_a_square_input_whose_statistics_are_turned() -> None:
    def turned(x: Any) -> Any:
        e = tf.exp(x - tf.reduce_max(x, -1, keepdims=True))
        return e / tf.reshape(tf.reduce_sum(e, -1), [1, 6])

    graph = traced(turned, (6, 6))
    assert kinds(fuse_softmax(graph, Greedy())) == kinds(graph)


def test_targets_without_the_kernel() -> None:
    class Plain(Greedy):
        kernels = frozenset({"log_softmax"})

    graph = traced(tf.nn.softmax, (5, 9))
    assert kinds(fuse_softmax(graph, Plain())) == kinds(graph)
