"""Tensors as Python objects: copies, pickles, attributes, hashes, truth values, memory."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from api.same import error, same

import tfpy

VALUES: list[Any] = [
    [[1.0, 2.0], [3.0, 4.0]],
    3,
    [True, False],
    np.zeros([0, 2], np.float32),
    "text",
]


@same
def test_pickles(tf: Any) -> Any:
    tensors = [tf.constant(v) for v in VALUES] + [tf.constant(1 + 2j, tf.complex64)]
    return [pickle.loads(pickle.dumps(t)) for t in tensors]


@same
def test_copies_are_the_tensor_itself(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = copy.deepcopy({"a": [x]})["a"][0] * copy.copy(x)
    return [copy.copy(x) is x, copy.deepcopy(x) is x, y, tape.gradient(y, x)]


@same
def test_pickles_of_what_describes_tensors(tf: Any) -> Any:
    described = [
        tf.float32,
        tf.string,
        tf.TensorShape([1, None]),
        tf.TensorShape(None),
        tf.TensorSpec([1, None], tf.int32, "x"),
    ]
    found = [pickle.loads(pickle.dumps(d)) for d in described]
    return [
        [d == f for d, f in zip(described, found, strict=True)],
        found[0] is tf.float32,
        copy.deepcopy(tf.float32) is tf.float32,
        pickle.loads(pickle.dumps(tf.ragged.constant([[1], [2, 3]]))),
        pickle.loads(pickle.dumps(tf.sparse.from_dense([[1, 0]]))),
    ]


@same
def test_symbolic_tensors_have_no_pickle(tf: Any) -> Any:
    return error(lambda: tf.function(lambda x: pickle.dumps(x))(tf.constant(1.0)))


@same
def test_attributes(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    x.note = "kept"

    def noting(a: Any) -> Any:
        a.note = 3.0
        return a * a.note

    return [x.note, vars(x), tf.function(noting)(x)]


@same
def test_hashes_and_references(tf: Any) -> Any:
    x, v = tf.constant(1.0), tf.Variable(1.0)
    named = tf.nest.flatten({x.ref(): 1, v.ref(): 2})
    return [
        error(lambda: hash(x)),
        error(lambda: {v}),
        sorted(named),
        (x.ref() < v.ref()) != (v.ref() < x.ref()),
        repr(x.ref()),
    ]


def test_why_tensors_are_no_keys() -> None:
    with pytest.raises(TypeError, match=r"Tensor is unhashable. Instead, use tensor.ref\(\)"):
        hash(tfpy.constant(1))
    with pytest.raises(TypeError, match=r"Variable is unhashable. Instead, use variable.ref\(\)"):
        hash(tfpy.Variable(1))


@same
def test_truth_and_devices(tf: Any) -> Any:
    x = tf.constant([1.0])
    return [
        bool(tf.constant([])),
        bool(tf.constant([3])),
        error(lambda: bool(tf.constant([1, 2]))),
        x.device,
        (x + 1.0).device,
        tf.Variable(1.0).device,
    ]


@same
def test_keywords_of_map_structure(tf: Any) -> Any:
    return [
        error(lambda: tf.nest.map_structure(lambda a: a, [1], foo=1)),
        tf.nest.map_structure(lambda a, b: a + b, [1], (2,), check_types=False),
    ]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python has __buffer__ from 3.12 on")
def test_memory() -> None:
    view = memoryview(tfpy.constant([[1.0, 2.0]]))  # type: ignore[arg-type]
    assert (view.shape, view.format, view.readonly) == ((1, 2), "f", True)
    assert view.tolist() == [[1.0, 2.0]]
