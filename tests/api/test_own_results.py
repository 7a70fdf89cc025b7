"""Functions without work return their input or a new tensor, as TensorFlow does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfpy

NOTHING_TO_DO = [
    "tf.roll(x, [0], [0])",
    "tf.roll(x, [4], [1])",
    "tf.reverse(x, [])",
    "tf.pad(x, [[0, 0], [0, 0]])",
    "tf.tile(x, [1, 1])",
    "tf.transpose(x, [0, 1])",
    "tf.squeeze(x)",
    "tf.broadcast_to(x, [2, 4])",
    "tf.concat([x], 0)",
    "tf.reshape(x, [2, 4])",
    "tf.cast(x, tf.float32)",
    "tf.saturate_cast(x, tf.float32)",
    "tf.bitcast(x, tf.float32)",
    "tf.identity(x)",
    "tf.ensure_shape(x, [2, None])",
    "tf.ensure_shape(x, None)",
    "tf.convert_to_tensor(x)",
    "tf.math.real(x)",
    "tf.math.conj(x)",
    "tf.add_n([x])",
    "tf.reduce_sum(x, [])",
    "tf.reduce_max(x, [])",
    "tf.reduce_mean(x, [])",
    "tf.slice(x, [0, 0], [2, 4])",
    "x[:]",
    "tf.gather(x, [0, 1])",
    "tf.clip_by_norm(x, 100.0)",
    "tf.nn.dropout(x, 0.0)",
    "tf.einsum('ij->ij', x)",
    "tf.linalg.band_part(x, -1, -1)",
    "tf.debugging.check_numerics(x, '')",
    "tf.debugging.assert_all_finite(x, '')",
    "tf.image.convert_image_dtype(x, tf.float32)",
    "tf.grad_pass_through(lambda v: v)(x)",
    "tf.stop_gradient(x)",
    "tf.function(lambda v: v)(x)",
    "tf.cond(tf.constant(True), lambda: x, lambda: -x)",
]


def is_the_argument(lib: Any, call: str) -> bool:
    x = lib.constant(np.ones([2, 4], np.float32))
    return eval(call, {"tf": lib, "x": x}) is x


@pytest.mark.parametrize("call", NOTHING_TO_DO)
def test_a_result_is_its_own(call: str) -> None:
    assert is_the_argument(tfpy, call) == is_the_argument(tf, call)
