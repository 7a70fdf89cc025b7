"""``tf.nn``: windows, activations, normalization and losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same

import tfpy

R = np.random.default_rng(0)
IMAGES = R.normal(size=(2, 6, 7, 3)).astype(np.float32)
FILTERS = R.normal(size=(3, 3, 3, 4)).astype(np.float32)
DEPTHWISE = R.normal(size=(3, 3, 3, 2)).astype(np.float32)
POINTWISE = R.normal(size=(1, 1, 6, 5)).astype(np.float32)
LOGITS = R.normal(size=(4, 5)).astype(np.float32)
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], np.float32)


@same(tolerance=1e-4)
def test_conv2d(tf: Any) -> Any:
    return [
        tf.nn.conv2d(IMAGES, FILTERS, 1, "SAME"),
        tf.nn.conv2d(IMAGES, FILTERS, [1, 2, 2, 1], "SAME"),
        tf.nn.conv2d(IMAGES, FILTERS, 2, "VALID"),
        tf.nn.conv2d(IMAGES, FILTERS, [2, 1], "SAME"),
        tf.nn.conv2d(IMAGES, FILTERS, 1, [[0, 0], [1, 2], [0, 1], [0, 0]]),
        tf.nn.conv2d(IMAGES, FILTERS, 1, "SAME", dilations=2),
        tf.nn.conv2d(IMAGES, FILTERS, 1, "VALID", dilations=[1, 1, 2, 1]),
        tf.nn.conv2d(IMAGES, FILTERS[:, :, :1, :3], 1, "SAME"),
        tf.nn.conv2d(input=IMAGES, filters=FILTERS, strides=1, padding="VALID", name="conv"),
    ]


@same(tolerance=1e-4)
def test_other_convolutions(tf: Any) -> Any:
    spread = np.ones((2, 2, 4, 3), np.float32)
    return [
        tf.nn.depthwise_conv2d(IMAGES, DEPTHWISE, [1, 1, 1, 1], "SAME"),
        tf.nn.depthwise_conv2d(IMAGES, DEPTHWISE, [1, 2, 2, 1], "VALID"),
        tf.nn.depthwise_conv2d(IMAGES, DEPTHWISE, [1, 1, 1, 1], "SAME", dilations=[2, 2]),
        tf.nn.separable_conv2d(IMAGES, DEPTHWISE, POINTWISE, [1, 1, 1, 1], "SAME"),
        tf.nn.separable_conv2d(IMAGES, DEPTHWISE, POINTWISE, [1, 2, 2, 1], "VALID"),
        tf.nn.conv2d_transpose(IMAGES, spread, [2, 12, 14, 4], 2),
        tf.nn.conv2d_transpose(IMAGES, spread, [2, 11, 13, 4], 2, "SAME"),
        tf.nn.conv2d_transpose(IMAGES, spread, [2, 7, 8, 4], 1, "VALID"),
    ]


@same
def test_pools(tf: Any) -> Any:
    return [
        tf.nn.max_pool2d(IMAGES, 2, 2, "VALID"),
        tf.nn.max_pool2d(IMAGES, [2, 3], [2, 1], "SAME"),
        tf.nn.max_pool2d(IMAGES, [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
        tf.nn.max_pool2d(IMAGES, 2, 2, [[0, 0], [1, 1], [1, 1], [0, 0]]),
        tf.nn.avg_pool2d(IMAGES, 3, 2, "SAME"),
        tf.nn.avg_pool2d(IMAGES, [2, 1], 1, "VALID"),
        tf.nn.max_pool(IMAGES, 2, 2, "SAME"),
        tf.nn.avg_pool(IMAGES, 2, 1, "VALID"),
    ]


def nhwc(result: Any) -> Any:
    return tfpy.transpose(result, [0, 2, 3, 1]).numpy()


def test_channels_first() -> None:
    """Compare with transposed NHWC, because TensorFlow supports NCHW on CPU for few ops only."""
    nchw = np.transpose(IMAGES, (0, 3, 1, 2)).copy()
    nn = tfpy.nn
    padding = [[0, 0], [0, 0], [1, 2], [0, 1]]
    pairs = [
        (
            nn.conv2d(nchw, FILTERS, [1, 1, 2, 1], padding, "NCHW", [1, 1, 1, 1]),
            nn.conv2d(IMAGES, FILTERS, [1, 2, 1, 1], [[0, 0], [1, 2], [0, 1], [0, 0]]),
        ),
        (
            nn.depthwise_conv2d(nchw, DEPTHWISE, [1, 1, 2, 2], "SAME", "NCHW"),
            nn.depthwise_conv2d(IMAGES, DEPTHWISE, [1, 2, 2, 1], "SAME"),
        ),
        (
            nn.separable_conv2d(nchw, DEPTHWISE, POINTWISE, [1, 1, 1, 1], "SAME", "NCHW"),
            nn.separable_conv2d(IMAGES, DEPTHWISE, POINTWISE, [1, 1, 1, 1], "SAME"),
        ),
        (
            nn.conv2d_transpose(
                nchw, FILTERS.swapaxes(2, 3), [2, 4, 12, 14], 2, data_format="NCHW"
            ),
            nn.conv2d_transpose(IMAGES, FILTERS.swapaxes(2, 3), [2, 12, 14, 4], 2),
        ),
        (
            nn.max_pool2d(nchw, [1, 1, 2, 3], 2, "SAME", "NCHW"),
            nn.max_pool2d(IMAGES, [2, 3], 2, "SAME"),
        ),
        (nn.avg_pool2d(nchw, 2, 1, "SAME", "NCHW"), nn.avg_pool2d(IMAGES, 2, 1, "SAME")),
    ]
    for mine, wanted in pairs:
        np.testing.assert_allclose(nhwc(mine), wanted.numpy(), rtol=1e-5, atol=1e-5)


@same
def test_bias_add(tf: Any) -> Any:
    return [
        tf.nn.bias_add(X, [1.0, 2.0, 3.0]),
        tf.nn.bias_add(IMAGES, [1.0, 2.0, 3.0]),
        tf.nn.bias_add(IMAGES, np.arange(6, dtype=np.float32), "NCHW"),
    ]


@same
def test_activations(tf: Any) -> Any:
    x = tf.constant([-100.0, -1.5, -0.0, 0.0, 0.5, 3.0, 8.0, 100.0])
    return [
        tf.nn.relu(x),
        tf.nn.relu([-1, 2]),
        tf.nn.relu6(x),
        tf.nn.elu(x),
        tf.nn.selu(x),
        tf.nn.leaky_relu(x),
        tf.nn.leaky_relu(x, alpha=0.5),
        tf.nn.leaky_relu([-5, 2]),
        tf.nn.softplus(x),
        tf.nn.softsign(x),
        tf.nn.sigmoid(x),
        tf.nn.tanh(x),
        tf.nn.gelu(x),
        tf.nn.gelu(x, approximate=True),
        tf.nn.silu(x),
        tf.nn.swish(x),
        tf.nn.softmax([1000.0, 1001.0]),
        tf.nn.softmax(LOGITS),
        tf.nn.softmax(LOGITS, axis=0),
        tf.nn.log_softmax([1000.0, 1001.0]),
        tf.nn.log_softmax(LOGITS, axis=0),
    ]


@same
def test_normalization(tf: Any) -> Any:
    mean, variance = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 4.0, 9.0])
    offset, scale = tf.constant(1.0), tf.constant([2.0, 3.0, 4.0])
    return [
        tf.nn.moments(X, [0]),
        tf.nn.moments(X, [0, 1], keepdims=True),
        tf.nn.moments(IMAGES, [0, 1, 2]),
        tf.nn.batch_normalization(X, mean, variance, None, None, 1e-3),
        tf.nn.batch_normalization(X, mean, variance, offset, scale, 1e-3),
        tf.nn.l2_loss(X),
    ]


@same
def test_losses(tf: Any) -> Any:
    labels = tf.nn.softmax(LOGITS[::-1])
    nested = LOGITS.reshape(2, 2, 5)
    return [
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=LOGITS),
        tf.nn.softmax_cross_entropy_with_logits(labels, LOGITS, axis=0),
        tf.nn.softmax_cross_entropy_with_logits(
            labels=[[0.0, 1.0]], logits=[[1.0, 2.0], [3.0, 4.0]]
        ),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0, 4, 2], logits=LOGITS),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=1, logits=[1.0, 2.0]),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1, 0], [4, 4]], logits=nested),
        tf.nn.sigmoid_cross_entropy_with_logits(labels=[0.0, 1.0, 0.5], logits=[-3.0, 100.0, 0.0]),
    ]


@same
def test_losses_of_zero_are_positive(tf: Any) -> Any:
    """Compare the bits of the loss of a single class, and of a certain class."""
    found = []
    for dtype in (tf.float32, tf.float16):
        one = tf.constant([[1.0], [-1.0], [0.0]], dtype)
        certain = tf.constant([[1.0, 0.0]], dtype), tf.constant([[1000.0, 0.0]], dtype)
        for call in (lambda f: f, tf.function):
            dense = call(tf.nn.softmax_cross_entropy_with_logits)
            sparse = call(tf.nn.sparse_softmax_cross_entropy_with_logits)
            losses = [
                dense(one, one),
                dense(*certain),
                sparse(tf.constant([0, 0, 0]), one),
                sparse(tf.constant([0]), certain[1]),
            ]
            found.append([np.signbit(loss.numpy()).tolist() for loss in losses])
    return found


@same
def test_embedding_lookup(tf: Any) -> Any:
    return [
        tf.nn.embedding_lookup(X, [1, 0, 1]),
        tf.nn.embedding_lookup(X, [[0]], max_norm=1.0),
        tf.nn.embedding_lookup(tf.Variable(X), [0]),
    ]


@same
def test_dropout_of_nothing(tf: Any) -> Any:
    return tf.nn.dropout(X, 0)


def test_dropout() -> None:
    tfpy.random.set_seed(3)
    x = tfpy.ones([200, 100])
    y = tfpy.nn.dropout(x, 0.25).numpy()
    assert set(np.unique(y)) == {0.0, np.float32(1 / 0.75)}
    assert y.mean() == pytest.approx(1, abs=0.02)
    rows = tfpy.nn.dropout(x, 0.5, noise_shape=[200, 1]).numpy()
    assert (rows == rows[:, :1]).all()
    assert not np.array_equal(y, tfpy.nn.dropout(x, 0.25).numpy())
