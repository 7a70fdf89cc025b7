"""Gradient operations of integers, for which tapes have no gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

LARGE = np.array([[2**31 - 1, 70000, -5], [-(2**31), 1, 2], [3, -70001, 9]], np.int32)

CALLS: dict[str, Callable[[Any], Any]] = {
    "reflect": lambda tf: tf.raw_ops.MirrorPadGrad(
        input=tf.reshape(tf.range(16), [4, 4]), paddings=[[1, 1], [1, 1]], mode="REFLECT"
    ),
    "symmetric": lambda tf: tf.raw_ops.MirrorPadGrad(
        input=tf.reshape(tf.range(24) * 1000003, [4, 6]),
        paddings=[[1, 1], [2, 2]],
        mode="SYMMETRIC",
    ),
    "slice": lambda tf: tf.raw_ops.StridedSliceGrad(
        shape=[4, 5], begin=[1, 0], end=[4, 5], strides=[1, 2], dy=tf.constant(LARGE)
    ),
    "small integers": lambda tf: tf.raw_ops.MirrorPadGrad(
        input=tf.cast(tf.reshape(tf.range(16) * 15, [4, 4]), tf.uint8),
        paddings=[[1, 1], [1, 1]],
        mode="REFLECT",
    ),
    "pool": lambda tf: tf.raw_ops.MaxPoolGrad(
        orig_input=tf.reshape(tf.range(16), [1, 4, 4, 1]),
        orig_output=tf.constant([[[[5], [7]], [[13], [15]]]]),
        grad=tf.constant([[[[1], [2]], [[3], [100000000]]]]),
        ksize=[1, 2, 2, 1],
        strides=[1, 2, 2, 1],
        padding="VALID",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name: str) -> None:
    ours, wanted = (CALLS[name](tf).numpy() for tf in (tfpy, tensorflow))
    assert ours.tolist() == wanted.tolist()
    assert ours.dtype == wanted.dtype


def test_offsets_along_a_negative_axis() -> None:
    ours, wanted = (
        [
            part.numpy().tolist()
            for part in tf.raw_ops.ConcatOffset(concat_dim=-1, shape=[[2, 3, 5], [2, 3, 7]])
        ]
        for tf in (tfpy, tensorflow)
    )
    assert ours == wanted


def test_slices_with_unknown_dimensions() -> None:
    for tf in (tfpy, tensorflow):
        size, x = tf.compat.v1.Dimension, tf.constant([1, 2, 3, 4])
        assert x[: size(None)].numpy().tolist() == [1, 2, 3, 4]
        assert x[size(1) : size(3)].numpy().tolist() == [2, 3]


def test_masks_of_unknown_rank_are_rejected() -> None:
    for tf in (tfpy, tensorflow):
        with (
            tf.Graph().as_default(),
            pytest.raises(ValueError, match="Number of mask dimensions must be specified"),
        ):
            tf.boolean_mask([[1, 2]], tf.compat.v1.placeholder(tf.bool))
