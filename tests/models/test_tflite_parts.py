"""Rare parts of TFLite files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as reference
from flatbuffers import flexbuffers

import tfpy as tf
from tests.models.tflite import converted
from tfpy._src.base import unpack_limit
from tfpy._src.formats.encodings import flexbuffers as flex
from tfpy._src.formats.tflite.model import read_tflite
from tfpy._src.formats.tflite.reader.schema import IDENTIFIER, SCHEMA
from tfpy._src.formats.tflite.reader.tensors import TYPES, constant_of, info_of
from tfpy._src.library.io.checked_json import ModelFileError


def tensor(shape: list[int], dtype: str, **more: Any) -> dict[str, Any]:
    """Return the table of a tensor."""
    ints = np.array(shape, np.int32)
    given = {"name": "t", "shape": ints, "type": TYPES.index(dtype), "quantization": None}
    return {**given, "shape_signature": np.zeros(0, np.int32), "sparsity": None, **more}


def constant(table: dict[str, Any], data: bytes) -> Any:
    return constant_of(table, info_of(table), np.frombuffer(data, np.uint8))


def test_numbers_of_few_bits() -> None:
    """Check that the lowest bits come first."""
    assert constant(tensor([3], "int4"), b"\xf1\x08").tolist() == [1, -1, -8]
    assert constant(tensor([3], "uint4"), b"\xf1\x08").tolist() == [1, 15, 8]
    assert constant(tensor([4], "int2"), b"\xe4").tolist() == [0, 1, -2, -1]
    assert constant(tensor([2], "bfloat16"), b"\x80\x3f\x00\xc0").tolist() == [1.0, -2.0]
    with pytest.raises(ModelFileError, match="do not match 3 bytes"):
        constant(tensor([3], "int4"), b"abc")


def test_texts() -> None:
    data = np.array([2, 16, 18, 21], "<i4").tobytes() + b"ab" + b"cde"
    assert constant(tensor([2], "string"), data).tolist() == [b"ab", b"cde"]
    with pytest.raises(ModelFileError, match="not in the file"):
        constant(tensor([2], "string"), data[:-1])


def sparsity(indices: list[int]) -> dict[str, Any]:
    """Return the sparsity of 4 x 4 numbers in blocks of 2 x 2: some blocks per row, all in each."""
    dense = {"format": 0, "dense_size": 2, "array_segments": None, "array_indices": None}
    listed = {
        "format": 1,
        "dense_size": 0,
        "array_segments": {"values": np.array([0, 1, 3], np.uint8)},
        "array_indices": {"values": np.array(indices, np.uint8)},
    }
    return {
        "traversal_order": np.array([0, 1, 2, 3], np.int32),
        "block_map": np.array([0, 1], np.int32),
        "dim_metadata": [dense, listed, dense, dense],
    }


def test_sparse_blocks() -> None:
    data = np.arange(1, 13, dtype="<f4").tobytes()
    found = constant(tensor([4, 4], "float32", sparsity=sparsity([1, 0, 1])), data)
    wanted = [[0, 0, 1, 2], [0, 0, 3, 4], [5, 6, 9, 10], [7, 8, 11, 12]]
    np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ModelFileError, match="outside of its shape"):
        constant(tensor([4, 4], "float32", sparsity=sparsity([1, 0, 2])), data)
    with pytest.raises(ModelFileError, match="4 values, expected 12"):
        constant(tensor([4, 4], "float32", sparsity=sparsity([1, 0, 1])), data[:16])


def test_weights_behind_the_tables() -> None:
    """Check that files that are too large for FlatBuffers store weights after the tables."""
    rng = np.random.default_rng(0)
    weights = reference.constant(rng.normal(size=(8, 3)).astype(np.float32))
    x = rng.normal(size=(2, 8)).astype(np.float32)
    data = converted(lambda x: {"y": reference.matmul(x, weights)}, x, behind=True)
    buffers = SCHEMA.read(memoryview(data), "Model", IDENTIFIER)["buffers"]
    assert any(one["offset"] > 1 for one in buffers)
    np.testing.assert_allclose(read_tflite(data)(x), x @ weights.numpy(), rtol=1e-5, atol=1e-6)


def test_constants_that_share_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that each constant counts towards the limit.

    Many small tables may share their bytes.
    """
    weights = reference.constant(np.ones((8, 64), np.float32))
    x = np.ones((2, 8), np.float32)
    data = converted(lambda x: {"y": reference.matmul(x, weights)}, x)
    monkeypatch.setattr(unpack_limit, "RATIO", 0)
    before = tf.env().get(unpack_limit.FLAG)
    try:
        tf.env().set(unpack_limit.FLAG, 8 * 64 * 4 - 1)
        with pytest.raises(ModelFileError, match="may unpack to 2047 bytes"):
            read_tflite(data)
    finally:
        tf.env().set(unpack_limit.FLAG, before)
    read_tflite(data)


