"""SavedModels of functions with arguments and results that are not tensors.

TensorFlow does not resolve annotations that are strings, so the module does not postpone them.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy


def masked_type(tf: Any, name: str | None = "tfpy_tests.Masked") -> Any:
    class Scale(tf.experimental.ExtensionType):
        factor: tf.Tensor

        if name:
            __name__ = f"{name}Scale"

    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor
        scale: Scale
        label: str = "a"

        if name:
            __name__ = name

    Masked.Scale = Scale
    return Masked


def module_of(tf: Any, kind: Any) -> Any:
    spec = kind.Spec(
        tf.TensorSpec([None, 2]), tf.TensorSpec([None, 2], tf.bool),
        kind.Scale.Spec(tf.TensorSpec([])), "b",
    )  # fmt: skip

    @tf.function(input_signature=[spec, tf.TensorSpec([])])
    def grow(x: Any, by: Any) -> Any:
        larger = kind(x.values * by * x.scale.factor, ~x.mask, x.scale, x.label)
        return {"larger": larger, "sum": tf.reduce_sum(x.values)}

    module = tf.Module()
    module.grow = grow
    return module


KINDS: dict[Any, Any] = {}


@pytest.mark.parametrize("writer", [tfpy, tensorflow])
@pytest.mark.parametrize("reader", [tfpy, tensorflow])
def test_extension_types(writer: Any, reader: Any, tmp_path: Path) -> None:
    for tf in (writer, reader):
        if tf not in KINDS:
            KINDS[tf] = masked_type(tf)
    writer.saved_model.save(module_of(writer, KINDS[writer]), str(tmp_path))
    kind, loaded = KINDS[reader], reader.saved_model.load(str(tmp_path))
    given = kind([[1.0, 2.0]], [[True, False]], kind.Scale(3.0), "b")
    found = loaded.grow(given, 2.0)
    assert type(found["larger"]) is kind
    assert found["larger"].label == "b"
    np.testing.assert_array_equal(found["larger"].values, [[6.0, 12.0]])
    np.testing.assert_array_equal(found["larger"].mask, [[False, True]])
    assert float(found["sum"]) == 3.0
    other = loaded.grow(kind([[1.0, 2.0]], [[True, False]], kind.Scale(3.0), "other"), 2.0)
    assert other["larger"].label == "b"  # of the function that was saved
    with pytest.raises(TypeError, match="Can not cast"):
        loaded.grow(kind([1.0, 2.0], [True, False], kind.Scale(3.0)), 2.0)


def test_types_without_a_name(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="No encoder for object"):
        tfpy.saved_model.save(module_of(tfpy, masked_type(tfpy, None)), tmp_path)


def test_types_that_are_not_defined(tmp_path: Path) -> None:
    kind = masked_type(tensorflow, "tfpy_tests.Absent")
    tensorflow.saved_model.save(module_of(tensorflow, kind), str(tmp_path))
    with pytest.raises(ValueError, match=r"'tfpy_tests\.Absent(Scale)?' is not defined"):
        tfpy.saved_model.load(tmp_path)


def test_ragged_and_sparse_tensors_of_tensorflow(tmp_path: Path) -> None:
    tf = tensorflow

    ragged_spec = tf.RaggedTensorSpec([None, None, 2], ragged_rank=1)

    @tf.function(input_signature=[ragged_spec, tf.SparseTensorSpec([2, 3])])
    def both(x: Any, y: Any) -> Any:
        return x * 2.0, tf.sparse.map_values(tf.negative, y), tf.reduce_sum(x, 1)

    module = tf.Module()
    module.both = both
    tf.saved_model.save(module, str(tmp_path))
    loaded = tfpy.saved_model.load(tmp_path)
    ragged = tfpy.RaggedTensor.from_row_lengths([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [1, 2])
    ragged = ragged.with_row_splits_dtype(tfpy.int64)
    sparse = tfpy.sparse.from_dense([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
    doubled, negative, total = loaded.both(ragged, sparse)
    assert doubled.to_list() == [[[2.0, 4.0]], [[6.0, 8.0], [10.0, 12.0]]]
    dense = tfpy.sparse.to_dense(negative).numpy()
    np.testing.assert_array_equal(dense, [[0.0, -1.0, 0.0], [-2.0, 0.0, 0.0]])
    np.testing.assert_array_equal(total, [[1.0, 2.0], [8.0, 10.0]])
