"""Preprocessing layers of KerasHub as functions of datasets."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.keras_support import hub_preprocessing

tf_text = None
"""The modules of KerasHub that need tensorflow_text have this name."""


def _layer() -> Any:
    """Return a tokenizer that counts the letters of words, and a packer of its results."""

    class PreprocessingLayer:
        name, compute_dtype, _allow_python_workflow = "counting", "int32", True

        def _use_tf_workflow(self) -> bool:
            return not tf.executing_eagerly()

        def __call__(self, texts: Any) -> Any:
            return self.tokenize(texts)

        def tokenize(self, texts: Any) -> Any:
            raise NotImplementedError

    hub_preprocessing.replace(types.SimpleNamespace(PreprocessingLayer=PreprocessingLayer))  # type: ignore[arg-type]

    class Counting(PreprocessingLayer):
        def tokenize(self, texts: Any) -> Any:
            assert not self._use_tf_workflow()
            return [[len(word) for word in text.split()] for text in texts.numpy().tolist()]

        def detokenize(self, rows: Any) -> Any:
            return ["".join("a" * n for n in row) for row in rows.to_list()]

    class Packing(PreprocessingLayer):
        sequence_length = 2

        def tokenize(self, texts: Any) -> Any:
            rows = Counting()(texts)
            assert isinstance(rows, list)
            packed = np.array([[*row, 0, 0][:2] for row in rows], "int32")
            return {"ids": packed, "words": [["b"], []]}, np.zeros(len(rows), "int32"), None

    return Counting(), Packing()


TEXTS = ["a bb ccc", "dd", "e ff"]


def test_results_in_datasets_are_tensors() -> None:
    counting, packing = _layer()
    texts = tf.data.Dataset.from_tensor_slices(TEXTS).batch(2)
    for function in (counting, counting.tokenize):
        rows = texts.map(function)
        assert rows.element_spec == tf.RaggedTensorSpec([None, None], tf.int32)
        assert [row.to_list() for row in rows] == [[[1, 2, 3], [2]], [[1, 2]]]
    joined = texts.map(lambda x: counting.detokenize(counting(x)))
    assert [x.numpy().tolist() for x in joined] == [[b"aaaaaa", b"aa"], [b"aaa"]]
    packed, labels, none = next(iter(texts.map(packing)))
    assert (labels.shape, none) == ([2], None)
    assert packed["ids"].numpy().tolist() == [[1, 2], [2, 0]]
    assert packed["words"].to_list() == [[b"b"], []]
    specs = texts.map(packing).element_spec
    assert specs[0]["ids"] == tf.TensorSpec([None, 2], tf.int32)
    assert specs[1] == tf.TensorSpec([None], tf.int32)


def test_results_elsewhere_are_lists() -> None:
    counting, _ = _layer()
    rows = [[1, 2, 3], [2], [1, 2]]
    assert counting(tf.constant(TEXTS)) == rows
    with pytest.warns(UserWarning, match="'counting' of KerasHub runs as Python code"):
        assert tf.function(lambda x: counting(x))(tf.constant(TEXTS)) == rows
