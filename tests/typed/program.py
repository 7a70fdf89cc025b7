"""A program that calls 200 public functions, for type checkers in strict mode.

`build.py check` runs mypy and pyright on it, and `test_program.py` runs the program.
"""

from __future__ import annotations

import numpy as np

import tfpy as tf
from tfpy.typing import Axis, DTypeLike, ShapeLike, TensorLike

VECTOR = [0.5, -1.0, 2.0]
MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)


def total(values: TensorLike, axis: Axis = None, dtype: DTypeLike = "float32") -> tf.Tensor:
    """Return the sum of values in a dtype."""
    return tf.reduce_sum(tf.cast(values, dtype), axis)


def filled(shape: ShapeLike, value: float) -> tf.Tensor:
    """Return a tensor of equal values."""
    return tf.fill(shape, value)


def increased(x: tf.Tensor) -> tf.Tensor:
    """Return a tensor with 1 added to each element."""
    return x + 1.0


def elementwise() -> list[tf.Tensor]:
    x, y = tf.constant(VECTOR), tf.constant([2.0, 3.0, 0.25])
    unit = tf.constant([0.1, 0.5, 0.9])
    return [
        *(tf.abs(x), tf.add(x, y), tf.subtract(x, 1.0), tf.multiply(x, y), tf.divide(x, y)),
        *(tf.negative(x), tf.square(x), tf.sqrt(y), tf.exp(x), tf.pow(y, 2.0), tf.sign(x)),
        *(tf.sin(x), tf.cos(x), tf.tan(x), tf.asin(unit), tf.acos(unit), tf.atan(x), tf.sinh(x)),
        *(tf.cosh(x), tf.tanh(x), tf.asinh(x), tf.acosh(y + 1.0), tf.atanh(unit), tf.round(x)),
        *(tf.floor(x), tf.maximum(x, y), tf.minimum(x, 0.0), tf.atan2(y, x), tf.sigmoid(x)),
        *(tf.math.log(y), tf.math.log1p(y), tf.math.expm1(x), tf.math.rsqrt(y), tf.math.erf(x)),
        *(tf.math.erfc(x), tf.math.lgamma(y), tf.math.digamma(y), tf.math.reciprocal(y)),
        *(tf.math.softplus(x), tf.math.ceil(x), tf.math.rint(x), tf.math.squared_difference(x, y)),
        *(tf.math.floormod(x, y), tf.math.xlogy(x, y), tf.math.divide_no_nan(x, y)),
        *(tf.math.multiply_no_nan(x, y), tf.math.igamma(y, y), tf.math.betainc(y, y, unit)),
        *(tf.clip_by_value(x, -1.0, 1.0), tf.add_n([x, y]), tf.scalar_mul(2.0, x)),
    ]


def comparisons() -> list[tf.Tensor]:
    x, y = tf.constant([1, 2, 3]), tf.constant([3, 2, 1])
    yes = tf.constant([True, False, True])
    return [
        *(tf.equal(x, y), tf.not_equal(x, y), tf.less(x, y), tf.less_equal(x, 2)),
        *(tf.greater(x, y), tf.greater_equal(x, y), tf.logical_and(yes, yes)),
        *(tf.logical_or(yes, False), tf.logical_not(yes), tf.math.logical_xor(yes, yes)),
        *(tf.math.is_nan(VECTOR), tf.math.is_inf(VECTOR), tf.math.is_finite(VECTOR)),
        *(tf.bitwise.bitwise_and(x, y), tf.bitwise.bitwise_or(x, y), tf.bitwise.bitwise_xor(x, y)),
        *(tf.bitwise.left_shift(x, 1), tf.bitwise.right_shift(x, 1), tf.where(yes, x, y)),
    ]


