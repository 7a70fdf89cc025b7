"""Integers in place of floats, floats in place of integers, and small integers as indices.

tfpy accepts and rejects them as TensorFlow does.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from api.same import error, same

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32")


@same
def test_integer_boxes_and_scores(tf: Any) -> Any:
    """Check that integers from Python and NumPy become floats and that integer tensors raise."""
    image, boxes, scores = tf.ones([1, 4, 4, 1]), [[0, 0, 1, 1], [0, 2, 1, 3]], [1, 2]
    found: list[Any] = []
    for b, s in ((boxes, scores), (np.array(boxes), np.array(scores, np.int16))):
        combined = tf.image.combined_non_max_suppression
        found += [
            tf.image.crop_and_resize(image, b, [0, 0], [2, 2]),
            tf.image.non_max_suppression(b, [0.5, 0.25], 2),
            tf.image.non_max_suppression(np.array(boxes, np.float32), s, 2),
            list(tf.image.non_max_suppression_with_scores(b, s, 2)),
            tf.image.non_max_suppression_overlaps(np.array([[1, 0], [0, 1]]), s, 2),
            list(combined(np.array(b)[None, :, None], np.array(s)[None, :, None], 2, 2)),
        ]
    halves = tf.cast(boxes, tf.float16), tf.cast(scores, tf.float16)
    found.append(tf.image.non_max_suppression(*halves, 2))
    found += tf.image.non_max_suppression_padded(tf.constant(boxes), [0.5, 0.25], 2)
    b, s = tf.constant(boxes), tf.constant(scores)
    return [
        *found,
        error(lambda: tf.image.crop_and_resize(image, b, [0, 0], [2, 2])),
        error(lambda: tf.image.non_max_suppression(b, s, 2)),
        error(lambda: tf.image.non_max_suppression_overlaps(b[:, :2], s, 2)),
        error(lambda: tf.image.non_max_suppression_padded(b, s, 2)),
    ]


@same
def test_likeness_of_integer_images(tf: Any) -> Any:
    a = (np.arange(2 * 24 * 24 * 3).reshape(2, 24, 24, 3) % 121).astype(np.uint8)
    halves = (0.5, 0.5)
    return [
        function(tf.cast(a, kind), tf.cast(a[::-1], kind), most, **options)
        for kind in ("uint8", "int32", "uint16")
        for most in (121, 120.5)
        for function, options in (
            (tf.image.psnr, {}),
            (tf.image.ssim, {}),
            (tf.image.ssim_multiscale, {"power_factors": halves, "filter_size": 5}),
        )
    ]


@same
def test_python_integers_of_functions_of_floats(tf: Any) -> Any:
    x = [[[3, 1, 2]]]
    gradient = tf.quantization.fake_quant_with_min_max_args_gradient
    loss = tf.compat.v1.losses.compute_weighted_loss
    return [
        tf.image.rgb_to_hsv(x),
        tf.image.hsv_to_rgb(x),
        tf.math.in_top_k([1, 0], [[3, 1], [3, 1]], 1),
        tf.nn.local_response_normalization([x]),
        gradient([1, 1], [-9, 1]),
        [loss(tf.cast([3, 5, 6], kind), [1.0, 0.0, 2.0]) for kind in (*INTEGERS, "float16")],
    ]


@same
def test_small_integers_as_indices(tf: Any) -> Any:
    def at(*values: Any) -> Any:
        return tf.constant([*values], tf.int16)

    return [
        tf.gather([8, 1, 2], at(1, 0)),
        tf.gather_nd([8, 1, 2], at([1], [0])),
        tf.gather_nd([[8, 1, 2]], at([1]), batch_dims=1),
        tf.math.unsorted_segment_sum([1, 2], at(1, 0), 3),
        error(lambda: tf.math.unsorted_segment_max([1, 2], at(1, 0), 3)),
        error(lambda: tf.gather_nd([8, 1, 2], tf.constant([[1]], tf.int8))),
    ]


@same
def test_floats_as_sizes_of_windows(tf: Any) -> Any:
    """Check that attributes truncate floats and that sizes of shapes must be integers."""
    x, f, line = tf.ones([1, 6, 6, 1]), tf.ones([2, 2, 1, 1]), tf.ones([1, 6, 1])
    ones = [1, 1, 1, 1]
    return [
        [
            tf.image.extract_patches(x, (1, n, n, 1), (1, n, n, 1), ones, "VALID"),
            tf.image.extract_patches(x, (1, 2, 2, 1), ones, (1, n, n, 1), "VALID"),
            tf.nn.max_pool2d(x, n, [1, n, n, 1], "VALID"),
            tf.nn.avg_pool2d(x, [n, n], n, "VALID"),
            tf.nn.conv2d(x, f, n, "VALID"),
            tf.nn.conv2d(x, f, 1, "VALID", dilations=n),
            tf.nn.depthwise_conv2d(x, f, [1, n, n, 1], "VALID"),
            tf.nn.conv1d(line, tf.ones([2, 1, 1]), n, "VALID"),
            tf.nn.erosion2d(x, tf.ones([2, 2, 1]), [1, n, n, 1], "VALID", "NHWC", ones),
            tf.nn.local_response_normalization(x, n),
        ]
        for n in (2.0, 2.5, np.float32(2))
    ]


@same
def test_convolution_of_integers(tf: Any) -> Any:
    """Check that convolutions of int32 wrap around."""
    rng = np.random.default_rng(0)

    def x(*shape: int, most: int = 9) -> Any:
        return tf.constant(rng.integers(-most, most, shape), tf.int32)

    return [
        tf.nn.conv2d(x(2, 5, 6, 3), x(2, 3, 3, 4), 2, "SAME"),
        tf.nn.conv2d(x(2, 5, 6, 3), x(2, 3, 3, 4), 1, "VALID", dilations=2),
        tf.nn.conv2d(x(2, 5, 6, 3), x(2, 3, 3, 4), [1, 2], [[0, 0], [1, 1], [0, 2], [0, 0]]),
        tf.nn.conv2d(x(2, 5, 6, 4), x(2, 3, 2, 4), 1, "SAME"),
        tf.nn.conv2d(x(1, 4, 4, 3, most=10**6), x(2, 3, 3, 4, most=10**6), 2, "SAME"),
        tf.nn.conv1d(x(2, 6, 3), x(2, 3, 4), 2, "SAME"),
        tf.nn.conv2d_transpose(x(2, 3, 4, 4), x(2, 3, 3, 4), [2, 6, 8, 3], 2),
        tf.nn.conv2d_transpose(x(2, 3, 4, 4), x(4, 3, 3, 4), [2, 8, 9, 3], 2, "VALID"),
        tf.nn.conv1d_transpose(x(2, 6, 3), x(2, 4, 3), [2, 12, 4], 2),
        tf.function(lambda a, f: tf.nn.conv2d(a, f, 2, "SAME"))(x(2, 5, 6, 3), x(2, 3, 3, 4)),
        error(lambda: tf.nn.conv2d(x(2, 5, 6, 3), x(2, 3, 2, 4), 1, "SAME")),
        error(lambda: tf.nn.conv3d(x(1, 4, 4, 4, 3), x(2, 2, 2, 3, 4), [1] * 5, "SAME")),
        error(lambda: tf.nn.depthwise_conv2d(x(2, 5, 6, 3), x(2, 3, 3, 4), [1] * 4, "SAME")),
    ]


@same
def test_counts_of_parts_and_repeats(tf: Any) -> Any:
    x = tf.ones([4])
    return [
        *(tf.repeat(3, n, axis=axis) for n in (4, [4]) for axis in (0, -1)),
        *(error(lambda n=n: tf.repeat(3, n, axis=0)) for n in ([2, 3], -1)),
        *(error(lambda axis=axis: tf.repeat([1, 2], 2, axis=axis)) for axis in (1, -2)),
        tf.split(x, [1, 3], num=2),
        tf.split(x, 2, num=3),
        error(lambda: tf.split(x, [1, 3], num=3)),
    ]


@same
def test_base64_of_ragged_strings(tf: Any) -> Any:
    rows = tf.ragged.constant([["ab", "c"], ["d"]])
    encoded = tf.io.encode_base64(rows)
    return [encoded, tf.io.encode_base64(rows, pad=True), tf.io.decode_base64(encoded)]


@same
def test_lists_without_elements(tf: Any) -> Any:
    """Convert empty lists to integers or strings where a function has no float default."""
    words, none = tf.strings, np.zeros([0, 3], np.float32)
    return [
        tf.one_hot([], 3),
        tf.one_hot([[]], 3),
        tf.function(lambda: tf.one_hot([], 2, axis=0))(),
        tf.math.invert_permutation([]),
        tf.math.in_top_k([], none, 1),
        words.length([]),
        *(function([[]]) for function in (words.lower, words.upper, words.strip)),
        error(lambda: tf.one_hot([0.5], 3)),
        error(lambda: tf.one_hot(tf.zeros([0]), 3)),
        error(lambda: tf.math.invert_permutation(tf.zeros([0]))),
        tf.math.invert_permutation(none[:, 0]),
        tf.one_hot(none, 2),
    ]


@same
def test_numbers_beyond_float32(tf: Any) -> Any:
    """Check that numbers beyond float32 become infinite without a warning."""
    edges = tf.constant([-1e38, 3e38])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return [
            tf.ones([2]) * [1e300, 2.0],
            tf.ones([2]) * 1e300,
            tf.histogram_fixed_width(tf.constant([3e38, 100.0]), edges, 4),
        ]


@same
def test_integers_beyond_unsigned_dtypes(tf: Any) -> Any:
    """Check that integers from Python and NumPy wrap around, alone and combined with a tensor."""
    found: list[Any] = []
    for dtype in (tf.uint8, tf.uint16, tf.uint32):
        x = tf.constant([3, 7], dtype)
        for n in (-2, [5, -(2**40) - 1], 2**33 + 1, np.array([-3, 2**33]), -(2**63)):
            found += [tf.constant(n, dtype), x + n, tf.maximum(n, x), tf.equal(x, n)]
        found += [
            tf.function(lambda x: x * -2)(x),
            error(lambda d=dtype: tf.constant(2**63, d)),
            error(lambda d=dtype: tf.constant([-(2**63) - 1], d)),
        ]
    return found
