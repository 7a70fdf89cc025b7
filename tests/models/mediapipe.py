"""An operation of MediaPipe, registered as a user would do it."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf


def transposed(node: Any) -> Any:
    """Compute Convolution2DTransposeBias, with the padding and the strides as options."""
    x, filters, bias = node.inputs
    padding, stride_w, stride_h = np.frombuffer(node.attrs["custom_options"], "<i4")[:3]
    filters = tf.transpose(filters, [1, 2, 0, 3])
    sizes = [x.shape[0], x.shape[1] * stride_h, x.shape[2] * stride_w, filters.shape[2]]
    name = {1: "SAME", 2: "VALID"}[int(padding)]
    return tf.nn.conv2d_transpose(x, filters, sizes, (stride_h, stride_w), name) + bias
