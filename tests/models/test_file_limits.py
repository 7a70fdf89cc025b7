"""Small files with huge contents are rejected, in time and memory proportional to the file."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from growth import growth

import tfpy as tf
from tfpy._src.formats.encodings import protobuf
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer, varint
from tfpy._src.formats.onnx.reader.proto import MODEL
from tfpy._src.formats.tensorflow.checkpoint_files.table import read_table
from tfpy._src.formats.tfjs.model_json import likely_paths
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.crc import crc32c, masked

LIMIT = "TFPY_MAX_UNPACKED_BYTES"


@pytest.fixture
def few_bytes() -> Iterator[None]:
    before = tf.env().get(LIMIT)
    tf.env().set(LIMIT, 1 << 16)
    yield
    tf.env().set(LIMIT, before)


# Time


def model_json(**weight: Any) -> bytes:
    weights = [{"name": "w", "dtype": "float32", "shape": [2], **weight}]
    manifest = [{"paths": ["w.bin"], "weights": weights}]
    nodes = [{"name": "x", "op": "Placeholder"}]
    model = {"format": "graph-model", "modelTopology": {"node": nodes}, "weightsManifest": manifest}
    return json.dumps(model).encode()


def table(keys: int) -> bytes:
    """Return a checkpoint table in which each key is the previous key and a letter."""
    empty = b"\0\0\0\0"
    block = empty + b"\0" + masked(crc32c(empty + b"\0")).to_bytes(4, "little")
    index = bytearray()
    for k in range(keys):
        handle = varint(k * len(block)) + varint(4)
        index += varint(k) + varint(1) + varint(len(handle)) + b"a" + handle
    index += empty
    place = varint(0) + varint(4) + varint(len(block) * keys) + varint(len(index))
    index += b"\0" + masked(crc32c(bytes(index) + b"\0")).to_bytes(4, "little")
    return block * keys + bytes(index) + place.ljust(40, b"\0") + bytes.fromhex("57fb808b247547db")


def load(name: str, data: bytes) -> Callable[[], Any]:
    def loaded() -> None:
        with pytest.raises(ModelFileError):
            tf.models.load({name: data})

    return loaded


def onnx(node: bytes) -> bytes:
    return integer(1, 8) + chunk(8, integer(2, 18)) + chunk(7, chunk(1, node))


def read_keys(keys: int) -> None:
    with pytest.raises(ModelFileError, match=LIMIT):
        list(read_table(memoryview(table(keys))))


PROPORTIONAL: dict[str, Callable[[int], Callable[[], Any]]] = {
    "paths without an end": lambda n: (
        lambda: list(likely_paths(b'"weightsManifest":[' + b'"paths":[' * n))
    ),
    "paths with a backslash": lambda n: (
        lambda: list(likely_paths(b'"weightsManifest":[' + b'"paths":["\\' * n + b"]"))
    ),
    "paths in paths": lambda n: (
        lambda: list(likely_paths(b'"weightsManifest":[ "paths": ' + b"[" * n + b"]"))
    ),
    "sizes of a weight": lambda n: load("model.json", model_json(shape=[2**31 - 1] * n)),
    "attributes of ONNX": lambda n: load("m.onnx", onnx(chunk(4, b"Relu") + chunk(5, b"") * n)),
    "keys of a checkpoint's index": lambda n: lambda: read_keys(n),
}


@pytest.mark.usefixtures("few_bytes")
@pytest.mark.parametrize("name", PROPORTIONAL)
def test_time_is_in_proportion_to_the_file(name: str) -> None:
    """Check that a file eight times as large takes about eight times as long, not 64 times."""
    small, large = (PROPORTIONAL[name](n) for n in (4_000, 32_000))
    assert growth(small, large) < 24


@pytest.mark.parametrize("shape", [[1] * 255, [2**27, 2**27], [2**31 - 1] * 200])
def test_shapes_that_no_weight_has(shape: list[int]) -> None:
    with pytest.raises(ModelFileError, match=r"axes; at most 254|is too large"):
        tf.models.load({"model.json": model_json(shape=shape), "w.bin": b""})


# Memory


def test_messages_take_memory_for_the_fields_that_are_there() -> None:
    found = protobuf.read(onnx(chunk(4, b"Relu") + chunk(5, b"")), MODEL)
    attribute = found["graph"]["node"][0]["attribute"][0]
    assert len(attribute) == 0
    assert attribute["ints"].dtype == np.int64
    assert attribute["strings"] == []
    with pytest.raises(KeyError):
        attribute["name"]


def graph_def(count: int, sizes: int, *values: float) -> bytes:
    """Return constants of few values, with the last value repeated."""

    def constant(k: int) -> bytes:
        floats = b"".join(varint(5 << 3 | 5) + struct.pack("<f", value) for value in values)
        tensor = integer(1, 1) + chunk(2, chunk(2, integer(1, sizes))) + floats
        pairs = {b"dtype": integer(6, 1), b"value": chunk(8, tensor)}
        attrs = b"".join(chunk(5, chunk(1, k) + chunk(2, v)) for k, v in pairs.items())
        return chunk(1, chunk(1, b"c%d" % k) + chunk(2, b"Const") + attrs)

    names = b"".join(chunk(3, b"c%d" % k) for k in range(count))
    return b"".join(map(constant, range(count))) + chunk(
        1, chunk(1, b"y") + chunk(2, b"AddN") + names
    )


def graph_json(count: int, sizes: int) -> bytes:
    """Return the same as JSON, with shared equal attributes."""
    tensor = {"dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": sizes}]}, "floatVal": [1.0]}
    attr = {"dtype": {"type": "DT_FLOAT"}, "value": {"tensor": tensor}}
    nodes: list[Any] = [{"name": f"c{k}", "op": "Const", "attr": attr} for k in range(count)]
    nodes.append({"name": "y", "op": "AddN", "input": [f"c{k}" for k in range(count)]})
    return json.dumps({"format": "graph-model", "modelTopology": {"node": nodes}}).encode()


def sparse_onnx(count: int, sizes: int) -> bytes:
    def tensor(dtype: int, name: bytes = b"") -> bytes:
        return integer(1, 0) + integer(2, dtype) + chunk(8, name)

    one = [
        chunk(1, tensor(1, b"w%d" % k)) + chunk(2, tensor(7)) + integer(3, sizes)
        for k in range(count)
    ]
    graph = b"".join(chunk(15, entry) for entry in one)
    return integer(1, 8) + chunk(8, integer(2, 18)) + chunk(7, graph)


LARGE: dict[str, dict[str, bytes]] = {
    "one constant": {"g.pb": graph_def(1, 50_000, 1)},
    "one constant of several values": {"g.pb": graph_def(1, 50_000, 1, 2)},
    "several constants": {"g.pb": graph_def(9, 4_000, 1)},
    "one constant in JSON": {"model.json": graph_json(1, 50_000)},
    "shared constants in JSON": {"model.json": graph_json(40, 16_000)},
    "sparse tensors": {"m.onnx": sparse_onnx(8, 4_000)},
}


@pytest.mark.usefixtures("few_bytes")
@pytest.mark.parametrize("name", LARGE)
def test_constants_larger_than_the_limit(name: str) -> None:
    with pytest.raises(ModelFileError, match=rf"may unpack to .*{LIMIT}"):
        tf.models.load(LARGE[name])
    tf.env().set(LIMIT, 1 << 28)
    tf.models.load(LARGE[name])


@pytest.mark.usefixtures("few_bytes")
def test_constants_in_proportion_to_the_file() -> None:
    """Check that values that are stored in the file are limited by the file's size only."""
    values = np.ones(1 << 16, np.float32)
    tensor = (
        integer(1, 1) + chunk(2, chunk(2, integer(1, values.size))) + chunk(4, values.tobytes())
    )
    attrs = chunk(5, chunk(1, b"value") + chunk(2, chunk(8, tensor)))
    data = chunk(1, chunk(1, b"c") + chunk(2, b"Const") + attrs)
    model = tf.models.load(
        {"g.pb": data + chunk(1, chunk(1, b"y") + chunk(2, b"Neg") + chunk(3, b"c"))}
    )
    assert model().numpy().sum() == -values.size


