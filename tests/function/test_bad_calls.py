"""Calls that TensorFlow rejects while it traces a function: error classes, eager and traced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

# `x` has shape [2, 3] and `v` [3].
CALLS = [
    "tf.reduce_sum(x, 5)",
    "tf.reduce_max(x, -3)",
    "tf.reduce_logsumexp(x, 2)",
    "tf.argmax(x, 2)",
    "tf.squeeze(x, [0])",
    "tf.squeeze(x, [4])",
    "tf.expand_dims(x, 4)",
    "tf.split(x, 2, 4)",
    "tf.split(x, 2, 1)",
    "tf.split(x, [1, 3], 0)",
    "tf.stack([x, v])",
    "tf.stack([x, x], 5)",
    "tf.unstack(x, axis=3)",
    "tf.unstack(x, 3)",
    "tf.concat([x, v], 0)",
    "tf.concat([x, tf.zeros([2, 2])], 0)",
    "tf.concat([x, x], 2)",
    "tf.transpose(x, [0])",
    "tf.transpose(x, [0, 2])",
    "tf.reshape(x, [4])",
    "tf.reshape(x, [4, -1])",
    "tf.reshape(x, [-2, 3])",
    "tf.gather(x, [0], axis=3)",
    "tf.gather(x, [0], axis=-3)",
    "tf.gather_nd(x, [[0, 0, 0]])",
    "tf.slice(x, [0], [1])",
    "x[5]",
    "x[0, 0, 0]",
    "x[::0]",
    "tf.tile(x, [1])",
    "tf.pad(x, [[0, 0]])",
    "tf.pad(x, [[-1, 0], [0, 0]])",
    "tf.broadcast_to(x, [3, 3])",
    "tf.broadcast_to(x, [3])",
    "tf.matmul(x, x)",
    "tf.matmul(x, v)",
    "tf.matmul(x, tf.zeros([3, 2], tf.int32))",
    "tf.linalg.matvec(x, tf.zeros([2]))",
    "tf.tensordot(x, x, 1)",
    "tf.einsum('ij,jk->ik', x, x)",
    "tf.einsum('ijk->i', x)",
    "x + tf.zeros([2, 3], tf.int32)",
    "tf.where(x > 0, x, tf.zeros([3, 3]))",
    "tf.one_hot([0], -1)",
    "tf.reverse(x, [2])",
    "tf.reverse(x, [0, 0])",
    "tf.repeat(x, [1, 2, 3], 0)",
    "tf.nn.bias_add(x, tf.zeros([2]))",
    "tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([2, 2, 2, 1]), 1, 'SAME')",
    "tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([2, 2]), 1, 'SAME')",
    "tf.nn.conv2d(tf.zeros([1, 2, 2, 3]), tf.zeros([5, 5, 3, 1]), 1, 'VALID')",
    "tf.nn.max_pool2d(x, 2, 2, 'SAME')",
    "tf.nn.depth_to_space(tf.zeros([1, 2, 2, 3]), 2)",
    "tf.nn.space_to_depth(tf.zeros([1, 3, 3, 4]), 2)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([3], tf.int32), x)",
    "tf.nn.softmax_cross_entropy_with_logits(x, tf.zeros([3, 3]))",
    "tf.nn.sigmoid_cross_entropy_with_logits(x, v)",
    "tf.nn.top_k(x, 5)",
    "tf.nn.l2_normalize(x, 3)",
    "tf.nn.moments(x, [3])",
    "tf.nn.embedding_lookup(x, [7])",
    "tf.sort(x, 2)",
    "tf.argsort(x, 2)",
    "tf.scatter_nd([[0]], [1.0, 2.0], [3])",
    "tf.tensor_scatter_nd_update(v, [[0]], [1.0, 2.0])",
    "tf.math.unsorted_segment_sum(x, tf.constant([0, 1, 2]), 3)",
    "tf.linalg.inv(x)",
    "tf.linalg.det(v)",
    "tf.linalg.solve(tf.zeros([2, 2]), x[:1])",
    "tf.linalg.cholesky(x)",
    "tf.linalg.diag_part(v)",
    "tf.math.add_n([x, v])",
    "tf.math.l2_normalize(x, 4)",
    "tf.boolean_mask(x, [True])",
    "tf.range(0, 3, 0)",
    "tf.eye(-1)",
    "tf.fill([2], x)",
    "tf.fill([-1], 1.0)",
    "tf.zeros([-1])",
    "tf.ensure_shape(x, [3, 3])",
    "tf.image.resize(x, [2, 2])",
    "tf.image.crop_to_bounding_box(tf.zeros([4, 4, 3]), 3, 0, 2, 2)",
    "tf.image.flip_left_right(x)",
    "tf.dynamic_partition(x, [0], 2)",
    "tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]])",
    "tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])",
    "tf.strided_slice(x, [0], [1, 1])",
    "tf.clip_by_value(x, tf.zeros([3, 3]), 1.0)",
    "tf.math.confusion_matrix([0, 1], [0])",
    "tf.bitwise.bitwise_and(x, x)",
    "tf.sqrt(tf.constant(1))",
    "tf.logical_and(x, x)",
    "tf.signal.fft(x)",
    "tf.signal.rfft(tf.constant(1.0))",
    "tf.math.in_top_k(v[:2], x, 1)",
    "tf.reverse_sequence(x, [1], 1)",
    "tf.random.categorical(v, 2)",
]


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize("call", CALLS)
def test_class_of_the_error(call: str, traced: bool) -> None:
    assert error(tfpy, call, traced) is not None
    assert error(tfpy, call, traced) == error(tensorflow, call, traced)


def error(lib: Any, call: str, traced: bool) -> str | None:
    """Return the class name of the error of a call, or None."""

    def program(x: Any, v: Any) -> Any:
        return eval(call, {"tf": lib, "x": x, "v": v})

    function = lib.function(program, autograph=False) if traced else program
    try:
        function(lib.ones([2, 3]), lib.ones([3]))
    except Exception as raised:
        return type(raised).__name__
    return None


def test_what_only_the_values_tell_stays_an_invalid_argument() -> None:
    def program(lib: Any) -> Any:
        function = lib.function(lambda x: lib.gather(x, lib.constant([7])))
        with pytest.raises(lib.errors.InvalidArgumentError):
            function(lib.ones([3]))
        with pytest.raises(lib.errors.InvalidArgumentError):
            lib.function(lambda: lib.constant(1) // lib.constant(0))()

    program(tfpy)
    program(tensorflow)


@pytest.mark.parametrize("lib", [tfpy, tensorflow])
def test_equality_of_shapes_that_do_not_fit(lib: Any) -> None:
    function = lib.function(lambda x, y: (x == y, x != y))
    equal, different = function(lib.ones([2]), lib.ones([3]))
    assert [bool(np.asarray(r)) for r in (equal, different)] == [False, True]


@pytest.mark.parametrize("lib", [tfpy, tensorflow])
def test_init_scope_runs_at_once(lib: Any) -> None:
    @lib.function
    def function() -> None:
        with lib.init_scope():
            lib.reshape(lib.ones([2]), [3])

    with pytest.raises(lib.errors.InvalidArgumentError):
        function()