def reductions() -> list[tf.Tensor]:
    x = tf.constant(MATRIX)
    return [
        *(tf.reduce_sum(x), tf.reduce_mean(x, 0), tf.reduce_max(x, axis=[0, 1])),
        *(tf.reduce_min(x, -1, keepdims=True), tf.reduce_prod(x), tf.reduce_logsumexp(x)),
        *(tf.reduce_all(x > 0.0), tf.reduce_any(x > 3.0), tf.math.reduce_std(x)),
        *(tf.math.reduce_variance(x), tf.math.reduce_euclidean_norm(x), tf.argmax(x, 1)),
        *(tf.argmin(x), tf.cumsum(x), tf.math.cumprod(x), tf.math.count_nonzero(x)),
        *(tf.math.segment_sum(VECTOR, [0, 0, 1]), tf.math.segment_mean(VECTOR, [0, 0, 1])),
        *(tf.math.unsorted_segment_max(VECTOR, [0, 1, 0], 2), tf.math.bincount([1, 1, 2])),
        *(tf.math.top_k(VECTOR, 2).values, tf.math.in_top_k([1], [[0.1, 0.9]], 1)),
        total(VECTOR),
    ]


def arrays() -> list[tf.Tensor]:
    x = tf.reshape(tf.range(6), [2, 3])
    return [
        *(tf.zeros([2]), tf.ones([2, 2], "int32"), tf.zeros_like(x), tf.ones_like(x), tf.eye(2)),
        *(filled([2, 2], 1.5), tf.linspace(0.0, 1.0, 3), tf.transpose(x), tf.expand_dims(x, 0)),
        *(tf.squeeze(x[None]), tf.concat([x, x], 0), tf.stack([x, x]), tf.unstack(x)[0]),
        *(tf.split(x, 3, axis=1)[0], tf.tile(x, [1, 2]), tf.repeat(x, 2, axis=0)),
        *(tf.pad(x, [[1, 1], [0, 0]]), tf.reverse(x, [0]), tf.roll(x, 1, 0), tf.gather(x, [1])),
        *(tf.gather_nd(x, [[0, 1]]), tf.slice(x, [0, 0], [1, 2]), tf.boolean_mask(x, x > 2)),
        *(tf.scatter_nd([[0]], [5], [3]), tf.tensor_scatter_nd_update(x, [[0, 0]], [9])),
        *(tf.tensor_scatter_nd_add(x, [[0, 0]], [9]), tf.one_hot([0, 1], 2), tf.rank(x)),
        *(tf.shape(x), tf.size(x), tf.identity(x), tf.broadcast_to(x, [2, 2, 3]), tf.sort(x)),
        *(tf.argsort(x), tf.unique([1, 1, 2]).y, tf.searchsorted([1, 2, 3], [2])),
        *(tf.sequence_mask([1, 2]), tf.meshgrid([1, 2], [3])[0], tf.bitcast([1.0], tf.int32)),
        *(tf.saturate_cast(VECTOR, tf.int32), tf.dynamic_partition(x, [0, 1], 2)[0]),
        *(tf.convert_to_tensor(MATRIX), tf.stop_gradient(x), tf.ensure_shape(x, [2, None])),
        *(tf.space_to_batch([[[[1]], [[2]]], [[[3]], [[4]]]], [1, 1], [[0, 0], [0, 0]]),),
    ]


def linear_algebra() -> list[tf.Tensor]:
    a, b = tf.constant(MATRIX), tf.constant([[1.0], [2.0]])
    return [
        *(tf.matmul(a, b), tf.tensordot(a, a, 1), tf.einsum("ij,jk->ik", a, a), tf.norm(a)),
        *(tf.linalg.matvec(a, [1.0, 2.0]), tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.trace(a)),
        *(tf.linalg.cholesky(a), tf.linalg.solve(a, b), tf.linalg.qr(a).q, tf.linalg.svd(a)[0]),
        *(tf.linalg.eigh(a)[0], tf.linalg.diag([1.0, 2.0]), tf.linalg.diag_part(a)),
        *(tf.linalg.band_part(a, 0, -1), tf.linalg.lstsq(a, b), tf.linalg.expm(a)),
        *(tf.linalg.matrix_transpose(a), tf.linalg.triangular_solve(a, b), tf.linalg.logdet(a)),
        *(tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), tf.linalg.normalize(a)[0]),
    ]


