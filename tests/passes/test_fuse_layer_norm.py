"""Layer and RMS normalization recognized in common forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from passes.fusing import Greedy, check_same, kinds
from passes.test_fuse_softmax import traced

import tfpy as tf
from tfpy._src.compiler.ir.fusion import fusion
from tfpy._src.compiler.passes.fuse.layer_norm import fuse_layer_norm

EPSILON = 1e-3


def by_moments(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, EPSILON)


def by_division(x: Any, scale: Any, offset: Any) -> Any:
    deviation = x - tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(deviation * deviation, -1, keepdims=True)
    return offset + scale * (deviation / tf.sqrt(variance + EPSILON))


def scaled_first(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, -1, keepdims=True)
    return (x - mean) * (scale * tf.math.rsqrt(EPSILON + variance)) + offset


def by_variance(x: Any, scale: Any, offset: Any) -> Any:
    mean = tf.reduce_mean(x, -1, keepdims=True)
    factor = tf.math.rsqrt(tf.math.reduce_variance(x, -1, keepdims=True) + EPSILON)
    return x * factor * scale - (mean * factor * scale - offset)


def root_mean_square(x: Any, scale: Any) -> Any:
    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + EPSILON) * scale


def plain(x: Any) -> Any:
    return by_moments(x, None, None)


CASES: list[tuple[Callable[..., Any], dict[str, str]]] = [
    (by_moments, {"center": "true", "scale": "true", "offset": "true"}),
    (by_division, {"center": "true", "scale": "true", "offset": "true"}),
    (scaled_first, {"center": "true", "scale": "true", "offset": "true"}),
    (by_variance, {"center": "true", "scale": "true", "offset": "true"}),
    (root_mean_square, {"center": "false", "scale": "true", "offset": "false"}),
    (plain, {"center": "true", "scale": "false", "offset": "false"}),
]


@pytest.mark.parametrize(("function", "flags"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_forms(function: Callable[..., Any], flags: dict[str, str]) -> None:
    count = 1 + sum(v == "true" for k, v in flags.items() if k != "center")
    graph = traced(function, *[(2, 5, 12), (12,), (12,)][:count])
    after = fuse_layer_norm(graph, Greedy())
    check_same(graph, after, tolerance=1e-5)
    (eqn,) = after.eqns
    assert eqn.op is fusion
    assert eqn.inputs == tuple(after.inputs)
    epsilon_bits = int(np.float32(EPSILON).view(np.int32))
    params = dict(dict(eqn.attrs)["pattern"].params)
    assert params == {"rows": 10, "n": 12, "epsilon_bits": epsilon_bits, **flags}


@pytest.mark.parametrize("rows", [1, 2])
def test_rows_keep_their_meaning_in_other_shapes(rows: int) -> None:
    def reshaped(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(tf.reshape(x, [1, rows, 12]), [-1], keepdims=True)
        shape = [12] if rows == 1 else [rows, 12]
        factor = tf.reshape(tf.math.rsqrt(variance + EPSILON), [rows, 1][-rows:]) * scale
        return tf.reshape(x, shape) * factor + (offset - tf.reshape(mean, [rows, 1]) * factor)

    graph = traced(reshaped, (rows, 12), (12,), (12,))
    after = fuse_layer_norm(graph, Greedy())
    check_same(graph, after, tolerance=1e-5)
    assert [kind.split("(")[0] for kind in kinds(after)] == ["layer_norm"]


def test_operands_that_are_no_vectors_stay_outside() -> None:
    graph = traced(by_division, (12, 12), (12, 12), (12, 1))
    after = fuse_layer_norm(graph, Greedy())
    check_same(graph, after, tolerance=1e-5)
    assert [k.split("(")[0] for k in kinds(after)] == ["layer_norm", "multiply", "add"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x - tf.reduce_mean(x, 0, keepdims=True)) * tf.math.rsqrt(x + 1.0),
        lambda x: tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), None, None, EPSILON),
        lambda x: x * tf.math.rsqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True) + EPSILON),
        lambda x: (
            (x + tf.reduce_mean(x, -1, keepdims=True))
            * tf.math.rsqrt(tf.math.reduce_variance(x, -1, keepdims=True) + EPSILON)
        ),
        lambda x: (
            2.0
            * (x - tf.reduce_mean(x, -1, keepdims=True))
            * tf.math.rsqrt(tf.math.reduce_variance(x, -1, keepdims=True) + EPSILON)
            * (x - tf.reduce_mean(x, -1, keepdims=True))
        ),
    ],
)
def test_what_is_none(function: Callable[..., Any]) -> None:
    graph = traced(function, (8, 8))
    after = fuse_layer_norm(graph, Greedy())
    check_same(graph, after, [], 1e-5)
    if "layer_norm" in " ".join(kinds(after)):  # a part of it may be a layer norm
        assert kinds(after)[-1] == "multiply"


def test_statistics_that_others_need_stay() -> None:
    def with_mean(x: Any) -> Any:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, None, None, EPSILON), mean

    graph = traced(with_mean, (4, 12))
    assert kinds(fuse_layer_norm(graph, Greedy())) == kinds(graph)
