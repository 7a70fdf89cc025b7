"""Lists of datasets, and functions of datasets without elements, behave as in TensorFlow."""

from __future__ import annotations

import re
from typing import Any

import pytest
from api.same import same

import tfpy


def shown(dataset: Any) -> list[Any]:
    return [x.numpy().tolist() for x in dataset]


def spec_of(dataset: Any) -> str:
    return str(dataset.element_spec)


@same
def test_slices_of_datasets(tf: Any) -> Any:
    data = tf.data.Dataset
    three = [data.range(3), data.range(5), data.range(2)]
    slices = data.from_tensor_slices(three)
    other = data.from_tensor_slices(
        [data.from_tensors(tf.zeros([2])), data.from_tensors(tf.ones([3]))]
    )
    pairs = data.from_tensor_slices((three, [1, 2, 3]))
    named = data.from_tensor_slices({"a": three, "b": [1, 2, 3]})
    zipped = data.from_tensor_slices([data.zip((data.range(2), data.range(2)))])
    return [
        spec_of(slices),
        shown(slices.flat_map(lambda d: d)),
        shown(slices.interleave(lambda d: d, cycle_length=2)),
        [shown(d) for d in slices],
        int(slices.cardinality()),
        shown(slices.repeat(2).skip(1).flat_map(lambda d: d)),
        spec_of(other),
        shown(other.flat_map(lambda d: d)),
        spec_of(pairs),
        shown(pairs.flat_map(lambda d, i: d.map(lambda x: x * tf.cast(i, tf.int64)))),
        spec_of(named),
        shown(zipped.flat_map(lambda d: d.map(lambda a, b: a + b))),
    ]


@same
def test_elements_that_are_lists_of_datasets(tf: Any) -> Any:
    data = tf.data.Dataset
    whole = data.from_tensors([data.range(n) for n in (3, 1)])
    batches = data.range(5).map(lambda n: data.range(n)).batch(2, drop_remainder=True)
    rest = data.range(5).map(data.from_tensors).batch(2)
    return [
        spec_of(whole),
        shown(whole.unbatch().flat_map(lambda d: d)),
        shown(whole.flat_map(data.from_tensor_slices).flat_map(lambda d: d)),
        spec_of(batches),
        shown(batches.unbatch().flat_map(lambda d: d)),
        spec_of(rest),
        shown(rest.map(lambda d: d).unbatch().flat_map(lambda d: d)),
    ]


@same
def test_functions_without_elements(tf: Any) -> Any:
    none = tf.data.Dataset.range(0)
    filled = none.map(lambda n: tf.fill([n], n))
    return [
        spec_of(filled),
        spec_of(none.map(lambda n: (tf.fill([n], 1.0), n))),
        spec_of(filled.padded_batch(2)),
        spec_of(filled.ragged_batch(2)),
        shown(filled.batch(2)),
        shown(none.interleave(lambda n: tf.data.Dataset.from_tensors(tf.fill([n], n)))),
    ]


def test_errors() -> None:
    data = tfpy.data.Dataset
    for other in (data.from_tensors("a"), data.zip((data.range(1), data.range(1)))):
        with pytest.raises(ValueError, match="datasets with different elements"):
            data.from_tensor_slices([data.range(3), other])

    def impossible(n: Any) -> Any:
        return tfpy.fill([int(n) - 1], 1)

    with pytest.raises(ValueError, match=re.escape("a call with zeros raised")):
        print(data.range(0).map(impossible).element_spec)
    batches = data.range(4).map(data.from_tensors).batch(2)
    with pytest.raises(TypeError, match="lists of datasets cannot be batched"):
        print(batches.batch(2).element_spec)
