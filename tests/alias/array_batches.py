"""A program for test_alias.py: batches of arrays equal the batches of Keras's own datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter

COUNT = 23
X = np.random.default_rng(0).normal(size=(COUNT, 3, 2))
Y = np.arange(COUNT)
NAMES = np.array([f"{n}" for n in Y], object)
ARGUMENTS: list[dict[str, Any]] = [
    {"x": X},
    {"x": X, "y": Y},
    {"x": tf.constant(X, tf.float32), "y": Y, "sample_weight": Y / 2},
    {"x": {"b": X, "a": [Y, X]}, "y": (Y, Y)},
    {"x": X, "y": Y, "class_weight": dict.fromkeys(range(COUNT), 2.0)},
    {"x": NAMES, "y": Y},
]


def batches(make: Any, adapter: Any) -> Any:
    """Return the spec, the elements of two iterations, and random numbers drawn afterwards."""
    tf.random.set_seed(5)
    dataset = make(adapter)
    found = [tf.nest.flatten(element) for _ in range(2) for element in dataset]
    return dataset.element_spec, found, tf.random.uniform([2]).numpy()


for given in ARGUMENTS:
    for size in (1, 5, COUNT, 40):
        for shuffle in (False, True, "batch"):
            adapter = ArrayDataAdapter(batch_size=size, shuffle=shuffle, **given)
            mine = batches(ArrayDataAdapter.get_tf_dataset, adapter)
            plain = batches(ArrayDataAdapter.get_tf_dataset.__wrapped__, adapter)
            assert mine[0] == plain[0], (mine[0], plain[0])
            assert len(mine[1]) == len(plain[1]) == 2 * -(-COUNT // size)
            for a, b in zip(mine[1], plain[1], strict=True):
                assert [t.dtype for t in a] == [t.dtype for t in b]
                for one, other in zip(a, b, strict=True):
                    np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(mine[2], plain[2])
sparse = tf.sparse.from_dense(np.eye(4, dtype=np.float32))
(batch, _) = ArrayDataAdapter(sparse, batch_size=2).get_tf_dataset()
assert isinstance(batch, tf.SparseTensor)
print("all as it should be")