def networks() -> list[tf.Tensor]:
    images, filters = tf.ones([1, 4, 4, 2]), tf.ones([3, 3, 2, 4])
    scores, labels = tf.constant([[1.0, 2.0]]), tf.constant([[0.0, 1.0]])
    return [
        *(tf.nn.relu(VECTOR), tf.nn.relu6(VECTOR), tf.nn.elu(VECTOR), tf.nn.selu(VECTOR)),
        *(tf.nn.gelu(VECTOR), tf.nn.leaky_relu(VECTOR), tf.nn.softmax(VECTOR)),
        *(tf.nn.log_softmax(VECTOR), tf.nn.swish(VECTOR), tf.nn.softsign(VECTOR)),
        *(tf.nn.conv2d(images, filters, 1, "SAME"), tf.nn.max_pool2d(images, 2, 2, "VALID")),
        *(tf.nn.avg_pool2d(images, 2, 2, "VALID"), tf.nn.bias_add(images, [1.0, 2.0])),
        *(tf.nn.depthwise_conv2d(images, tf.ones([3, 3, 2, 1]), [1, 1, 1, 1], "SAME"),),
        *(tf.nn.dropout(scores, 0.5, seed=1), tf.nn.l2_loss(scores), tf.nn.moments(scores, [1])[0]),
        *(tf.nn.batch_normalization(scores, 0.0, 1.0, None, None, 1e-3),),
        *(tf.nn.softmax_cross_entropy_with_logits(labels, scores),),
        *(tf.nn.sparse_softmax_cross_entropy_with_logits([1], scores),),
        *(tf.nn.sigmoid_cross_entropy_with_logits(labels, scores),),
        *(tf.nn.embedding_lookup(MATRIX, [0, 1]), tf.nn.l2_normalize(scores, 1)),
    ]


def others() -> list[tf.Tensor]:
    image = tf.ones([4, 4, 3])
    words = tf.constant(["red", "green"])
    return [
        *(tf.random.uniform([2], seed=1), tf.random.normal([2], seed=1), tf.random.shuffle([1, 2])),
        *(tf.random.truncated_normal([2]), tf.random.stateless_uniform([2], seed=[1, 2])),
        *(tf.random.stateless_normal([2], seed=[1, 2]), tf.random.categorical([[0.5, 0.5]], 2)),
        *(tf.image.resize(image, [2, 2]), tf.image.flip_left_right(image)),
        *(tf.image.rgb_to_grayscale(image), tf.image.adjust_brightness(image, 0.1)),
        *(tf.image.central_crop(image, 0.5), tf.image.rot90(image), tf.image.rgb_to_hsv(image)),
        *(tf.signal.rfft(VECTOR), tf.signal.hann_window(4), tf.signal.frame(VECTOR, 2, 1)),
        *(tf.strings.join(["a", "b"]), tf.strings.length(words), tf.strings.upper(words)),
        *(tf.strings.lower(words), tf.strings.substr(words, 0, 2), tf.strings.to_number(["1"])),
        *(tf.strings.regex_replace(words, "e", "a"), tf.as_string([1, 2])),
        *(tf.complex(1.0, 2.0), tf.math.real(1 + 2j), tf.math.imag(1 + 2j), tf.math.conj(1 + 2j)),
        *(tf.io.decode_base64(tf.io.encode_base64("text")), tf.timestamp()),
        *(tf.cond(tf.constant(True), lambda: image, lambda: 2.0 * image),),
        *(tf.map_fn(increased, tf.constant(VECTOR)),),
    ]


def gradient() -> tf.Tensor:
    """Return the gradient of a compiled function."""

    @tf.function
    def loss(w: tf.Variable) -> tf.Tensor:
        return tf.reduce_mean(tf.square(w))

    w = tf.Variable(VECTOR)
    with tf.GradientTape() as tape:
        value: tf.Tensor = loss(w)
    found: tf.Tensor = tape.gradient(value, w)
    return found


def main() -> int:
    """Return the number of results."""
    parts = [elementwise(), comparisons(), reductions(), arrays(), linear_algebra(), networks()]
    return sum(map(len, [*parts, others(), [gradient()]]))
