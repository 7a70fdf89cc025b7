"""Normalization, losses and activations of ``tf.nn``, compared with TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api import twin
from api.same import error, same

import tfpy


def draw(rng: np.random.Generator, *shapes: tuple[int, ...], low: float = -2) -> list[Any]:
    return [rng.uniform(low, 2, s).astype(np.float32) for s in shapes]


@pytest.mark.parametrize("axes", [[0], [0, 1, 2], [-1], [1, 2]])
@pytest.mark.parametrize("keepdims", [False, True])
def test_moments(axes: list[int], keepdims: bool, rng: np.random.Generator) -> None:
    x, w = draw(rng, (3, 4, 5, 2), (3, 4, 5, 1), low=0.1)
    twin.check(lambda tf, x: tf.nn.moments(x, axes, keepdims=keepdims), x, grads=True)
    twin.check(
        lambda tf, x, w: tf.nn.weighted_moments(x, axes, w, keepdims=keepdims), x, w, grads=True
    )


@pytest.mark.parametrize("shift", [None, 0.5])
def test_sufficient_statistics(shift: float | None, rng: np.random.Generator) -> None:
    def program(tf: Any, x: Any) -> Any:
        found = tf.nn.sufficient_statistics(x, [0, 2], shift)
        return [*found[:3], *tf.nn.normalize_moments(*found)]

    twin.check(program, *draw(rng, (3, 4, 5)), grads=True)


@same
def test_sufficient_statistics_of_integers(tf: Any) -> Any:
    return [tf.nn.sufficient_statistics([[1, 2], [3, 4]], axes)[:3] for axes in ([0], [0, 1])]


@pytest.mark.parametrize("scale", [None, 1.5])
def test_batch_normalization(scale: float | None, rng: np.random.Generator) -> None:
    x, mean, variance, offset = draw(rng, (4, 3, 5), (5,), (5,), (5,))
    twin.check(
        lambda tf, x, m, v, o: tf.nn.batch_normalization(x, m, v, o, scale, 1e-3),
        *(x, mean, np.abs(variance), offset),
        grads=True,
    )


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("factor", [1.0, 0.3])
def test_fused_batch_norm(training: bool, factor: float, rng: np.random.Generator) -> None:
    x, scale, offset, mean, variance = draw(rng, (4, 3, 5, 2), (2,), (2,), (2,), (2,), low=0.1)

    def program(tf: Any, x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
        nn = tf.nn if tf is tfpy else tf.compat.v1.nn
        more = {} if factor == 1.0 and training else {"mean": mean, "variance": variance}
        y, *rest = nn.fused_batch_norm(
            x, scale, offset, is_training=training, exponential_avg_factor=factor, **more
        )
        return [y, *[tf.stop_gradient(r) for r in rest]]

    arrays = (x, scale, offset, mean, variance)
    twin.check(program, *arrays, tolerance=3e-5, grads=training)


@pytest.mark.parametrize("radius", [1, 5])
@pytest.mark.parametrize("beta", [0.5, 0.75])
def test_local_response_normalization(radius: int, beta: float, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x: tf.nn.lrn(x, radius, bias=2, alpha=0.3, beta=beta),
        *draw(rng, (2, 3, 4, 7)),
        grads=True,
    )


SAME_SHAPE = [
    lambda tf, a, b: tf.nn.sigmoid_cross_entropy_with_logits(labels=a, logits=b),
    lambda tf, a, b: tf.nn.softmax_cross_entropy_with_logits(labels=a, logits=b),
    lambda tf, a, b: tf.nn.weighted_cross_entropy_with_logits(a, b, 2.5),
    lambda tf, a, b: tf.nn.log_poisson_loss(a, b),
]


@pytest.mark.parametrize("loss", SAME_SHAPE)
def test_losses(loss: Any, rng: np.random.Generator) -> None:
    labels, logits = draw(rng, (4, 5), (4, 5), low=0)
    twin.check(loss, labels / labels.sum(1, keepdims=True), logits, grads=loss is not SAME_SHAPE[1])
    twin.raises(loss, np.ones((2, 3), np.float32), np.ones((3, 5), np.float32))


def test_full_poisson_loss(rng: np.random.Generator) -> None:
    targets, logits = draw(rng, (4, 5), (4, 5), low=0)
    targets[0] = [0, 0.5, 1, 3, 7]
    twin.check(
        lambda tf, x: tf.nn.log_poisson_loss(tf.constant(targets), x, compute_full_loss=True),
        logits,
        grads=True,
    )


def test_activations(rng: np.random.Generator) -> None:
    (x,) = draw(rng, (3, 4))
    for name in [
        "crelu",
        "relu",
        "relu6",
        "elu",
        "selu",
        "leaky_relu",
        "softplus",
        "softsign",
        "gelu",
        "silu",
        "swish",
    ]:
        twin.check(lambda tf, x, n=name: getattr(tf.nn, n)(x), x, grads=True)
    for axis in (-1, 0, 1):
        twin.check(lambda tf, x, a=axis: tf.nn.softmax(x, a), x, grads=True)
        twin.check(lambda tf, x, a=axis: tf.nn.log_softmax(x, a), x, grads=True)
        twin.check(lambda tf, x, a=axis: tf.nn.crelu(x, a), x)
    twin.check(lambda tf, x: tf.nn.zero_fraction(tf.nn.relu(x)), x)
    twin.check(lambda tf, x: tf.nn.compute_average_loss(x[0], sample_weight=x[1]), x, grads=True)
    twin.check(lambda tf, x: tf.nn.compute_average_loss(x[0], global_batch_size=9), x)


@same
def test_losses_of_each_dtype(tf: Any) -> Any:
    """Check that weighted losses are cast back to their dtype before they are summed."""
    found = []
    for dtype in (tf.uint8, tf.int8, tf.int16, tf.uint16, tf.int32, tf.float16, tf.bfloat16):
        losses = tf.cast([2, 3], dtype)
        found += [
            tf.nn.compute_average_loss(losses),
            tf.nn.compute_average_loss(losses, [1.7, -1.3]),
            tf.nn.compute_average_loss(losses, [1.7, 1.3], 3),
            tf.nn.scale_regularization_loss(losses),
        ]
    return found


LOSSES = {
    "absolute_difference": "absolute_difference",
    "cosine_distance": "cosine_distance",
    "hinge_loss": "hinge_loss",
    "huber_loss": "huber_loss",
    "log_loss": "log_loss",
    "mean_squared_error": "mean_squared_error",
    "sigmoid_cross_entropy": "sigmoid_cross_entropy",
    "softmax_cross_entropy": "softmax_cross_entropy",
}
REDUCTIONS = ["none", "weighted_sum", "weighted_mean", "weighted_sum_by_nonzero_weights"]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_weighted_losses(name: str, reduction: str, rng: np.random.Generator) -> None:
    labels = np.eye(4, dtype=np.float32)[rng.integers(0, 4, 3)]
    x = rng.uniform(0.1, 0.9, (3, 4)).astype(np.float32)
    column = np.array([[0.5], [0.0], [2.0]], np.float32)
    weights: list[Any] = [1.0, 2.0, column]
    if name == "softmax_cross_entropy":
        weights[2] = column[:, 0]
    for weight in weights:

        def program(tf: Any, x: Any, weight: Any = weight) -> Any:
            losses = tf.compat.v1.losses
            more = {"axis": 1} if name == "cosine_distance" else {}
            return getattr(losses, name)(
                tf.constant(labels), x, weights=weight, reduction=reduction, **more
            )

        twin.check(program, x, grads=True, tolerance=2e-5)


@same
def test_weighted_losses_of_each_dtype(tf: Any) -> Any:
    """Check that cross entropies have the dtype of the logits and that other losses are float32."""
    x = np.array([[0.25, 0.75], [0.5, 0.125]], np.float32)
    losses = tf.compat.v1.losses
    return [
        loss(tf.constant(x, labels), tf.constant(2 * x, logits), weights=0.5).dtype.name
        for loss in (
            *(losses.sigmoid_cross_entropy, losses.softmax_cross_entropy, losses.huber_loss),
            *(losses.absolute_difference, losses.hinge_loss, losses.mean_squared_error),
        )
        for labels in (tf.float32, tf.float16)
        for logits in (tf.float32, tf.float16)
    ]


def test_label_smoothing_and_delta(rng: np.random.Generator) -> None:
    labels = np.eye(4, dtype=np.float32)[[0, 3, 2]]
    (x,) = draw(rng, (3, 4))

    def program(tf: Any, x: Any) -> Any:
        losses = tf.compat.v1.losses
        return [
            losses.sigmoid_cross_entropy(tf.constant(labels), x, label_smoothing=0.2),
            losses.softmax_cross_entropy(tf.constant(labels), x, label_smoothing=0.2),
            losses.huber_loss(tf.constant(labels), x, delta=0.4),
            losses.compute_weighted_loss(x, 3.0),
        ]

    twin.check(program, x, grads=True)


def test_errors_of_weighted_losses() -> None:
    ones = np.ones((2, 3), np.float32)

    twin.raises(lambda tf, x: tf.compat.v1.losses.mean_squared_error(x, x[:1]), ones)
    twin.raises(lambda tf, x: tf.compat.v1.losses.compute_weighted_loss(x, x[:, :2]), ones)
    twin.raises(
        lambda tf, x: tf.compat.v1.losses.compute_weighted_loss(x, 1.0, reduction="total"), ones
    )


def test_recurrent_cells(rng: np.random.Generator) -> None:
    """Compare with Keras's LSTM cell, which has another order of gates."""
    data, c, h, kernel, bias = draw(rng, (2, 3), (2, 4), (2, 4), (7, 16), (16,))
    got = tfpy.basic_lstm_cell(0.7, kernel, bias, data, c, h)
    i, j, f, o = (kernel[:, 4 * k : 4 * k + 4] for k in range(4))
    bi, bj, bf, bo = (bias[4 * k : 4 * k + 4] for k in range(4))
    cell = tensorflow.keras.layers.LSTMCell(4, unit_forget_bias=False)
    cell.build((2, 3))
    ordered = np.concatenate([i, f, j, o], 1)
    cell.set_weights([ordered[:3], ordered[3:], np.concatenate([bi, bf + 0.7, bj, bo])])
    _, (wanted_h, wanted_c) = cell(data, [h, c])
    np.testing.assert_allclose(got[0].numpy(), wanted_c, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got[1].numpy(), wanted_h, rtol=1e-5, atol=1e-6)

    wide = draw(rng, (8, 16))[0]
    cells = [
        lambda x, c, h: tfpy.basic_lstm_cell(0.7, kernel, bias, x, c, h),
        lambda x, c, h: tfpy.basic_lstm_cell(0.1, wide, bias, x, c, h),
    ]
    all_c, all_h = tfpy.multi_rnn_cell(cells, data, [c, c], [h, h])
    next_c, next_h = tfpy.basic_lstm_cell(0.1, wide, bias, got[1], c, h)
    np.testing.assert_allclose(all_c[1].numpy(), next_c.numpy(), rtol=1e-6)
    np.testing.assert_allclose(all_h[1].numpy(), next_h.numpy(), rtol=1e-6)
    np.testing.assert_allclose(all_h[0].numpy(), got[1].numpy(), rtol=1e-6)
    with pytest.raises(tfpy.errors.InvalidArgumentError):
        tfpy.basic_lstm_cell(0.7, kernel[:, :8], bias[:8], data, c, h)


