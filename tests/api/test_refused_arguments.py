"""Arguments that TensorFlow refuses, and booleans in the place of numbers."""

from __future__ import annotations

import inspect
import io
import re
from typing import Any

import numpy as np
import pytest
import tensorflow
from PIL import Image

import tfpy
from tfpy._src.tensors.variables.variable import scope

REFUSED = {
    "a list in einsum": "tf.einsum('i,i->', [1.0, 2.0], [3.0, 4.0])",
    "a list next to a tensor in einsum": "tf.einsum('i,i->', tf.ones([2]), [3.0, 4.0])",
    "a ragged list in ragged.stack": "tf.ragged.stack([[[1], [2, 3]], [[4]]])",
    "negative integers in bins": "tf.math.bincount([-1, 1, 2], minlength=3, maxlength=3)",
    "negative integers in bins of rows": "tf.math.bincount([[-1]], None, 3, 3, axis=-1)",
    "integers in softsign": "tf.nn.softsign([1, 2])",
    "a call without Tout": "tf.py_function(lambda x: x, [1], Tout=None)",
    "a decorator without Tout": "tf.numpy_function(Tout=None)",
    "a call without inp": "tf.numpy_function(lambda: 1, None, tf.int32)",
    "a builtin for AutoGraph": "tf.autograph.to_code(len)",
    "a number for AutoGraph": "tf.autograph.to_code(3)",
    "another unit of density": "tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8), density_unit='m')",
    "an unknown option": "tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8), speed=1)",
    "a boolean as int8": "tf.constant(True, tf.int8)",
    "booleans as uint16": "tf.constant([True, False], tf.uint16)",
    "a boolean as bfloat16": "tf.convert_to_tensor(True, tf.bfloat16)",
    "a Variable of a boolean": "tf.Variable(True, dtype=tf.int8)",
    "a boolean added to int8": "tf.zeros([1], tf.int8) + True",
    "a boolean added to bfloat16": "tf.zeros([1], tf.bfloat16) + True",
    "a boolean compared with bfloat16": "tf.zeros([1], tf.bfloat16) == True",
    "a batch product of bfloat16 and float32": (
        "tf.matmul(tf.ones([2, 2, 2], tf.bfloat16), tf.ones([2, 2, 2]))"
    ),
}

REASONS = {
    "tf.pad([[1, 2]], [1, 2])": "paddings must be a matrix with 2 columns",
    "tf.pad([[1, 2]], [[1], [2]])": "paddings must be a matrix with 2 columns",
    "tf.pad([[1, 2]], [[1, 2]])": "paddings must be the rank of inputs",
    "tf.pad([1], [[-1, 0]])": "Paddings must be non-negative",
    "tf.pad([[1, 2, 3]], [[1, 0], [0, 1]], 'weird')": "Received `mode` = WEIRD",
    "tf.einsum('...a->...a...', tf.ones([2]))": "label appearing more than once",
    "tf.einsum('a->b', tf.ones([2, 2]))": "label b not present",
    "tf.histogram_fixed_width([1.0], 1.0)": "value_range should be a vector",
    "tf.math.segment_mean(3.0, [0])": "input must be at least rank 1",
    "tf.sparse.segment_sum(3.0, [0], [0])": "Shape must be at least rank 1",
    "tf.linalg.LinearOperatorKronecker([])": "list of >=1 operators",
    "tf.raw_ops.ApproximateEqual(x=[1.0], y=[[1.0]])": "x and y must be of the same shape",
    "tf.raw_ops.DenseBincount(input=[1], size=[4], weights=tf.zeros([0]))": "must be rank 0",
    "tf.raw_ops.DenseBincount(input=[[[1]]], size=4, weights=tf.zeros([0]))": "at most rank 2",
    "tf.raw_ops.RaggedBincount(splits=tf.zeros([0], tf.int64), values=[1], size=4, "
    "weights=tf.zeros([0]))": "Splits must be non-empty",
    "tf.raw_ops.SparseBincount(indices=[[0, 1]], values=[1], dense_shape=[1, 1], size=4, "
    "weights=tf.zeros([0]))": "is out of bounds",
    "tf.raw_ops.SparseFillEmptyRowsGrad(reverse_index_map=[1, 9], grad_values=[1.0, 2.0])": (
        "Elements in reverse index must be in [0, 2)"
    ),
}

