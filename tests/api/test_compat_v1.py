"""``tf.compat.v1``: TensorFlow 1's arguments and results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import error, same

import tfpy

IMAGES = np.random.default_rng(0).normal(size=(2, 5, 5, 3)).astype(np.float32)
FILTERS = np.random.default_rng(1).normal(size=(2, 2, 3, 4)).astype(np.float32)


@same
def test_assignments(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0])
    one = tf.compat.v1
    found = [one.assign(v, [3.0, 4.0]) + 0.0, one.assign_add(v, [1.0, 1.0]) + 0.0]
    return [*found, one.assign_sub(v, [0.5, 0.0]) + 0.0, v]


@same
def test_parts(tf: Any) -> Any:
    one, x = tf.compat.v1, [[1, 2, 3], [4, 5, 6]]
    return [
        one.boolean_mask(x, [True, False]),
        one.boolean_mask(x, [True, False, True], "name", 1),
        one.gather([1, 2, 3], [0, 2]),
        one.gather(x, [[0, 2], [1, 1]], axis=1, batch_dims=1),
        one.gather_nd(x, [[0, 2], [1, 1]]),
        one.pad([1], [[1, 1]], "constant", constant_values=5),
        one.math.in_top_k([[0.1, 0.9], [0.2, 0.1]], [1, 1], 1),
    ]


@same
def test_where(tf: Any) -> Any:
    one, x, y = tf.compat.v1, [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    return [
        one.where([True, False, True]),
        one.where([True, False], x, y),
        one.where([[True, False], [False, True]], x, y),
        one.where(False, x, y),
        error(lambda: one.where([[True, False]], x, y)),
        error(lambda: one.where([True, False, True], 1, 2)),
        error(lambda: one.where([True, False], [1, 2], None)),
    ]


@same
def test_control_flow(tf: Any) -> Any:
    one = tf.compat.v1

    @tf.function
    def compiled(n: Any) -> Any:
        count = one.while_loop(lambda i: i * i < n, lambda i: i + 1, [tf.constant(0)])
        return count, one.cond(n > 3, lambda: [n + 1], lambda: [n - 1])

    return [
        one.cond(True, lambda: [1], lambda: [2]),
        one.cond(tf.constant(False), fn1=lambda: [1, 2], fn2=lambda: [2, 3]),
        one.cond(True, lambda: [1], lambda: [2], strict=True),
        one.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]),
        one.while_loop(
            lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)], return_same_structure=True
        ),
        list(one.while_loop(lambda i, s: i < 9, lambda i, s: (i + 1, s + i), [0, 0], None)),
        one.while_loop(lambda i: i < 9, lambda i: i + 1, [0], maximum_iterations=4),
        compiled(tf.constant(10)),
        one.foldl(lambda a, x: a - x, tf.constant([1, 2, 3])),
        one.foldr(lambda a, x: a - x, tf.constant([1, 2, 3])),
        one.map_fn(lambda x: x * 2, tf.constant([1, 2])),
        one.scan(lambda a, x: a + x, tf.constant([1, 2, 3])),
    ]


@same
def test_gradients(tf: Any) -> Any:
    @tf.function
    def slope(x: Any) -> Any:
        return tf.compat.v1.gradients(x * x, [x])

    return slope(tf.constant(3.0))


@same(tolerance=1e-4)
def test_networks(tf: Any) -> Any:
    nn = tf.compat.v1.nn
    return [
        nn.avg_pool(IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        nn.avg_pool(None, 2, 1, "VALID", input=IMAGES),
        nn.max_pool(IMAGES, 2, 2, "SAME"),
        nn.convolution(IMAGES, FILTERS, "SAME"),
        nn.convolution(IMAGES, FILTERS, "VALID", dilation_rate=[2, 2]),
        nn.convolution(IMAGES, None, "VALID", [2, 2], filters=FILTERS),
        nn.conv2d_transpose(IMAGES, FILTERS.transpose(0, 1, 3, 2), [2, 10, 10, 4], 2),
    ]


@same
def test_labels_of_sequences(tf: Any) -> Any:
    logits = np.random.default_rng(2).normal(size=(6, 2, 4)).astype(np.float32) * 4
    labels = tf.sparse.from_dense([[1, 2], [2, 0]])
    nn = tf.compat.v1.nn
    found = [
        nn.ctc_loss(labels, logits, [6, 5]),
        nn.ctc_loss(labels, None, [6, 5], False, logits=logits.swapaxes(0, 1), time_major=False),
    ]
    repeated = np.full((6, 2, 3), -5, np.float32)
    for time, classes in enumerate(([0, 1], [2, 2], [0, 2], [1, 1], [2, 1], [1, 2])):
        repeated[time, [0, 1], classes] = 5
    for merged in (True, False):
        paths, scores = nn.ctc_beam_search_decoder(repeated, [6, 5], merge_repeated=merged)
        found += [tf.sparse.to_dense(paths[0], default_value=-1), scores]
    return found


@same
def test_sparse_concat(tf: Any) -> Any:
    a = tf.sparse.from_dense([[0, 1], [2, 0]])
    b = tf.sparse.from_dense([[0, 1], [2, 0], [1, 0]])
    join = tf.compat.v1.sparse_concat
    found = [
        join(1, [a, a]),
        join(None, [a, a], concat_dim=0),
        join(1, [a, b], expand_nonconcat_dim=True),
    ]
    return [*map(tf.sparse.to_dense, found), error(lambda: join(1, [a, b]))]


@same
def test_initializers(tf: Any) -> Any:
    tf.random.set_seed(1)
    one = tf.compat.v1
    return [
        one.random_normal_initializer(2.0, 3.0, seed=4)([5]),
        one.random_uniform_initializer(-1.0, 1.0, seed=4)([5]),
        one.random_uniform_initializer(0, 9, 4, tf.int32)([5]),
        one.random_uniform_initializer(seed=4)([2], dtype=tf.float16),
        repr(one.Dimension(3) + 2),
    ]


@same
def test_names_of_operations(tf: Any) -> Any:
    one, steps = tf.compat.v1, [1, 1, 1, 1]
    shape, filters = [2, 5, 5, 3], FILTERS[..., :1]
    dy = np.ones([2, 5, 5, 4], np.float32)
    flat = np.ones([2, 5, 5, 3], np.float32)
    return [
        one.nn.conv2d_backprop_input(shape, FILTERS, dy, steps, "SAME"),
        one.nn.conv2d_backprop_filter(IMAGES, [2, 2, 3, 4], dy, steps, "SAME", True, "NHWC"),
        one.nn.depthwise_conv2d_native(IMAGES, filters, steps, "SAME"),
        one.nn.depthwise_conv2d_native_backprop_input(shape, filters, flat, steps, "SAME"),
        one.nn.depthwise_conv2d_native_backprop_filter(IMAGES, [2, 2, 3, 1], flat, steps, "SAME"),
        one.batch_gather(np.arange(12).reshape(2, 3, 2), [[2, 0], [1, 1]]),
        one.nn.relu_layer(np.ones([2, 3], "f"), np.eye(3, dtype="f") * -1, [0.5, 1.0, 2.0]),
        one.manip.batch_to_space_nd(np.arange(4).reshape(4, 1, 1, 1), [2, 2], [[0, 0], [0, 0]]),
        one.sparse_matmul(np.eye(2, dtype="f"), np.ones([2, 2], "f"), True),
        *one.quantize_v2([0.0, 1.0, 2.0], 0.0, 2.0, tf.quint8)[1:],
    ]


@pytest.mark.parametrize(
    ("pylist", "options"),
    [
        ([[1, 2], [], [3]], {}),
        ([[[1, 2]], [[3, 4], [5, 6]]], {"ragged_rank": 1}),
        ([[[1, 2]], [[3, 4], [5, 6]]], {"inner_shape": (2,), "row_splits_dtype": "int32"}),
        ([1, 2, 3], {}),
        ([[1.5], [2]], {"dtype": np.float32}),
        ([["a", "b"], ["c"]], {}),
        ([], {"ragged_rank": 1}),
    ],
)
def test_ragged_values(pylist: Any, options: dict[str, Any]) -> None:
    ours, theirs = (
        lib.compat.v1.ragged.constant_value(pylist, **options) for lib in (tfpy, tensorflow)
    )
    assert (repr(ours), ours.dtype, ours.shape) == (repr(theirs), theirs.dtype, theirs.shape)
