# ruff: noqa: E501 - a call is a line
"""Functions under ``tf`` that accept ragged and sparse tensors, and functions that map rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, same

import tfpy

NAMES = {
    "r": "tf.ragged.constant([[1, 2], [3]])",
    "f": "tf.ragged.constant([[1.0, 2.0], [3.0]])",
    "w": "tf.ragged.constant([['a b', 'c'], ['d']])",
    "q": "tf.ragged.constant([[[1], [2, 3]], [[4]]])",
    "m": "tf.ragged.constant([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], ragged_rank=1)",
    "v": "tf.compat.v1.ragged.constant_value([[1, 2], [3]])",
    "s": "tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])",
    "i": "tf.SparseTensor([[0, 1], [2, 0]], [5, 7], [3, 2])",
}

RAGGED = """
tf.matmul(tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]]), tf.ones([2, 1]))
tf.matmul(tf.ones([1, 2]), tf.ragged.constant([[1, 2], [3, 4]]), transpose_b=True, output_type=tf.int32)
tf.matmul(f, tf.ones([2, 1]))
tf.matmul(f, tf.ones([2, 2, 2]))
tf.matmul(f, f, transpose_a=True, adjoint_a=True)
tf.matmul(tf.ragged.constant([[[[1.0, 2.0]], [[3.0, 4.0]]], [[[5.0, 6.0]]]]), tf.ragged.constant([[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.0], [6.0]]]]))
tf.matmul(tf.ragged.constant([[[[1.0, 2.0]], [[3.0, 4.0]]]]), tf.ones([1, 2, 2, 1]))
tf.matmul(tf.ragged.constant([[[[1.0, 2.0]]], []]), tf.ones([2, 1, 2, 1]))
tf.compat.v1.where(tf.ragged.constant([[True, False], [True]]), r, -r)
tf.compat.v1.where(tf.ragged.constant([[True, False], [True]]), r, 3)
tf.compat.v1.where([True, False], r, tf.ragged.constant([[4], [6, 7]]))
tf.compat.v1.where(True, r, r)
tf.broadcast_dynamic_shape(tf.shape(r), [1]).static_lengths()
tf.broadcast_dynamic_shape(tf.constant([2, 1]), tf.shape(r)).static_lengths()
tf.broadcast_dynamic_shape(tf.shape(r), tf.constant([3, 1])).static_lengths()
tf.experimental.DynamicRaggedShape.from_lengths([3, 2, 4])[1:].static_lengths()
tf.experimental.DynamicRaggedShape.from_lengths([3, (2, 3, 1), 4])[1:]
tf.experimental.DynamicRaggedShape.from_lengths([3, 2, 4])[::2]
tf.experimental.DynamicRaggedShape.from_tensor(v).static_lengths()
tf.experimental.DynamicRaggedShape.Spec.from_value(tf.shape(r)).num_row_partitions
tf.add(1, v)
tf.add(r, v)
tf.concat([v, v], 0)
tf.reduce_max(v, axis=1)
tf.gather_nd(v, [[0, 1]])
tf.ragged.boolean_mask(v, tf.compat.v1.ragged.constant_value([[True, False], [True]]))
tf.ragged.stack([v, v])
tf.ragged.map_flat_values(tf.negative, v)
tf.strings.length(tf.compat.v1.ragged.constant_value([[b'a', b'bc'], [b'd']]))
tf.data.Dataset.from_tensors({'a': v}).get_single_element()['a']
tf.convert_to_tensor(v)
tf.gather_nd(r, [[0, 1], [1, 0]])
tf.gather_nd(r, [[0], [1]])
tf.gather_nd(r, [1, 0])
tf.gather_nd(q, [[0, 1], [1, 0]])
tf.gather_nd(m, [[1, 1], [0, 0]])
tf.gather_nd(m, [[1, 1, 0], [0, 0, 1]])
tf.gather_nd(r, [[[0, 1]], [[1, 0]]])
tf.gather_nd(r, tf.zeros([2, 0], tf.int32))
tf.gather_nd(r, tf.ragged.constant([[[0, 1]], [[1, 0], [0, 0]]], ragged_rank=1))
tf.gather_nd(tf.constant([[1, 2], [3, 4]]), tf.ragged.constant([[[0, 1]], [[1, 0]]], ragged_rank=1))
tf.gather_nd(r, [[5, 0]])
tf.math.bincount(r)
tf.math.bincount(r, axis=-1)
tf.math.bincount(r, weights=f)
tf.math.bincount(r, minlength=6)
tf.math.bincount(r, maxlength=2)
tf.math.bincount(r, binary_output=True, axis=-1)
tf.math.bincount(r, weights=f, axis=-1)
tf.matmul(m, tf.ones([2, 2, 1]))
tf.matmul(m, tf.ones([2, 1, 2]), transpose_b=True)
tf.matmul(tf.ones([2, 3, 2]), tf.RaggedTensor.from_row_splits(tf.ones([4, 5]), [0, 2, 4]))
tf.matmul(tf.ragged.constant([[[1.0, 2.0]], [[3.0], [5.0]]]), tf.ragged.constant([[[1.0], [2.0]], [[3.0]]]))
tf.matmul(f, tf.ones([2, 1]))
tf.math.unsorted_segment_sum(r, [0, 0], 1)
tf.math.unsorted_segment_max(r, [1, 0], 2)
tf.math.unsorted_segment_mean(f, [0, 0], 2)
tf.math.unsorted_segment_prod(r, [0, 0], 1)
tf.math.unsorted_segment_min(r, [0, 0], 1)
tf.math.unsorted_segment_sqrt_n(f, [0, 0], 1)
tf.math.unsorted_segment_sum(r, tf.ragged.constant([[0, 1], [1]]), 2)
tf.dynamic_partition(r, [0, 1], 2)
tf.dynamic_partition(r, [0, 0], 2)
tf.dynamic_partition(r, tf.ragged.constant([[0, 1], [1]]), 2)
tf.nn.leaky_relu(-f)
tf.nn.leaky_relu(-f, 0.5)
tf.reduce_logsumexp(f, 1)
tf.reduce_logsumexp(f)
tf.reduce_logsumexp(f, 1, keepdims=True)
tf.nn.sigmoid_cross_entropy_with_logits(f, f)
tf.nn.sigmoid_cross_entropy_with_logits(labels=f, logits=-f)
tf.complex(f, f)
tf.math.real(tf.complex(f, f))
tf.math.conj(tf.complex(f, f))
tf.math.sign(f)
tf.debugging.check_numerics(f, "m")
tf.debugging.check_numerics(f / 0.0, "m")
tf.debugging.assert_equal(r, r)
tf.debugging.assert_equal(r, r + 1)
tf.debugging.assert_equal(r, 1)
tf.debugging.assert_less(r, r + 1)
tf.debugging.assert_less(r, r)
tf.debugging.assert_near(f, f)
tf.debugging.assert_type(r, tf.int32)
tf.debugging.assert_type(r, tf.float32)
tf.image.resize(tf.ragged.stack([tf.ones([2, 2, 1]), tf.ones([3, 1, 1])]), [2, 2])
repr(tf.shape(r))
repr(tf.shape(q))
repr(tf.shape(m))
tf.shape(r).rank
tf.shape(r)[0]
tf.shape(r)[1]
tf.shape(m)[-1]
repr(tf.shape(r)[:1])
repr(tf.shape(m)[:2])
[tf.shape(m).num_row_partitions, tf.shape(m).inner_shape, tf.shape(m).inner_rank]
tf.shape(m).static_lengths()
tf.shape(q).static_lengths(ragged_lengths=False)
[tf.shape(m).is_uniform(axis) for axis in (0, 1, 2)]
tf.shape(r) == tf.shape(r + 1)
tf.argmax(r, 1)
tf.sort(r)
tf.boolean_mask(r, [[True, False]])
tf.pad(r, [[0, 0], [1, 1]])
tf.math.segment_sum(r, [0, 0])
tf.math.top_k(f, 1)
tf.nn.log_softmax(f)
tf.nn.l2_loss(f)
tf.slice(r, [0, 0], [1, 1])
tf.unstack(r)
tf.roll(r, 1, 0)
tf.transpose(r)
tf.linalg.matvec(m, [[1.0, 2.0], [3.0, 4.0]])
tf.linalg.matvec(f, [1.0])
""".strip().splitlines()

SPARSE = """
s + 1.0
1.0 + s
s + s
s + tf.ones([3, 2])
s - s
1.0 - s
s * 2.0
2.0 * s
s * tf.ones([3, 2]) * 3.0
s * s
s / 2.0
i / [[2, 2]]
i / 2
s / tf.fill([3, 2], 2.0)
2.0 / s
s // 2.0
s % 2.0
s ** 2.0
-s
abs(s)
~s
tf.abs(s)
tf.negative(s)
tf.sign(s)
s < 1.0
s == s
s != 1.0
s & s
s @ tf.ones([2, 1])
bool(s)
len(s)
list(s)
s[0]
tf.math.bincount(i)
tf.math.bincount(i, axis=-1)
tf.math.bincount(i, weights=s)
tf.sparse.bincount([[1, 2], [2, 0]], maxlength=0)
tf.sparse.bincount(i, maxlength=0)
tf.sparse.bincount([[1, 2], [2, 0]], maxlength=1)
tf.sparse.bincount([[1, 2], [2, 0]], maxlength=2, minlength=5)
tf.math.bincount([1, 2], maxlength=0)
tf.debugging.assert_type(s, tf.float32)
tf.debugging.assert_type(s, tf.int32)
tf.debugging.assert_shapes([(s, (3, 2))])
tf.debugging.assert_shapes([(s, (3, 3))])
tf.debugging.assert_shapes([(s, ("N", 2)), (tf.ones([3]), ("N",))])
tf.SparseTensor.from_value(s)
tf.SparseTensor.from_value(3)
s.set_shape([3, None])
s.set_shape([4, 2])
""".strip().splitlines()

MAPPED = """
tf.map_fn(tf.math.square, f)
tf.map_fn(lambda x: x * 2, r)
tf.map_fn(lambda x: x + 1, q)
tf.map_fn(tf.reduce_sum, r)
tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.int32)
tf.map_fn(tf.reduce_sum, r, fn_output_signature="int32")
tf.map_fn(tf.reduce_mean, r, fn_output_signature=tf.float32)
tf.map_fn(lambda x: x, r, fn_output_signature=tf.int32)
tf.map_fn(lambda x: x * 2, r, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
tf.map_fn(tf.range, tf.constant([3, 1, 0]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
tf.map_fn(lambda x: tf.ragged.range(tf.range(x)), tf.constant([3, 1, 0]), fn_output_signature=tf.RaggedTensorSpec([None, None], tf.int32))
tf.map_fn(lambda x: x[0] + x[1], (r, tf.constant([10, 20])), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
tf.map_fn(lambda x: (x * 2, tf.size(x)), r, fn_output_signature=(tf.RaggedTensorSpec([None], tf.int32), tf.int32))
tf.map_fn(lambda x: tf.strings.join([x, "!"]), w)
tf.map_fn(lambda x: x * 2, tf.ragged.constant([], ragged_rank=1, dtype=tf.int32))
tf.map_fn(lambda x: tf.reduce_sum(x, -1), m, fn_output_signature=tf.RaggedTensorSpec([None], tf.float32))
tf.map_fn(lambda x: tf.sparse.reduce_sum(x), s, fn_output_signature=tf.float32)
tf.map_fn(lambda x: x.values, s, fn_output_signature=tf.RaggedTensorSpec([None], tf.float32))
tf.map_fn(lambda x: x * 2.0, s)
tf.map_fn(lambda x: x * 2.0, s, fn_output_signature=tf.SparseTensorSpec([2], tf.float32))
tf.map_fn(lambda x: tf.sparse.from_dense([x, 0]), tf.constant([1, 2]), fn_output_signature=tf.SparseTensorSpec([2], tf.int32))
tf.function(lambda x: tf.map_fn(lambda y: y * 2, x))(r)
""".strip().splitlines()

SPECS = """
tf.type_spec_from_value(s)
tf.type_spec_from_value(r)
tf.type_spec_from_value(q)
tf.type_spec_from_value(tf.ones([2]))
tf.type_spec_from_value(np.ones([2], np.float32))
tf.type_spec_from_value([1, 2])
tf.type_spec_from_value(object())
tf.RaggedTensorSpec([2, None, 3], tf.int32, ragged_rank=1)
tf.RaggedTensorSpec(None, tf.int32, ragged_rank=1)
tf.RaggedTensorSpec([None, None], tf.int32, ragged_rank=2)
tf.RaggedTensorSpec(None, tf.int32)
tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(r)
tf.RaggedTensorSpec([None, None], tf.float32).is_compatible_with(r)
tf.RaggedTensorSpec([3, None], tf.int32).is_compatible_with(r)
tf.RaggedTensorSpec([None, None]) == tf.RaggedTensorSpec([None, None])
hash(tf.RaggedTensorSpec([None, None])) == hash(tf.RaggedTensorSpec([None, None]))
tf.RaggedTensorSpec([None, None]) == tf.RaggedTensorSpec([2, None])
tf.RaggedTensorSpec.from_value(r)
tf.RaggedTensorSpec([2, None]).value_type.__name__
tf.SparseTensorSpec([None, 3], tf.float32)
tf.SparseTensorSpec()
tf.SparseTensorSpec([None, 2]).is_compatible_with(s)
tf.SparseTensorSpec([None, 3]).is_compatible_with(s)
tf.SparseTensorSpec.from_value(s)
""".strip().splitlines()


@pytest.mark.parametrize("call", [*RAGGED, *SPARSE, *MAPPED, *SPECS])
def test_call(call: str) -> None:
    """Compare the result, or the error class where TensorFlow raises."""
    compare(_result(tfpy, call), _result(tensorflow, call), 1e-5, call)


def _result(tf: Any, call: str) -> Any:
    names = {n: eval(text, {"tf": tf}) for n, text in NAMES.items()}
    try:
        found = eval(call, {"tf": tf, "np": np, **names})
    except Exception as error:
        return type(error).__name__
    return repr(found) if "Spec" in type(found).__name__ else found


@same
def test_parts_by_name(tf: Any) -> Any:
    parts = tensorflow.compat.v1.SparseTensorValue([[0, 1]], [2.0], [1, 2])
    return tf.SparseTensor.from_value(parts)


@same
def test_gradients(tf: Any) -> Any:
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        r = tf.RaggedTensor.from_row_splits(values, [0, 2, 3])
        results = [
            tf.reduce_logsumexp(r, 1),
            tf.math.unsorted_segment_mean(r, [0, 0], 1).flat_values,
            tf.gather_nd(r, [[0, 1], [1, 0]]),
            tf.map_fn(lambda x: x**2, r).flat_values,
            tf.matmul(tf.expand_dims(r, 1), tf.expand_dims(r, 2)).flat_values,
        ]
    return [tf.convert_to_tensor(tape.gradient(y, values)) for y in results]


def test_format() -> None:
    """Format a ragged tensor of numbers.

    Under NumPy 2, TensorFlow formats ragged tensors only if all items are strings.
    """
    r = tfpy.ragged.constant([[1, 2], [3]])
    assert tfpy.strings.format("<{}> {}", [r, 5]).numpy() == b"<[[1, 2], [3]]> 5"
