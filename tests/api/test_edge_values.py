"""Edge values: empty batches, zero weights, overflow, ties and points without a slope."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest
from api.same import error, same

import tfpy


@same
def test_products_of_int8_in_int32(tf: Any) -> Any:
    a, b = tf.constant([[100, 100]], tf.int8), tf.constant([[2], [3]], tf.int8)
    u = tf.constant([[200, 200]], tf.uint8)
    return [
        tf.matmul(a, b, output_type=tf.int32),
        tf.matmul(tf.stack([a, a]), tf.stack([b, b]), output_type=tf.int32),
        tf.matmul(a, b, transpose_a=True, transpose_b=True, output_type=tf.int32),
        tf.matmul(u, tf.constant([[2], [3]], tf.uint8), output_type=tf.int32),
        tf.matmul(a, tf.constant([[2], [3]], tf.uint8), output_type=tf.int32),
        tf.matmul([[1.0]], [[2.0]], output_type=tf.float32),
        error(lambda: tf.matmul(a, b)),
    ]


@same
def test_weighted_moments(tf: Any) -> Any:
    x, weights = tf.ones([2, 3]), tf.zeros([2, 1])
    with tf.GradientTape() as tape:
        tape.watch([x, weights])
        moments = tf.nn.weighted_moments(x, [0], weights)
    rows = tf.reshape(tf.range(6.0), [2, 3])
    return [
        moments,
        tape.gradient(moments, [x, weights]),
        tf.nn.weighted_moments(rows, [0], [[1.0], [3.0]], keepdims=True),
        tf.nn.weighted_moments(rows, [0, 1], [[1.0, 2.0, 0.0]]),
    ]


@same
def test_average_loss(tf: Any) -> Any:
    loss = tf.constant([1.0, 2.0])
    return [
        tf.nn.compute_average_loss(loss, global_batch_size=0),
        tf.nn.compute_average_loss(loss, global_batch_size=4),
        tf.nn.compute_average_loss(loss, sample_weight=[1.0, 0.5]),
        tf.nn.scale_regularization_loss(loss),
        error(lambda: tf.nn.compute_average_loss(tf.constant(2.0))),
        error(lambda: tf.nn.compute_average_loss(loss, global_batch_size=-1)),
        error(lambda: tf.nn.compute_average_loss(loss, global_batch_size=1.5)),
    ]


@same
def test_tolerance_of_a_rank(tf: Any) -> Any:
    x = tf.stack([tf.linalg.diag([1.0, 0.5, 0.1])] * 3)
    return [
        tf.linalg.matrix_rank(x, tol=tf.constant([[0.2], [0.7], [2.0]])),
        tf.linalg.matrix_rank(x, tol=tf.constant([0.2, 0.7, 2.0])),
        tf.linalg.matrix_rank(x, tol=0.2),
        tf.linalg.matrix_rank(x[0], tol=0.2),
    ]


@same
def test_determinants_that_are_not_finite(tf: Any) -> Any:
    inf, nan = math.inf, math.nan
    matrices = [
        [[0.0, 0.0], [0.0, inf]], [[nan, 1.0], [2.0, 3.0]], [[inf, 0.0], [0.0, 0.0]],
        [[inf, 1.0], [1.0, 1.0]], [[inf, 0.0], [0.0, 1.0]], [[1.0, inf], [0.0, 1.0]],
        [[0.0, inf], [0.0, 1.0]], [[0.0, 1.0], [inf, 0.0]], [[1.0, 2.0], [3.0, 4.0]],
    ]  # fmt: skip
    return [
        tf.linalg.det(matrices),
        tf.linalg.slogdet(matrices),
        tf.linalg.det([[0.0, 0.0, 0.0], [0.0, nan, 1.0], [0.0, 1.0, 1.0]]),
        tf.linalg.det(tf.zeros([2, 0, 0])),
    ]


@same
def test_embeddings_in_parts(tf: Any) -> Any:
    parts = [tf.constant([[1.0], [2.0], [5.0]]), tf.constant([[3.0], [4.0]])]
    variables = [tf.Variable(p) for p in parts]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(variables, [4, 0, 0]) ** 2)
    return [
        tf.nn.embedding_lookup(parts, [4, 0]),
        tf.nn.embedding_lookup(parts, [[3, 0], [1, 2]], max_norm=1.5),
        tf.nn.embedding_lookup([parts[0]], [1, 0]),
        tf.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1]),
        tf.nn.embedding_lookup(tf.reshape(tf.range(24.0), [4, 2, 3]), [1, 3], max_norm=2.0),
        [tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)],
        error(lambda: tf.nn.embedding_lookup([], [1])),
        error(lambda: tf.nn.embedding_lookup(None, [1])),
    ]


@same
def test_clipping_indexed_slices(tf: Any) -> Any:
    some = tf.IndexedSlices(tf.constant([1.0, -2.0]), tf.constant([3, 4]))
    known = tf.IndexedSlices(tf.constant([[1.0, -2.0]]), tf.constant([3]), tf.constant([4, 2]))
    return [
        tf.clip_by_value(some, -1.0, 0.5),
        tf.clip_by_value(known, -1.0, 0.5).dense_shape,
        tf.clip_by_norm(some, 1.0),
        tf.clip_by_global_norm([tf.constant([[-2.0, 0.0]]), some, None], 1.0),
        tf.clip_by_global_norm([known], 1.0),
        tf.linalg.global_norm([some, known]),
    ]


COLORS = [
    [0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.2, 0.4, 0.6], [0.3, 0.3, 0.1],
    [0.1, 0.3, 0.3], [0.3, 0.1, 0.3], [0.1, 0.3, 0.1], [0.1, 0.1, 0.3], [0.3, 0.1, 0.1],
    [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.9, 0.2, 0.7], [0.2, 0.9, 0.7], [0.7, 0.2, 0.9],
]  # fmt: skip


@same
def test_gradient_of_hues_between_equal_channels(tf: Any) -> Any:
    found = []
    for seed in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [3.0, 5.0, 7.0]):
        x = tf.constant(COLORS)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.image.rgb_to_hsv(x) * seed
        found.append([y, tape.gradient(y, x)])
    return found


@same
def test_second_derivatives_that_are_zero(tf: Any) -> Any:
    image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    programs = [
        (tf.nn.leaky_relu, [-1.5, 0.5, 2.0, 7.0]),
        (lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"), image),
        (lambda x: tf.nn.max_pool1d(x[:, :, :, 0], 2, 2, "SAME"), image),
        (lambda x: tf.nn.max_pool3d(x[..., None], [2, 2, 1], [2, 2, 1], "SAME"), image),
    ]
    found = []
    for program, values in programs:
        x = tf.constant(values)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = program(x)
            slope = inner.gradient(y, x)
        found.append([slope, outer.gradient(slope, x)])
    return found


@same
def test_seeds_are_taken_back(tf: Any) -> Any:
    tf.random.set_seed(5)
    first = tf.random.uniform([4])
    tf.random.set_seed(None)
    again = tf.random.uniform([4])
    return bool(tf.reduce_all(first == again))


@same
def test_the_dtype_of_no_tensors(tf: Any) -> Any:
    same_dtype = tf.debugging.assert_same_float_dtype
    return [
        same_dtype([None, None], None),
        same_dtype([None, tf.constant([1.0], tf.float16)]),
        same_dtype(None, tf.float16),
        error(lambda: same_dtype([None, tf.constant(1)])),
    ]


ONES = [1, 1, 1, 1]
X4 = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)


def test_windows_that_are_larger_than_the_image() -> None:
    """Check that large windows have the result shapes of TensorFlow's plain kernels.

    Its oneDNN kernels return other results.
    """
    tf = tfpy
    volume = X4.reshape(1, 2, 2, 4, 1)
    ones = tf.ones
    programs: list[tuple[Any, Any, tuple[int, ...]]] = [
        (lambda x: tf.nn.conv2d(x, ones([5, 5, 1, 2]), 1, "VALID"), X4, (1, 0, 0, 2)),
        (lambda x: tf.nn.conv2d(x, ones([7, 7, 1, 2]), 2, "VALID"), X4, (1, 0, 0, 2)),
        (
            lambda x: tf.nn.depthwise_conv2d(x, ones([5, 5, 1, 2]), ONES, "VALID"),
            X4,
            (1, 0, 0, 2),
        ),
        (lambda x: tf.nn.conv1d(x[..., 0], ones([5, 4, 2]), 1, "VALID"), X4, (1, 0, 2)),
        (
            lambda x: tf.nn.conv3d(x, ones([3, 3, 3, 1, 1]), [1] * 5, "VALID"),
            volume,
            (1, 0, 0, 2, 1),
        ),
        (lambda x: tf.nn.max_pool2d(x, 5, 2, "VALID"), X4, (1, 0, 0, 1)),
        (lambda x: tf.nn.avg_pool1d(x[..., 0], 5, 1, "VALID"), X4, (1, 0, 4)),
        (lambda x: tf.nn.max_pool3d(x, 3, 1, "VALID"), volume, (1, 0, 0, 2, 1)),
        (lambda x: tf.nn.max_pool_with_argmax(x, 5, 1, "VALID")[0], X4, (1, 0, 0, 1)),
        (
            lambda x: tf.image.extract_patches(x, [1, 5, 5, 1], ONES, ONES, "VALID"),
            X4,
            (1, 0, 0, 25),
        ),
        (
            lambda x: tf.nn.dilation2d(x, tf.zeros([5, 5, 1]), ONES, "VALID", "NHWC", ONES),
            X4,
            (1, 0, 0, 1),
        ),
    ]
    for program, values, shape in programs:
        x = tf.constant(values)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        assert y.shape == shape
        np.testing.assert_array_equal(tape.gradient(y, x), np.zeros_like(values))
    for size, stride in ((6, 1), (8, 2), (9, 2)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="window extends over"):
            tf.nn.conv2d(X4, tf.ones([size, size, 1, 2]), stride, "VALID")


def test_errors_name_the_function_that_was_called() -> None:
    refused = tfpy.errors.InvalidArgumentError
    labels = tfpy.nn.sparse_softmax_cross_entropy_with_logits
    with pytest.raises(refused, match=r"labels\[0\] = 5 is not in \[0, 2\)"):
        labels([5], [[1.0, 2.0]])
    with pytest.raises(refused, match="softmax: logits has dtype int32"):
        tfpy.nn.softmax([1, 2])
    with pytest.raises(refused, match="log_softmax: logits has dtype int32"):
        tfpy.nn.log_softmax([1, 2])
    with pytest.raises(TypeError, match=r"convert the number with tf\.strings\.as_string"):
        tfpy.equal(tfpy.constant("a"), 1)
    with pytest.raises(refused, match=r"tf\.strings\.as_string or tf\.strings\.to_number"):
        tfpy.constant("a") + tfpy.constant(1)


@same
def test_variables_of_open_shape(tf: Any) -> Any:
    v = tf.Variable([[1.0]], shape=tf.TensorShape(None))
    w = tf.Variable([[1.0, 2.0]], shape=[None, 2])
    before = [v.shape, w.shape, repr(v), repr(w)]
    v.assign(tf.zeros([2, 2]))
    v.assign([1.0])
    w.assign(tf.ones([3, 2]))
    return [
        before,
        [v.shape, v, v * 2.0, tf.shape(v)],
        [w.shape, w, w[0], w.assign_add(tf.ones([3, 2])).numpy(), w.get_shape()],
        error(lambda: w.assign([[1.0]])),
        error(lambda: w.assign(tf.ones([1, 2], tf.int32))),
        error(lambda: tf.Variable([[1.0, 2.0]], shape=[None, 3])),
        copy.deepcopy(w).shape,
    ]


@pytest.mark.filterwarnings("ignore:tf.function")  # runs eagerly here
@same
def test_functions_of_variables_of_open_shape(tf: Any) -> Any:
    v = tf.Variable([1.0], shape=[None])

    @tf.function
    def doubled() -> Any:
        return v * 2.0

    @tf.function
    def grown() -> Any:
        v.assign(tf.concat([v, [5.0]], 0))
        return tf.reduce_sum(v)

    found = [doubled(), grown(), grown(), doubled()]
    v.assign([])
    return [found, doubled(), v]


@same
def test_reading_outside_of_a_tensor(tf: Any) -> Any:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [
        tf.gather_nd(x, [[0], [7], [-1]], bad_indices_policy="IGNORE"),
        tf.gather_nd(x, [[1, 1], [1, 2], [2, 0]], bad_indices_policy="IGNORE"),
        tf.gather_nd(["a", "b"], [[1], [2]], bad_indices_policy="IGNORE"),
        error(lambda: tf.gather_nd(x, [[7]])),
        error(lambda: tf.one_hot([0], 2, on_value=tf.constant(1.0), dtype=tf.int32)),
        tf.one_hot([0, 1], 2, on_value=5, off_value=tf.constant(2)),
    ]


def test_filters_without_elements() -> None:
    """Check that a filter without elements raises an error.

    A filter without outputs returns an empty result. TensorFlow's oneDNN kernels reject both. Its
    other kernels compute nothing.
    """
    x = tfpy.ones([2, 5, 5, 3])
    for convolve in (tfpy.nn.conv2d, tfpy.nn.depthwise_conv2d):
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="filter"):
            convolve(x, tfpy.zeros([0, 3, 3, 2]), [1] * 4, "SAME")
    assert tfpy.nn.conv2d(x, tfpy.zeros([3, 3, 3, 0]), 1, "SAME").shape == (2, 5, 5, 0)


@same
def test_boxes_that_overlap_by_the_threshold(tf: Any) -> Any:
    boxes = tf.constant([[0.0, 0.5, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]])
    scores = tf.constant([0.9, 0.8, 0.7])
    chosen = tf.image.non_max_suppression_padded
    return [
        tf.image.non_max_suppression(boxes, scores, 3),
        chosen(boxes, scores, 3),
        chosen(boxes, scores, 3, pad_to_max_output_size=True),
        chosen(boxes[None], scores[None], 3, pad_to_max_output_size=True),
        error(lambda: chosen(boxes[None], scores[None], 3)),
    ]


@same
def test_ragged_values_of_one_hot_and_bitcast(tf: Any) -> Any:
    rows = tf.ragged.constant([[0, 1], [2]])
    return [
        tf.one_hot(rows, 3, axis=2),
        tf.bitcast(rows, tf.float32),
        error(lambda: tf.one_hot(rows, 3, axis=1)),
        error(lambda: tf.math.confusion_matrix([1], [0], -2)),
    ]
