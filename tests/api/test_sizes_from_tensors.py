"""Tensors as sizes, axes, counts and other numbers that determine shapes, eager and traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same

import tfpy

IMAGE = np.arange(16, dtype=np.float32).reshape(4, 4, 1)

PROGRAMS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "eye": (lambda tf, n: tf.eye(n), [2]),
    "reshape to floats": (lambda tf, n: tf.reshape(tf.ones([9]), (n[0], n[1], 1)), [[3.0, 3.9]]),
    "eye of a shape": (lambda tf, x: tf.eye(tf.shape(x)[0]), [[1.0, 2.0]]),
    "eye columns": (lambda tf, n: tf.eye(num_rows=n, num_columns=3), [2]),
    "eye batch": (lambda tf, n: tf.eye(2, batch_shape=[n]), [2]),
    "linspace": (lambda tf, n: tf.linspace(0.0, 1.0, n), [3]),
    "linspace axis": (lambda tf, n: tf.linspace([0.0, 1.0], [1.0, 2.0], 3, axis=n), [1]),
    "range": (lambda tf, a, b, c: tf.range(a, b, c), [1.0, 2.0, 0.25]),
    "reshape to rounded": (lambda tf, n: tf.reshape(tf.ones([6]), (n, 3)), [2.9]),
    "zeros of rounded": (lambda tf, n: tf.zeros((n, 2)), [3.0]),
    "tile by rounded": (lambda tf, n: tf.tile([[1, 2]], (n, 1)), [2.5]),
    "one_hot": (lambda tf, n: tf.one_hot([0, 1], n), [3]),
    "top_k": (lambda tf, n: tf.math.top_k([1.0, 2.0], n).values, [1]),
    "in_top_k": (lambda tf, n: tf.math.in_top_k([1], [[0.1, 0.9]], n), [1]),
    "split axis": (lambda tf, n: tf.split(tf.ones([2, 4]), 2, n), [1]),
    "argmax": (lambda tf, n: tf.argmax([[1, 2]], n), [1]),
    "cumsum": (lambda tf, n: tf.cumsum([1, 2], n), [0]),
    "cumprod": (lambda tf, n: tf.math.cumprod([1, 2], n), [0]),
    "concat": (lambda tf, n: tf.concat([[1], [2]], n), [0]),
    "gather": (lambda tf, n: tf.gather([[1, 2]], [1], axis=n), [1]),
    "boolean_mask": (lambda tf, n: tf.boolean_mask([1, 2], [True, False], axis=n), [0]),
    "crelu": (lambda tf, n: tf.nn.crelu([-1.0], axis=n), [0]),
    "slice bound": (lambda tf, n: tf.constant([1, 2, 3])[n:], [1]),
    "pad": (lambda tf, n: tf.pad([1], n, constant_values=7), [[[1, 1]]]),
    "pad with one": (lambda tf, n: tf.pad([1], [[n, 1]]), [2]),
    "band_part": (lambda tf, n: tf.linalg.band_part(tf.ones([2, 2]), n, -1), [0]),
    "diag": (lambda tf, n: tf.linalg.diag([1.0, 2.0], num_rows=n, num_cols=n), [2]),
    "segments": (lambda tf, n: tf.math.unsorted_segment_sum([1, 2], [0, 1], n), [2]),
    "bincount": (lambda tf, n: tf.math.bincount([1, 2], minlength=n), [5]),
    "histogram": (lambda tf, n: tf.histogram_fixed_width([1.0, 2.0], [0.0, 3.0], nbins=n), [3]),
    "histogram range": (lambda tf, r: tf.histogram_fixed_width([1.0], r, nbins=3), [[0.0, 3.0]]),
    "confusion": (lambda tf, n: tf.math.confusion_matrix([0, 1], [1, 1], num_classes=n), [2]),
    "crop": (lambda tf, n: tf.image.crop_to_bounding_box(IMAGE, n, 0, 2, n + 1), [1]),
    "pad_to_bounding_box": (
        lambda tf, a, b: tf.image.pad_to_bounding_box(IMAGE, a, a, b, b),
        [2, 8],
    ),
    "central_crop": (lambda tf, c: tf.image.central_crop(IMAGE, c), [0.5]),
    "crop or pad": (lambda tf, n: tf.image.resize_with_crop_or_pad(IMAGE, n, n), [6]),
    "resize with pad": (lambda tf, n: tf.image.resize_with_pad(IMAGE, n, n), [6]),
    "frame": (lambda tf, n: tf.signal.frame(tf.ones([10]), n, 2), [4]),
    "stft": (lambda tf, n: tf.abs(tf.signal.stft(tf.ones([50]), n, 10)), [20]),
    "hann": (lambda tf, n: tf.signal.hann_window(n), [4]),
    "kaiser": (lambda tf, n: tf.signal.kaiser_window(n), [4]),
    "overlap": (lambda tf, n: tf.signal.overlap_and_add(tf.ones([3, 4]), n), [2]),
    "mel": (lambda tf, n: tf.signal.linear_to_mel_weight_matrix(4, n, 16000.0), [9]),
    "dropout": (lambda tf, r: tf.nn.dropout(tf.ones([2]), r), [0.0]),
    "uniform": (lambda tf, n: tf.random.uniform([2], maxval=n, dtype=tf.int32) * 0, [5]),
    "categorical": (lambda tf, n: tf.random.categorical([[1.0, 1.0]], n) * 0, [4]),
    "suppression": (
        lambda tf, n: tf.image.non_max_suppression(
            [[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]], [0.5, 0.6], 2, iou_threshold=n
        ),
        [0.5],
    ),
    "average loss": (
        lambda tf, n: tf.nn.compute_average_loss(tf.constant([1.0, 2.0]), global_batch_size=n),
        [4],
    ),
}


@pytest.mark.filterwarnings("ignore:tf.function")  # some run eagerly here
@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_from_tensors(name: str) -> None:
    program, arguments = PROGRAMS[name]

    def results(tf: Any) -> Any:
        tensors = [tf.constant(a) for a in arguments]
        return [program(tf, *tensors), tf.function(lambda *args: program(tf, *args))(*tensors)]

    compare(results(tfpy), results(tensorflow), 1e-5, name)


@same
def test_numbers_that_are_none(tf: Any) -> Any:
    return [
        error(lambda: tf.histogram_fixed_width([1.0], [0.0, 3.0], nbins=[1, 2])),
        error(lambda: tf.histogram_fixed_width([1.0], [0.0, 3.0], nbins=0)),
        error(lambda: tf.range([1, 2])),
        error(lambda: tf.linspace(0.0, 1.0, -1)),
        error(lambda: tf.linspace(0.0, 1.0, 2.5)),
        tf.linspace(0.0, 1.0, 0),
        tf.linspace(tf.constant(0.0, tf.float16), 1.0, 3),
        error(lambda: tf.range(0, 5, 0)),
        error(lambda: tf.range(0.0, -1.0, 1.0)),
    ]


RANGES = [
    (0.1, 1.1, 0.1), (0.0, 1.0, 0.1), (0, 1, 0.1), (1.0, 0.0, -0.3), (0.0, 0.3, 0.1), (3.5,),
    (-1.0, 1.0, 0.2), (0, 10, 3), (10, 0, -3), (5, 0, -2), (0.0, 1e5, 0.7), (0, 0, 1), (1, 1, -1),
]  # fmt: skip


@same
def test_how_many_numbers_a_range_has(tf: Any) -> Any:
    half = tf.constant(0.1, tf.float16)
    return [
        *(tf.range(*numbers) for numbers in RANGES),
        *(tf.range(*numbers, dtype=tf.float32) for numbers in RANGES),
        tf.range(half, tf.constant(1.1, tf.float16), half),
        tf.range(0, 1, 0.3, dtype=tf.float16),
    ]


@same
def test_an_open_size_beside_zero(tf: Any) -> Any:
    cases = [
        ([0, 6], [0, -1, 3]), ([0, 6], [-1, 3]), ([0, 6], [0, -1]), ([2, 0], [-1, 0, 5]),
        ([0, 6], [0, -1, 4]), ([0, 6], [-1, 0, 4]), ([5, 0, 6], [0, -1, 3]), ([0, 0], [-1, 0]),
    ]  # fmt: skip
    return [
        [tf.reshape(tf.zeros(old), new).shape for old, new in cases],
        error(lambda: tf.reshape(tf.zeros([2, 3]), [0, -1])),
        error(lambda: tf.reshape(tf.zeros([0, 6]), [-1, -1])),
    ]
