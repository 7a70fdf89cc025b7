"""Compiled functions are fused: the same values as eager execution, in few kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser


def chain(tf, x, y):
    for _ in range(20):
        x = tf.nn.relu(x * y + 0.01)
    return x


def convolution(tf, x, f, b):
    return tf.nn.relu6(tf.nn.bias_add(tf.nn.conv2d(x, f, 1, "SAME"), b))


def residual(tf, x, f, b):
    return tf.nn.relu(x + tf.nn.bias_add(tf.nn.conv2d(x, f, 1, "SAME"), b))


def silu(tf, x, w, b):
    return tf.nn.silu(x @ w + b)


def softmax(tf, x):
    return tf.nn.softmax(x * 3.0)


def log_softmax(tf, x):
    return tf.nn.log_softmax(x)


def layer_norm(tf, x, scale, offset):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-5)


def rms_norm(tf, x, scale):
    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + 1e-5) * scale


def variance(tf, x):
    return tf.math.reduce_std(x, [0, 1])


def attention(tf, q, k, v):
    scores = tf.matmul(q, k, transpose_b=True) * 0.125
    return tf.matmul(tf.nn.softmax(scores), v)


def heads(tf, q, k, v):
    """Compute attention of four heads that are adjacent in the rows of each operand."""

    def ahead(x):
        return tf.transpose(tf.reshape(x, [*x.shape[:-1], 4, x.shape[-1] // 4]), [0, 2, 1, 3])

    mixed = tf.transpose(attention(tf, ahead(q), ahead(k), ahead(v)), [0, 2, 1, 3])
    return tf.reshape(mixed, [*q.shape[:2], v.shape[-1]])


def masked_heads(tf, q, k, v, mask):
    scores = tf.einsum("aecd,abcd->acbe", k, q * 0.125) + (1.0 - mask) * -1e9
    return tf.einsum("acbe,aecd->abcd", tf.nn.softmax(scores), v)


def causal(tf, q, k, v, scale):
    """Compute attention with a mask of -infinity, scaled by a tensor."""
    ahead = tf.range(q.shape[-2])[:, tf.newaxis] < tf.range(k.shape[-2])
    mask = tf.where(ahead, -np.inf, 0.0)
    scores = tf.matmul(q, k, transpose_b=True) / scale + mask
    return tf.matmul(tf.nn.softmax(scores), v)


def chosen_keys(tf, q, k, v):
    """Compute attention with a mask as Keras does: select the visible scores."""
    scores = tf.einsum("btnh,bsnh->bnts", q, k) * 0.25
    seen = tf.linalg.band_part(tf.ones([q.shape[1], k.shape[1]], tf.bool), -1, 0)
    mask = tf.ones_like(scores, tf.bool) & seen[tf.newaxis, tf.newaxis]
    scores = tf.where(mask, scores, -2e38)
    return tf.einsum("bnts,bsnh->btnh", tf.nn.softmax(scores), v)


def grouped_heads(tf, q, k, v):
    return chosen_keys(tf, q, tf.repeat(k, 2, axis=2), tf.repeat(v, 2, axis=2))


def turned_keys(tf, q, k, v):
    return tf.matmul(tf.nn.softmax(tf.matmul(q, k)), v)


def rotary(tf, x, angles):
    """Rotate the pairs of numbers in both halves of the last axis."""
    first, second = tf.split(x, 2, -1)
    turned = tf.concat([-second, first], -1)
    angles = tf.concat([angles, angles], -1)
    return x * tf.cos(angles) + turned * tf.sin(angles)


def perceptron(tf, x, w1, b1, w2, b2):
    """Compute the loss and the gradients of a training step."""
    with tf.GradientTape() as tape:
        tape.watch([w1, b1, w2, b2])
        logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
        labels = tf.range(x.shape[0]) % logits.shape[1]
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return [loss, *tape.gradient(loss, [w1, b1, w2, b2])]


CASES: dict[str, Any] = {
    # function, input shapes, kernels on wasm and on webgl (None: not counted)
    "chain": (chain, [(64, 1000), (64, 1000)], 1, 1),
    "convolution": (convolution, [(2, 19, 21, 8), (3, 3, 8, 12), (12,)], 1, None),
    "residual": (residual, [(2, 19, 21, 8), (3, 3, 8, 8), (8,)], 2, None),
    "silu": (silu, [(33, 40), (40, 24), (24,)], 2, 1),
    "softmax": (softmax, [(33, 1001)], 2, None),
    "wide_softmax": (softmax, [(3, 20000)], 2, None),
    "narrow_softmax": (softmax, [(9001, 30)], 2, 3),
    "short_softmax": (softmax, [(40, 10)], 2, 2),
    "short_log_softmax": (log_softmax, [(33, 16)], 1, 1),
    "log_softmax": (log_softmax, [(5, 7, 130)], 1, None),
    "layer_norm": (layer_norm, [(6, 50, 256), (256,), (256,)], 1, None),
    "odd_layer_norm": (layer_norm, [(300, 37), (37,), (37,)], 1, None),
    "rms_norm": (rms_norm, [(70, 515), (515,)], 1, None),
    "variance": (variance, [(300, 37, 12)], None, None),
    "attention": (attention, [(4, 60, 64), (4, 60, 64), (4, 60, 64)], 1, 3),
    "odd_attention": (attention, [(5, 37, 13), (5, 41, 13), (5, 41, 7)], 1, 2),
    "short_attention": (attention, [(2, 9, 16), (2, 9, 16), (2, 9, 16)], 1, 2),
    "few_queries": (attention, [(3, 4, 16), (3, 50, 16), (3, 50, 8)], None, 2),
    "long_attention": (attention, [(3, 700, 32), (3, 900, 32), (3, 900, 24)], 1, None),
    "shared_keys": (attention, [(4, 33, 16), (20, 16), (20, 12)], 1, 2),
    "heads": (heads, [(2, 30, 64), (2, 44, 64), (2, 44, 32)], 1, 2),
    "masked_heads": (
        masked_heads,
        [(2, 10, 3, 8), (2, 12, 3, 8), (2, 12, 3, 5), (2, 1, 10, 12)],
        2,
        3,
    ),
    "causal": (causal, [(3, 50, 16), (3, 50, 16), (3, 50, 16), ()], 1, 2),
    "chosen_keys": (chosen_keys, [(2, 21, 4, 8), (2, 24, 4, 8), (2, 24, 4, 8)], 2, 3),
    "grouped_heads": (grouped_heads, [(2, 21, 4, 8), (2, 24, 2, 8), (2, 24, 2, 8)], None, None),
    "turned_keys": (turned_keys, [(3, 20, 16), (3, 16, 28), (3, 28, 8)], 1, 2),
    "rotary": (rotary, [(2, 30, 6, 64), (30, 1, 32)], 3, 3),
    "odd_rotary": (rotary, [(3, 5, 7, 18), (5, 1, 9)], 1, 1),
    "perceptron": (perceptron, [(32, 100), (100, 64), (64,), (64, 10), (10,)], None, None),
}


@pytest.mark.parametrize("name", sorted(CASES))
@run_in_browser()
def test_compiled_as_eager(tf, backend, name):
    from tfpy._src.backends import registry
    from tfpy._src.compiler.lower import wasm, webgl
    from tfpy._src.compiler.passes.pipeline import optimize

    function, shapes, on_wasm, on_webgl = CASES[name]
    rng = np.random.default_rng(4)
    inputs = [tf.constant(rng.uniform(-1, 1, s).astype(np.float32)) for s in shapes]
    compiled = tf.function(lambda *tensors: function(tf, *tensors))
    got, expected = compiled(*inputs), function(tf, *inputs)
    if not isinstance(got, list):
        got, expected = [got], [expected]
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g.numpy(), e.numpy(), rtol=1e-4, atol=1e-5)
    count = {"wasm": on_wasm, "webgl": on_webgl}.get(backend)
    if count is not None:
        graph = compiled.get_concrete_function(*inputs).traced.graph
        target = registry.active_backend().target
        program = {"wasm": wasm, "webgl": webgl}[backend].lower(optimize(graph, target))
        assert len(program.steps) == count, str(program)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_softmax_of_infinities_and_large_numbers(tf, backend):
    rows = np.array(
        [
            [1000.0, 999.0, -1000.0, 0.0, 3.0],
            [-np.inf, 0.0, 1.0, -np.inf, 2.0],
            [-1e38, -3e38, -1e38, -np.inf, -1e38],
            [np.nan, 0.0, 1.0, 2.0, 3.0],
        ],
        np.float32,
    )
    rows = np.concatenate([rows, rows[:, ::-1]] * 20, 1)
    for kind in (tf.nn.softmax, tf.nn.log_softmax):
        got = tf.function(kind)(tf.constant(rows)).numpy()
        with np.errstate(all="ignore"):
            shifted = rows.astype(np.float64) - rows.max(1, keepdims=True)
            expected = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
            if kind is tf.nn.softmax:
                expected = np.exp(expected)
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