class _Two(reference.Module):  # type: ignore[misc]
    @reference.function(input_signature=[reference.TensorSpec([3], name="x")])
    def doubled(self, x: Any) -> Any:
        return {"more": x * 2.0}

    @reference.function(
        input_signature=[reference.TensorSpec([3], name="x"), reference.TensorSpec([3], name="y")]
    )
    def added(self, x: Any, y: Any) -> Any:
        return {"sum": x + y, "difference": x - y}


def test_several_signatures(tmp_path: Path) -> None:
    module = _Two()
    signatures = {"doubled": module.doubled, "added": module.added}
    reference.saved_model.save(module, str(tmp_path), signatures)
    converter = reference.lite.TFLiteConverter.from_saved_model(str(tmp_path))
    model = read_tflite(converter.convert())
    x, y = np.array([1, 2, 3], np.float32), np.array([5, 1, 4], np.float32)
    assert set(model.signatures) == {"doubled", "added"}
    np.testing.assert_array_equal(model.signatures["doubled"](x=x)["more"], x * 2)
    found = model.signatures["added"](x=x, y=y)
    np.testing.assert_array_equal(found["sum"], x + y)
    np.testing.assert_array_equal(found["difference"], x - y)


def test_options_of_custom_operations() -> None:
    wanted = {"a": 5, "f": 2.5, "t": "hey", "v": [1000, "x", 1.25, None], "m": {"k": -4}}
    data = bytes(flexbuffers.Dumps(wanted))
    assert flex.read(data) == wanted
    rng, refused = np.random.default_rng(2), 0
    for _ in range(3000):
        broken = bytearray(data)
        for _ in range(int(rng.integers(1, 4))):
            broken[int(rng.integers(len(broken)))] = int(rng.integers(256))
        try:
            flex.read(bytes(broken))
        except ModelFileError:
            refused += 1
    assert refused > 500


def test_shapes_that_calls_choose() -> None:
    """Check that a call sets a size that the file leaves open.

    Gradients pass through the model.
    """
    spec = reference.TensorSpec([None, 4], name="x")
    function = reference.function(lambda x: {"y": reference.tanh(x) * 3.0}, input_signature=[spec])
    converter = reference.lite.TFLiteConverter.from_concrete_functions(
        [function.get_concrete_function()], reference.Module()
    )
    model = read_tflite(converter.convert())
    assert model.inputs[0].shape.as_list() == [None, 4]
    for rows in (1, 3):
        x = tf.Variable(tf.ones([rows, 4]))
        with tf.GradientTape() as tape:
            y = model.execute({"x": x}, model.outputs)[0]
        assert y.shape == (rows, 4)
        np.testing.assert_allclose(tape.gradient(y, x), 3 * (1 - np.tanh(1.0) ** 2), rtol=1e-4)


def _thrice(x: Any) -> list[Any]:
    """Return three outputs. The first two become one tensor of the file."""
    return [reference.maximum(x, 0.0), reference.nn.relu(x), reference.reduce_sum(x)]


def test_a_tensor_that_is_listed_twice_as_output() -> None:
    """Load a file without signatures."""
    x = np.array([1.0, -2.0, 3.0, -4.0], np.float32)
    traced = reference.function(_thrice, input_signature=[reference.TensorSpec([4])])
    converter = reference.lite.TFLiteConverter.from_concrete_functions(
        [traced.get_concrete_function()], traced
    )
    model = read_tflite(converter.convert())
    assert len(model.outputs) == len({*model.outputs}) == 3
    for found in (model(x), model.predict(x), model.execute(x)):
        assert [np.asarray(v).tolist() for v in found] == [[1, 0, 3, 0], [1, 0, 3, 0], -2]
    ((_, call),) = model.signatures.items()
    assert [*call(x)] == model.outputs


def test_a_tensor_that_is_listed_twice_as_output_of_two_signatures(tmp_path: Path) -> None:
    module = reference.Module()
    spec = reference.TensorSpec([4], name="x")
    named = {
        key: reference.function(
            lambda x, k=k: {name: y + k for name, y in zip("abc", _thrice(x), strict=True)},
            input_signature=[spec],
        )
        for k, key in enumerate(("first", "second"))
    }
    module.first, module.second = named.values()
    reference.saved_model.save(module, str(tmp_path), signatures=named)
    keys = list(named)
    converter = reference.lite.TFLiteConverter.from_saved_model(str(tmp_path), signature_keys=keys)
    model = read_tflite(converter.convert())
    x = np.array([1.0, -2.0, 3.0, -4.0], np.float32)
    for k, key in enumerate(keys):
        found = model.signatures[key](x)
        assert [np.asarray(found[n]).tolist() for n in "ab"] == [[1 + k, k, 3 + k, k]] * 2
        assert float(found["c"]) == k - 2
