"""Ragged tensors: rows of different lengths."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow
from api.same import error, same

import tfpy


def r_(tf: Any) -> Any:
    return tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])


def q_(tf: Any) -> Any:
    return tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])


@same
def test_facts(tf: Any) -> Any:
    r = r_(tf)
    return [
        r.shape,
        r.dtype,
        r.ragged_rank,
        r.row_splits,
        r.nrows(),
        r.row_lengths(),
        r.bounding_shape(),
        r.value_rowids(),
        r.row_starts(),
        r.row_limits(),
    ]


@same
def test_indexing(tf: Any) -> Any:
    r = r_(tf)
    q = q_(tf)
    return [
        r[0],
        r[-1],
        r[1:3],
        r[:, 1:],
        r[:, -2:],
        r[0, 1],
        r[::2],
        r[..., :1],
        r[tf.newaxis],
        r[:, tf.newaxis],
        r[::-1],
        r[0][1],
        r[1:][1:],
        r[:, ::-1],
        r[:, :, None],
        r[0, 1:],
        q[0],
        q[0, 0],
        q[:, :, 1:],
        q[:, :1],
        q[..., 0:1],
        q[0, :, 0:1],
        q[2, 0, 1],
        q[:, 0:1, 0:1],
    ]


@same
def test_indexing_errors(tf: Any) -> Any:
    r = r_(tf)
    return [
        error(lambda: r[5]),
        error(lambda: r[:, 0]),
    ]


@same
def test_parts_and_conversions(tf: Any) -> Any:
    r = r_(tf)
    q = q_(tf)
    return [
        q.shape,
        q.flat_values,
        q.nested_row_splits,
        q.row_lengths(axis=2),
        q.bounding_shape(),
        q.bounding_shape(axis=1),
        q.to_tensor(),
        q.to_tensor(-1),
        q.to_tensor(shape=[None, 1, 2]),
        r.to_tensor(shape=[2, 2]),
        r.to_tensor(shape=[7, None]),
        q.merge_dims(0, 1),
        q.merge_dims(1, 2),
        q.merge_dims(0, 2),
        q.to_sparse(),
        str(q.numpy()),
        str(r.numpy()),
        q.values,
    ]


@same
def test_constant(tf: Any) -> Any:
    return [
        tf.ragged.constant([[1.5], []]),
        tf.ragged.constant([["a", "b"], ["c"]]),
        tf.ragged.constant([]),
        tf.ragged.constant([[], []]),
        tf.ragged.constant([[1, 2], [3, 4]]),
        tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1),
        tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], inner_shape=(2,)),
        tf.ragged.constant([1, 2]),
        tf.ragged.constant(3),
    ]


@same
def test_constant_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.ragged.constant([[1], 2])),
    ]


@same
def test_arithmetic(tf: Any) -> Any:
    r = r_(tf)
    q = q_(tf)
    return [
        r + 1,
        r * r,
        r == 3,
        -r,
        tf.abs(r),
        [*r, [1], [2], [3], [4], [5]],
        [*q, [[1]], [[2]], [[3]]],
        q + tf.constant([[[1]], [[2]], [[3]]]),
        [*r, [1]],
        r // 2,
        r / 2,
        r > 2,
        tf.where(r > 2, r, 0),
        tf.where(r > 2),
    ]


@same
def test_arithmetic_errors(tf: Any) -> Any:
    r = r_(tf)
    q = q_(tf)
    return [
        error(lambda: r + q),
        error(lambda: r + tf.constant([10, 20, 30, 40])),
    ]


@same
def test_reductions(tf: Any) -> Any:
    r = r_(tf)
    q = q_(tf)
    return [
        tf.reduce_sum(r, 1),
        tf.reduce_sum(r, 0),
        tf.reduce_sum(r),
        tf.reduce_max(r, 1),
        tf.reduce_min(r, 1),
        tf.reduce_prod(r, axis=1),
        tf.reduce_sum(q, axis=2),
        tf.reduce_sum(q, axis=1),
        tf.reduce_sum(q, axis=0),
        tf.reduce_max(q, axis=1),
        tf.reduce_sum(q, axis=[1, 2]),
        tf.reduce_any(r > 2, 1),
        tf.reduce_all(r > 2, axis=1),
        tf.reduce_mean(q, axis=-1),
        tf.reduce_mean(r, axis=1),
        tf.reduce_mean(r),
        tf.reduce_sum(r, 1, keepdims=True),
    ]


@same
def test_means_of_dtypes(tf: Any) -> Any:
    kinds = (tf.int8, tf.uint8, tf.int32, tf.float16, tf.float32, tf.float64, tf.complex64)
    rows = [
        tf.RaggedTensor.from_row_lengths(tf.cast([3, 1, 4, 2, 5, 9, 2], kind), [4, 0, 3])
        for kind in kinds
    ]
    return [tf.reduce_mean(r, axis) for r in rows for axis in (0, 1, None)]


@same
def test_joining(tf: Any) -> Any:
    r = r_(tf)
    return [
        tf.concat([r, r], 0),
        tf.concat([r, r], 1),
        tf.stack([r, r]),
        tf.ragged.stack([r, r]),
        tf.ragged.stack([[1, 2], [3]]),
        tf.stack([r, r], axis=1),
        tf.tile(r, [1, 2]),
        tf.tile(r, [2, 1]),
        tf.expand_dims(r, 0),
        tf.expand_dims(r, 1),
        tf.expand_dims(r, 2),
    ]


@same
def test_parts_of_even_rows(tf: Any) -> Any:
    r = r_(tf)
    even = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [4], [5]]), 2)
    return [
        tf.split(even, 2, axis=1),
        tf.split(even, [1, 1], axis=-2),
        even.row_lengths(-1),
        r.row_lengths(-1),
        r.row_lengths(-2),
        r[[0, 1]],
        tf.math.reduce_std(tf.ragged.constant([[0.1, 0.1, 0.1]]), axis=1),
    ]


@pytest.mark.parametrize("tf", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_refused_parts(tf: Any) -> None:
    r = r_(tf)
    even = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [4], [5]]), 2)
    invalid = tf.errors.InvalidArgumentError
    for kind, text, call in [
        (invalid, "Index out of bounds when indexing into a ragged tensor", lambda: even[:, 2]),
        (TypeError, "Only integers, slices", lambda: r[1.5]),
        (TypeError, "Only integers, slices", lambda: r["a"]),
        (TypeError, "slice offsets must be integers or None", lambda: r[:, 1.5:]),
        (TypeError, "slice strides must be integers or None", lambda: r[:, ::0.5]),
        (ValueError, "axis=2 out of bounds: expected -2<=axis<2", lambda: r.row_lengths(2)),
        (ValueError, "axis=3 out of bounds: expected -2<=axis<2", lambda: tf.split(r, 2, axis=3)),
        (ValueError, "Cannot split a ragged dimension", lambda: tf.split(even, 2, axis=2)),
        (ValueError, "must be >=1 if it is an `int`", lambda: tf.split(r, 0)),
        (ValueError, "`num` does not match", lambda: tf.split(r, [1, 1], num=3)),
        (TypeError, "must be an `int` or 1-D list", lambda: tf.split(r, "a")),
        (invalid, "starts", lambda: tf.ragged.range([[0]], 5)),
        (invalid, "must have the same shape", lambda: tf.ragged.range([0], [1, 2])),
        (invalid, "Requires delta != 0", lambda: tf.ragged.range(0, 5, 0)),
        (invalid, "Requires .* <= ", lambda: tf.ragged.range(0.1, 1e10, 1e-10)),
    ]:
        with pytest.raises(kind, match=text):
            call()


@same
def test_joining_errors(tf: Any) -> Any:
    r = r_(tf)
    q = q_(tf)
    return [
        error(lambda: tf.ragged.stack([r, q])),
    ]


@same
def test_rows_that_are_picked_are_of_unknown_length(tf: Any) -> Any:
    r = tf.RaggedTensor.from_tensor(tf.ones([6, 4]))
    deep = tf.RaggedTensor.from_tensor(tf.ones([6, 4, 2]), ragged_rank=2)
    results = [
        tf.gather(r, [0, 1]),
        tf.gather(deep, [0, 1]),
        tf.ragged.boolean_mask(r, [True] * 6),
        tf.concat([r, r], 0),
        tf.concat([deep, deep], 0),
        tf.tile(r, [2, 1]),
        tf.reverse(r, [0]),
        r[:2],
        r[:, :2],
    ]
    return [x.shape.as_list() for x in results]


@same
def test_gathering(tf: Any) -> Any:
    r = r_(tf)
    return [
        tf.gather(r, [0, 2, 0]),
        tf.gather(tf.constant([10, 20, 30, 40, 50, 60, 70, 80, 90, 99]), r),
        tf.gather(r, tf.ragged.constant([[0], [2, 2]])),
        tf.gather(tf.reshape(tf.range(24), [2, 3, 4]), tf.ragged.constant([[2, 0], []]), axis=1),
        tf.gather(tf.reshape(tf.range(24), [2, 3, 4]), tf.ragged.constant([[[2], [3, 0]]]), axis=2),
        tf.gather(r, [[0], [3]], batch_dims=0),
        tf.gather(r, tf.ragged.constant([[0], [], [2], [0], []]), batch_dims=1),
        tf.ragged.boolean_mask(r, [True, False, True, False, True]),
        tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]),
        tf.ragged.boolean_mask(r, r > 2),
    ]


@same
def test_namespace(tf: Any) -> Any:
    r = r_(tf)
    return [
        tf.ragged.range([3, 5, 2]),
        tf.ragged.range([0, 5], [3, 3], [1, -1]),
        tf.ragged.range(3),
        tf.ragged.range([1.5, 2], [3, 5]),
        tf.ragged.map_flat_values(tf.multiply, r, r),
        tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]),
        tf.ragged.segment_ids_to_row_splits([0, 0, 2]),
        tf.ragged.segment_ids_to_row_splits([0, 0, 2], 5),
        tf.ragged.stack_dynamic_partitions([1, 2, 3, 4], [1, 0, 1, 0], 3),
    ]


@same
def test_functions(tf: Any) -> Any:
    r = r_(tf)
    return [
        tf.reverse(r, [1]),
        tf.size(r),
        tf.rank(r),
        tf.ones_like(r),
        tf.zeros_like(r),
        tf.cast(r, tf.float32),
        tf.split(r, [2, 3]),
        tf.squeeze(tf.expand_dims(r, 0), [0]),
        tf.one_hot(r, 10),
        tf.nn.softmax(tf.cast(r, tf.float32)),
        tf.is_tensor(r),
        [x.numpy().tolist() for x in r],
        tf.identity(r),
        tf.reshape(r, [-1]),
        tf.clip_by_value(r, 2, 4),
        tf.add_n([r, r]),
        tf.nn.relu(r),
    ]


@same
def test_functions_errors(tf: Any) -> Any:
    r = r_(tf)
    return [
        error(lambda: bool(r)),
        error(lambda: len(r)),
        error(lambda: tf.convert_to_tensor(r)),
    ]


@same
def test_constructors(tf: Any) -> Any:
    return [
        tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0),
        tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[2, 1]),
        tf.RaggedTensor.from_tensor([[[1, 2]], [[3, 4]]], ragged_rank=2),
        tf.RaggedTensor.from_tensor([[1, 2], [3, 4]]).shape,
        tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
        tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).shape,
        tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4),
        tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 1]),
        tf.RaggedTensor.from_row_limits([1, 2, 3], [0, 3]),
        tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]]),
        tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]]),
        tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]]),
    ]


@same
def test_constructors_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.RaggedTensor.from_row_splits([1, 2], [0, 1])),
        error(lambda: tf.RaggedTensor.from_row_splits([1, 2], [1, 2])),
        error(lambda: tf.RaggedTensor.from_row_lengths([1, 2], [1, 2])),
        error(lambda: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 2, 1])),
    ]


@same
def test_more(tf: Any) -> Any:
    r = r_(tf)
    q = q_(tf)
    return [
        r.with_row_splits_dtype(tf.int32),
        r.to_list(),
        r != r,
        1 - r,
        2**r,
        r + tf.constant([1]),
        tf.concat([r, [[1], [2], [3], [4], [5]]], 1),
        tf.concat([q, q], 2),
        tf.concat([q, q], 1),
        tf.ragged.constant([[1, 2, 3]] * 3 + [list(range(30))]),
        tf.ragged.constant([[1.123456789, 2.5]]),
        tf.constant(10) + r,
        tf.constant(10) == r,
        tf.ragged.constant([["a"], ["b", "c"]]) + "x",
        tf.ragged.constant([["a"], ["b", "c"]]) == "b",
        tf.math.reduce_variance(tf.cast(r, tf.float32), 1),
        tf.math.reduce_std(tf.cast(q, tf.float32), 2),
        tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1) + tf.constant([10, 20]),
        tf.reduce_sum(tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1), 2),
        tf.reduce_sum(tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1), 1),
        tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 4])),
        tf.math.logical_not(r > 2),
        (r > 2) & (r < 5),
        ~(r > 2),
        tf.concat([tf.ragged.constant([[1]]), tf.constant([[2, 3]])], 0),
    ]


@same
def test_more_errors(tf: Any) -> Any:
    r = r_(tf)
    q = q_(tf)
    return [
        error(lambda: tf.concat([r, q], 0)),
        error(lambda: tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 1]], [1], [1, 2]))),
    ]


def _shapes(tf: Any) -> list[Any]:
    """Return shapes with one and two ragged dimensions, rank-2 values, uniform rows, and slices."""
    q = q_(tf)
    pairs = tf.RaggedTensor.from_row_lengths(tf.zeros([3, 2]), [1, 2])
    uniform = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3]]), 2)
    shapes = [tf.shape(x) for x in (r_(tf), q, pairs, uniform)]
    return [*shapes, tf.shape(q)[:2], tf.shape(q)[:1]]


@same
def test_values_of_a_shape(tf: Any) -> Any:
    return [
        [
            tf.zeros(s),
            tf.zeros(shape=s, dtype=tf.string),
            tf.ones(s, tf.int32),
            tf.ones(s, dtype=tf.bool),
            tf.fill(s, 3.0),
            tf.fill(dims=s, value="x"),
            tf.broadcast_to(7, s),
            tf.broadcast_to("x", shape=s),
            str(tf.shape(tf.zeros(s))),
        ]
        for s in _shapes(tf)
    ]


@same
def test_tensors_in_a_shape(tf: Any) -> Any:
    r, q, pairs, *_, part = _shapes(tf)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.fill(r, x).flat_values * 3.0
    return [
        tf.reshape([str(i) for i in range(8)], r),
        tf.reshape(tf.range(6), q),
        tf.reshape(tf.ones([2, 3]), pairs),
        tf.reshape(tf.ones([3, 1]), part),
        tf.reshape(q_(tf), tf.shape(tf.ragged.constant([[1], [2, 3, 4, 5, 6]]))),
        tf.reshape(r_(tf), [2, 4]),
        tf.broadcast_to([[1], [2], [3], [4], [5]], r),
        tf.broadcast_to([1], r),
        tf.broadcast_to([[[1]], [[2]], [[3]]], q),
        tf.broadcast_to([5, 6], pairs),
        tape.gradient(y, x),
        tf.function(lambda x: tf.zeros(tf.shape(x)))(r_(tf)),
        tf.function(lambda x: tf.broadcast_to(x[0], tf.shape(x)))(tf.ragged.constant([[1], [2]])),
    ]


@same
def test_tensors_in_a_shape_errors(tf: Any) -> Any:
    r, _, pairs, *_ = _shapes(tf)
    return [
        error(lambda: tf.reshape([1, 2], r)),
        error(lambda: tf.reshape(r_(tf), [3, 3])),
        error(lambda: tf.fill(r, [1, 2])),
        error(lambda: tf.broadcast_to([1, 2], r)),
        error(lambda: tf.broadcast_to([[1, 2], [3, 4]], pairs)),
        error(lambda: tf.broadcast_to([1, 2, 3], pairs)),
    ]


@same
def test_gather_along_rows(tf: Any) -> Any:
    """Check that the gathered rows are ragged only if the elements or the indices are ragged."""
    rows = tf.ragged.constant([[1, 2, 3], [4, 5]])
    deep = tf.ragged.constant([[[1, 2], [3]], [[4], [5, 6]]])
    pairs = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    picks = tf.ragged.constant([[0, 1], [0]])
    found = [
        tf.gather(x, at, axis=1)
        for x in (rows, deep)
        for at in ([0, 1], [[0, 1], [1, 0]], 0, [0], picks, tf.constant([], tf.int32))
    ]
    found += [tf.gather(pairs, at, axis=1) for at in (0, [0], [[0, 0]])]
    found += [tf.gather(deep, at, axis=-1) for at in (0, [0])]
    found += [tf.gather(x, [[0, 1], [1, 0]], batch_dims=1) for x in (rows, deep)]
    found += [tf.gather(x, [0, 1], axis=1, batch_dims=1) for x in (rows, deep)]
    wrong = [
        lambda: tf.gather(rows, [], axis=1),
        lambda: tf.gather(rows, [], axis=0),
        lambda: tf.gather(pairs, [0, 1], axis=1),
        lambda: tf.gather(rows, [0], batch_dims=1),
        lambda: tf.gather(rows, 0, batch_dims=1),
    ]
    return found, [tf.is_tensor(x) for x in found], [error(call) for call in wrong]


def test_ranges_that_are_too_long() -> None:
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="overflowed"):
        tfpy.ragged.range([0, 0], [2**31 - 1, 1])


@same
def test_division_of_nested_lists(tf: Any) -> Any:
    """Check the ragged axes and the shape of values, also of lists without scalars."""
    lists = [
        [],
        [[]],
        [[], [[]]],
        [[1, 2], [3]],
        [[[1, 2], [3, 4]], [[5, 6]]],
        3,
        [1, 2],
        [[1], 2],
        [[[1, 2], [3]]],
        [[], [[1]], [[[]]]],
    ]
    options: list[dict[str, Any]] = [
        {},
        {"ragged_rank": 1},
        {"ragged_rank": 2},
        {"ragged_rank": -1},
        {"inner_shape": (2,)},
        {"ragged_rank": 1, "inner_shape": (2,)},
    ]
    found = []
    for function in (tf.ragged.constant, tf.compat.v1.ragged.constant_value):
        for rows in lists:
            for given in options:
                try:
                    made = function(rows, **given)
                    found.append([tuple(made.shape), getattr(made, "ragged_rank", 0)])
                except (TypeError, ValueError) as problem:
                    found.append(type(problem).__name__)
    refused = error(lambda: tf.ragged.constant(tf.ragged.constant([[1]])))
    large = tf.compat.v1.ragged.constant_value([[2**63, 1], [2]])
    zeros = tf.compat.v1.ragged.constant_value([[b"\x00", b"a\x00"], []], dtype=object)
    return found, refused, large.values.tolist(), zeros.values.tolist()


@same
def test_axes_out_of_bounds(tf: Any) -> Any:
    r = r_(tf)
    wrong = [
        lambda: tf.concat([r, r], 2),
        lambda: tf.ragged.stack([r, r], -4),
        lambda: tf.ragged.stack([], 0),
        lambda: tf.reduce_sum(r, 5),
        lambda: r.merge_dims(1, 0),
        lambda: r.merge_dims(0, 7),
        lambda: tf.RaggedTensor.from_tensor([1]),
        lambda: tf.RaggedTensor.from_tensor([[1]], ragged_rank=0),
        lambda: tf.RaggedTensor.from_tensor([[1]], ragged_rank=2),
        lambda: tf.RaggedTensor.from_tensor([[1]], padding=[1]),
        lambda: tf.RaggedTensor.from_tensor([[[1]]], ([1], [1]), ragged_rank=3),
    ]
    empty = tf.RaggedTensor.from_tensor(tf.zeros([2, 0, 3]), padding=[0.0, 0.0, 0.0])
    return [error(call) for call in wrong], empty


@same
def test_partitions_of_ragged_tensors(tf: Any) -> Any:
    q, stack = q_(tf), tf.ragged.stack_dynamic_partitions
    found = [
        stack(q, tf.ragged.constant([[1, 0], [], [0]]), 3),
        stack([[1, 2], [3, 4]], [[0, 1], [1, 1]], 2),
        stack([1, 2], 1, 3),
        stack(r_(tf), 0, 2),
    ]
    wrong = [
        lambda: stack([1, 2], [0, 3], 2),
        lambda: stack([1, 2], [0, -1], 2),
        lambda: stack([1, 2], [0], 2),
        lambda: stack(q, tf.ragged.constant([[1], [], [0]]), 3),
        lambda: stack([1, 2], [0, 1], [2]),
    ]
    return found, [error(call) for call in wrong]


@same
def test_gather_along_inner_axes_of_batches(tf: Any) -> Any:
    x = tf.ragged.constant([[[1, 2], [3, 4, 5]], [[6], [7, 8]]])
    first = tf.gather(x, [[0], [0]], axis=2, batch_dims=1)
    return first, tf.gather(x, tf.ragged.constant([[[0], [1, 0]], [[1]]]), batch_dims=1)


@same
def test_crosses_of_arrays(tf: Any) -> Any:
    one = tf.compat.v1
    ragged = one.ragged.constant_value([[1, 2], [3]])
    sparse = one.SparseTensorValue([[0, 0], [1, 0]], ["a", "b"], [2, 1])
    wrong = error(lambda: tf.ragged.cross([[1, 2]]))
    return tf.ragged.cross([ragged, sparse]), tf.sparse.cross([]).dense_shape, wrong