def test_tfjs_activations() -> None:
    x = tfpy.constant([-2.0, 0.0, 3.0, float("nan")])
    np.testing.assert_array_equal(tfpy.step(x, 0.5).numpy(), [0.5, 0.5, 1, np.nan])
    np.testing.assert_array_equal(
        tfpy.prelu(x[:3], [0.1, 0.2, 0.3]).numpy(), np.float32([-0.2, 0, 3])
    )
    gx, ga = tfpy.grads(tfpy.prelu)([tfpy.constant([-2.0, 3.0]), tfpy.constant([0.5])])
    np.testing.assert_array_equal(gx.numpy(), [0.5, 1])
    np.testing.assert_array_equal(ga.numpy(), [-2])


def test_moving_average() -> None:
    v, x = tfpy.constant([1.0, 2.0]), tfpy.constant([3.0, 0.0])
    np.testing.assert_allclose(tfpy.moving_average(v, x, 0.75, zero_debias=False), [1.5, 1.5])
    np.testing.assert_allclose(tfpy.moving_average(v, x, 0.5, step=2), [7 / 3, 2 / 3], rtol=1e-6)
    with pytest.raises(ValueError, match="step"):
        tfpy.moving_average(v, x, 0.75)


@pytest.mark.parametrize("activation", ["linear", "relu", "relu6", "elu", "sigmoid", "leakyrelu"])
def test_fused(activation: str, rng: np.random.Generator) -> None:
    functions = {"linear": lambda x: x, "leakyrelu": tensorflow.nn.leaky_relu}
    finish = functions.get(activation) or getattr(tensorflow.nn, activation)
    x, f, depthwise, bias = draw(rng, (2, 5, 5, 3), (2, 2, 3, 3), (2, 2, 3, 1), (3,))
    a, b = draw(rng, (4, 5), (3, 5))
    pairs = [
        (
            tfpy.fused.conv2d(x, f, 1, "SAME", bias=bias, activation=activation),
            finish(tensorflow.nn.conv2d(x, f, 1, "SAME") + bias),
        ),
        (
            tfpy.fused.depthwise_conv2d(x, depthwise, 1, "SAME", bias=bias, activation=activation),
            finish(tensorflow.nn.depthwise_conv2d(x, depthwise, [1] * 4, "SAME") + bias),
        ),
        (
            tfpy.fused.mat_mul(a, b, transpose_b=True, bias=bias, activation=activation),
            finish(tensorflow.matmul(a, b, transpose_b=True) + bias),
        ),
    ]
    for got, wanted in pairs:
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-4, atol=1e-5)


def test_fused_prelu_and_errors(rng: np.random.Generator) -> None:
    a, b = draw(rng, (4, 5), (5, 3))
    got = tfpy.fused.mat_mul(a, b, activation="prelu", prelu_activation_weights=[0.1, 0.2, 0.3])
    wanted = np.where(a @ b > 0, a @ b, a @ b * np.float32([0.1, 0.2, 0.3]))
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-4, atol=1e-5)
    for activation in ("prelu", "tanhh"):
        with pytest.raises(ValueError, match=activation):
            tfpy.fused.mat_mul(a, b, activation=activation)


@same
def test_fused_batch_norm_of_float16(tf: Any) -> Any:
    """Check that only the normalized values are float16, and the vectors are checked."""
    x = tf.cast(np.linspace(-3, 5, 24).reshape(2, 2, 2, 3), tf.float16)
    norm = tf.compat.v1.nn.fused_batch_norm
    y, mean, variance = norm(x, [1.0, 2.0, 0.5], [0.0, 1.0, 0.0])
    wrong = error(lambda: norm(x, [1.0], [0.0]))
    return tf.cast(y, tf.float32), y.dtype.name, mean, variance, wrong