TAKEN = {
    "a diagonal in Einsum": "tf.raw_ops.Einsum(inputs=[tf.ones([2, 3])], equation='ab->bba')",
    "a diagonal after an ellipsis": (
        "tf.raw_ops.Einsum(inputs=[tf.reshape(tf.range(12.0), [2, 3, 2])], equation='...a->a...a')"
    ),
    "a product of bfloat16 and int8": (
        "tf.matmul(tf.ones([2, 3], tf.bfloat16), tf.ones([3, 2], tf.int8), output_type=tf.bfloat16)"
    ),
    "a boolean as int32": "tf.constant(True, tf.int32)",
    "a boolean as uint64": "tf.constant(True, tf.uint64)",
    "booleans as float16": "tf.constant([[True, False]], tf.float16)",
    "numbers after a boolean": "tf.constant([True, 1], tf.float32)",
    "a boolean added to int32": "tf.constant([1, 2], tf.int32) + True",
    "a boolean added to float16": "tf.zeros([1], tf.float16) + True",
    "a boolean in a function": "tf.function(lambda x: x + True)(tf.zeros([1], tf.int8))",
    "a constant in a function": "tf.function(lambda: tf.constant(True, tf.bfloat16))()",
    "arrays in einsum": "tf.einsum('i,i->', *np.ones([2, 3], np.float32))",
    "a single ragged tensor": "tf.ragged.stack(tf.ragged.constant([[1], [2, 3]])).to_list()",
}


def refusals() -> tuple[type[Exception], ...]:
    """Return TensorFlow's classes of errors for these arguments."""
    from tensorflow.python.autograph.impl.api import ConversionError

    invalid = tensorflow.errors.InvalidArgumentError
    return AttributeError, TypeError, ValueError, ConversionError, invalid


def evaluated(tf: Any, expression: str) -> Any:
    return eval(expression, {"tf": tf, "np": np})


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(refusals()):
        evaluated(tensorflow, REFUSED[name])
    with pytest.raises((ValueError, TypeError, tfpy.errors.InvalidArgumentError)):
        evaluated(tfpy, REFUSED[name])


@pytest.mark.parametrize("expression", REASONS)
def test_reason(expression: str) -> None:
    reason = re.escape(REASONS[expression])
    with pytest.raises(refusals(), match=reason):
        evaluated(tensorflow, expression)
    with pytest.raises((ValueError, tfpy.errors.InvalidArgumentError), match=reason):
        evaluated(tfpy, expression)


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    assert repr(evaluated(tfpy, TAKEN[name])) == repr(evaluated(tensorflow, TAKEN[name]))


def test_parameters_of_encode_jpeg() -> None:
    mine, theirs = (inspect.signature(tf.io.encode_jpeg).parameters for tf in (tfpy, tensorflow))
    assert {n: p.default for n, p in mine.items()} == {n: p.default for n, p in theirs.items()}


def test_options_of_encode_jpeg() -> None:
    image = np.random.default_rng(0).integers(0, 256, [16, 16, 3], np.uint8)
    options = {"progressive": True, "chroma_downsampling": False, "density_unit": "cm"}
    files = [
        tf.io.encode_jpeg(image, x_density=100, y_density=50, **options).numpy()
        for tf in (tfpy, tensorflow)
    ]
    mine, theirs = (Image.open(io.BytesIO(data)) for data in files)
    assert mine.info["progressive"] == theirs.info["progressive"] == 1
    assert mine.layer == theirs.layer, "the resolution of the colors"
    np.testing.assert_allclose(mine.info["dpi"], theirs.info["dpi"], rtol=1e-2)


def test_a_positional_synchronization(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "replicas", 2)
    positions = list(inspect.signature(tfpy.Variable.__init__).parameters)[1:]
    before = [None] * positions.index("synchronization")
    made = tfpy.Variable.__new__(tfpy.Variable, *before, tfpy.VariableSynchronization.ON_READ)
    assert type(made).__name__ == "OnRead"