def test_files_beside_onnx_are_read_once() -> None:
    """Check that the model is read once, however many files its tensors are in."""
    tensors = b""
    for k in range(40):
        place = chunk(13, chunk(1, b"location") + chunk(2, b"./w%d" % k)) + integer(14, 1)
        tensors += chunk(5, integer(1, 1) + integer(2, 1) + chunk(8, b"w%d" % k) + place)
    node = chunk(
        1, b"".join(chunk(1, b"w%d" % k) for k in range(40)) + chunk(2, b"y") + chunk(4, b"Sum")
    )
    data = (
        integer(1, 8)
        + chunk(8, integer(2, 18))
        + chunk(7, node + tensors + chunk(12, chunk(1, b"y")))
    )
    reads: list[str] = []

    class Files(dict[str, bytes]):
        def __getitem__(self, path: str) -> bytes:
            reads.append(path)
            return super().__getitem__(path)

    files = Files({"m.onnx": data, **{f"w{k}": struct.pack("<f", k) for k in range(40)}})
    assert tf.models.load(files)().numpy().tolist() == [sum(range(40))]
    assert len(reads) == len(files)


def archive(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, data in files.items():
            file.writestr(name.replace("_", "."), data)
    return made.getvalue()


@pytest.mark.usefixtures("few_bytes")
def test_archives_larger_than_the_limit() -> None:
    """Check that all members that are read count towards the limit, and no others."""
    weights = [{"name": f"w{i}", "dtype": "uint8", "shape": [100_000]} for i in range(2)]
    for weight in weights:
        weight |= {"dtype": "float32", "quantization": {"dtype": "uint8", "scale": 1.0, "min": 0.0}}
    groups = [{"paths": [f"w{i}.bin"], "weights": [w]} for i, w in enumerate(weights)]
    node = [{"name": "y", "op": "Identity", "input": ["w0"]}, {"name": "w0", "op": "Const"}]
    node.append({"name": "w1", "op": "Const"})
    model = {"format": "graph-model", "modelTopology": {"node": node}, "weightsManifest": groups}
    members = {"model_json": json.dumps(model).encode(), "unused": bytes(1 << 20)}
    members |= {f"w{i}_bin": bytes(100_000) for i in range(2)}
    with pytest.raises(ModelFileError, match=rf"w[01].bin.*bytes before.*may unpack to .*{LIMIT}"):
        tf.models.load(archive(**members))
    tf.env().set(LIMIT, 250_000)
    assert tf.models.load(archive(**members))().shape == (100_000,)
