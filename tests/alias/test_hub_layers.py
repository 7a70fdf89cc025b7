"""Preprocessing layers of KerasHub as functions of datasets."""

from __future__ import annotations

import types
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.keras_support import hub_preprocessing


def _layer() -> Any:
    """Return a tokenizer that counts the letters of words, with KerasHub's methods."""

    class PreprocessingLayer:
        name, compute_dtype, _allow_python_workflow = "counting", "int32", True

        def _use_tf_workflow(self) -> bool:
            return False

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
        def tokenize(self, texts: Any) -> Any:
            rows = Counting()(texts)
            assert isinstance(rows, list)
            return {"ids": [[*row, 0, 0][:2] for row in rows], "words": [["b"], []]}, None

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
    packed, none = next(iter(texts.map(packing)))
    assert none is None
    assert packed["ids"].numpy().tolist() == [[1, 2], [2, 0]]
    assert packed["words"].to_list() == [[b"b"], []]


def test_results_elsewhere_are_lists() -> None:
    counting, _ = _layer()
    rows = [[1, 2, 3], [2], [1, 2]]
    assert counting(tf.constant(TEXTS)) == rows
    with pytest.warns(UserWarning, match="'counting' of KerasHub runs as Python code"):
        assert tf.function(lambda x: counting(x))(tf.constant(TEXTS)) == rows
