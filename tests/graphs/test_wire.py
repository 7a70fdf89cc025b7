"""The reader of Protocol Buffers compared with their own package, and on corrupt bytes."""

from __future__ import annotations

import contextlib
import struct
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tensorflow.core.framework import attr_value_pb2, tensor_pb2
from tensorflow.core.framework.graph_pb2 import GraphDef

from tfpy._src.formats.encodings import protobuf
from tfpy._src.formats.encodings.protobuf import Message, read
from tfpy._src.formats.tensorflow.reader.messages import GRAPH, TENSOR
from tfpy._src.library.io.checked_json import ModelFileError

NESTED = Message("Nested")
NESTED.fields[1] = ("inner", NESTED)

FLOATS = st.floats(width=32, allow_nan=False)
INT64 = st.integers(-(2**63), 2**63 - 1)


@given(
    floats=st.lists(FLOATS, max_size=5),
    doubles=st.lists(st.floats(allow_nan=False), max_size=3),
    ints=st.lists(INT64 | st.integers(0, 200), max_size=9),
    unsigned=st.lists(st.integers(0, 2**64 - 1), max_size=4),
    bools=st.lists(st.booleans(), max_size=4),
    texts=st.lists(st.binary(max_size=6), max_size=3),
    sizes=st.lists(st.integers(-1, 2**40), max_size=3),
)
def test_numbers(floats: Any, doubles: Any, ints: Any, unsigned: Any, bools: Any, texts: Any,
                 sizes: Any) -> None:  # fmt: skip
    proto = tensor_pb2.TensorProto(dtype=3, float_val=floats, double_val=doubles, int64_val=ints)
    proto.uint64_val.extend(unsigned)
    proto.bool_val.extend(bools)
    proto.string_val.extend(texts)
    for size in sizes:
        proto.tensor_shape.dim.add(size=size)
    found = read(proto.SerializeToString(), TENSOR)
    assert found["dtype"] == 3
    np.testing.assert_array_equal(found["float_val"], np.array(floats, np.float32))
    np.testing.assert_array_equal(found["double_val"], np.array(doubles, np.float64))
    np.testing.assert_array_equal(found["int64_val"], np.array(ints, np.int64))
    np.testing.assert_array_equal(found["uint64_val"], np.array(unsigned, np.uint64))
    np.testing.assert_array_equal(found["bool_val"], np.array(bools, bool))
    assert [bytes(text) for text in found["string_val"]] == texts
    dims = found["tensor_shape"]["dim"] if sizes else []
    assert [d.get("size", 0) for d in dims] == sizes
    assert "tensor_content" not in found


def example() -> bytes:
    graph = GraphDef()
    for i in range(4):
        node = graph.node.add(name=f"n{i}", op="Op", input=["a", "b:1"])
        node.attr["k"].CopyFrom(attr_value_pb2.AttrValue(i=-i))
        node.attr["t"].tensor.CopyFrom(tensor_pb2.TensorProto(float_val=[1, 2], int64_val=[300]))
        node.attr["t"].tensor.tensor_content = bytes(range(20))
    return graph.SerializeToString()


def test_messages_and_maps() -> None:
    nodes = read(example(), GRAPH)["node"]
    assert [node["name"] for node in nodes] == ["n0", "n1", "n2", "n3"]
    assert nodes[2]["input"] == ["a", "b:1"]
    assert nodes[3]["attr"]["k"]["i"] == -3
    tensor = nodes[3]["attr"]["t"]["tensor"]
    assert tensor["int64_val"].tolist() == [300]
    assert bytes(tensor["tensor_content"]) == bytes(range(20))
    without_key = b"\x0a\x03\x12\x01a"
    texts = Message("M", {1: ("of", protobuf.mapped(protobuf.STRING))})
    assert read(without_key, texts) == {"of": {"": "a"}}


def test_bytes_are_views() -> None:
    data = example()
    content = read(data, GRAPH)["node"][0]["attr"]["t"]["tensor"]["tensor_content"]
    assert content.obj is data


def test_numbers_packed_and_not() -> None:
    data = bytes([0x50, 1, 0x52, 2, 0xAC, 0x02, 0x50, 7])
    assert read(data, TENSOR)["int64_val"].tolist() == [1, 300, 7]


REFUSED = {
    "ends within a tag": (b"\x80", "ends within a number"),
    "number too long": (b"\x08" + b"\x80" * 10 + b"\x01", "more than ten bytes"),
    "length beyond the end": (b"\x12\x05ab", "5 bytes, but only 2 are left"),
    "huge length": (b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "are left"),
    "field number 0": (b"\x00\x01", "0 is not a field number"),
    "group": (b"\x0b\x0c", "wire type 3"),
    "wire type 7": (b"\x0f", "wire type 7"),
    "number for a message": (b"\x10\x01", "tensor_shape has the wire type 0, which is not a"),
    "message twice": (b"\x12\x00\x12\x00", "tensor_shape occurs twice"),
    "packed floats cut": (b"\x2a\x03abc", "not a multiple of 4"),
    "packed numbers cut": (b"\x52\x02\x01\x80", "ends within a number"),
    "packed number too long": (b"\x52\x0b" + b"\x80" * 10 + b"\x01", "more than ten bytes"),
    "fixed cut": (b"\x2d\x00", "4 bytes, but only 1 are left"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    data, text = REFUSED[name]
    with pytest.raises(ModelFileError, match=text):
        read(data, TENSOR)


def test_texts() -> None:
    name = "é".encode()
    assert read(b"\x0a\x04\x0a\x02" + name, GRAPH)["node"][0]["name"] == "é"
    with pytest.raises(ModelFileError, match="not UTF-8"):
        read(b"\x0a\x03\x0a\x01\xff", GRAPH)


def test_depth() -> None:
    data = b""
    for _ in range(protobuf.MAX_DEPTH):
        data = b"\x0a" + _length(len(data)) + data
    read(data, NESTED)
    with pytest.raises(ModelFileError, match="levels deep"):
        read(b"\x0a" + _length(len(data)) + data, NESTED)


def _length(size: int) -> bytes:
    return bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])


def test_number_of_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protobuf, "MAX_FIELDS", 50)
    read(b"\x0a\x00" * 50, GRAPH)
    with pytest.raises(ModelFileError, match="more than 50 fields"):
        read(b"\x0a\x00" * 51, GRAPH)


def test_broken_bytes() -> None:
    data = example()
    for end in range(len(data)):
        _try(data[:end])
    rng = np.random.default_rng(3)
    tracemalloc.start()
    for _ in range(3000):
        broken = bytearray(data)
        for _ in range(int(rng.integers(1, 4))):
            broken[int(rng.integers(len(broken)))] = int(rng.integers(256))
        _try(bytes(broken))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def _try(data: bytes) -> None:
    with contextlib.suppress(ModelFileError):
        read(data, GRAPH)


def test_doubles_of_one_field() -> None:
    assert read(b"\x31" + struct.pack("<d", 0.1), TENSOR)["double_val"].tolist() == [0.1]
