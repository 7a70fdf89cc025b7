"""Tests of external data, sparse arrays, functions and invalid contents of ONNX files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.formats.node_graphs.custom import deregister_op, register_op
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.onnx.reader.dialect import ONNX
from tfpy._src.formats.onnx.reader.files import read_onnx
from tfpy._src.formats.onnx.reader.values import tensor
from tfpy._src.library.io.checked_json import ModelFileError

FLOAT = TensorProto.FLOAT
X = np.arange(6, dtype=np.float32).reshape(2, 3)
DATA = np.linspace(-1, 1, 16).astype(np.float32).tobytes()


def model(nodes: list[Any], constants: Any = (), functions: Any = (), **more: Any) -> bytes:
    """Return a file with the input x and the output y."""
    given = [helper.make_tensor_value_info("x", FLOAT, [2, 3])]
    made = [helper.make_tensor_value_info("y", FLOAT, None)]
    graph = helper.make_graph(nodes, "g", given, made, initializer=list(constants), **more)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    return bytes(
        helper.make_model(
            graph, opset_imports=opsets, functions=list(functions)
        ).SerializeToString()
    )


def outside(location: str, **more: int) -> Any:
    """Return a tensor w of shape [2, 3] with external data."""
    made = TensorProto(name="w", data_type=FLOAT, dims=[2, 3])
    made.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **more}.items():
        made.external_data.add(key=key, value=str(value))
    return made


def run(data: bytes, files: Callable[[str], bytes] | None = None) -> Any:
    graph = read_onnx(data, ONNX, files)
    return Runner(graph)({"x": tensor(X)}, graph.outputs)[0].numpy()


ADD = [helper.make_node("Add", ["x", "w"], ["y"])]


def test_data_beside() -> None:
    w = np.frombuffer(DATA, np.float32)[4:10].reshape(2, 3)
    data = model(ADD, [outside("w.bin", offset=16, length=24)])
    np.testing.assert_array_equal(run(data, {"w.bin": DATA}.__getitem__), X + w)


def test_sparse() -> None:
    values = numpy_helper.from_array(np.array([5.0, 7.0], np.float32), "w")
    indices = numpy_helper.from_array(np.array([1, 5], np.int64))
    sparse = helper.make_sparse_tensor(values, indices, [2, 3])
    w = np.array([[0, 5, 0], [0, 0, 7]], np.float32)
    np.testing.assert_array_equal(run(model(ADD, sparse_initializer=[sparse])), X + w)


def scaled(name: str, nodes: list[Any], attributes: Any = ()) -> Any:
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    return helper.make_function("own", name, ["a"], ["b"], nodes, opsets, list(attributes))


def test_functions() -> None:
    alpha = helper.make_node("LeakyRelu", ["a"], ["b"])
    alpha.attribute.add(name="alpha", ref_attr_name="slope", type=1)
    inner = scaled("Leaky", [alpha], ["slope"])
    nodes = [
        helper.make_node("Neg", ["a"], ["c"]),
        helper.make_node("Leaky", ["c"], ["b"], domain="own", slope=0.5),
    ]
    calls = [helper.make_node("Outer", ["x"], ["y"], domain="own")]
    found = run(model(calls, functions=[inner, scaled("Outer", nodes)]))
    np.testing.assert_array_equal(found, -X * 0.5)


CALL = helper.make_node("F", ["a"], ["b"], domain="own")
REFUSED = {
    "levels deep|calls itself": lambda: model(
        [helper.make_node("F", ["x"], ["y"], domain="own")], functions=[scaled("F", [CALL])]
    ),
    "which is not available": lambda: model(ADD, [outside("w.bin")]),
    "is not a path below": lambda: model(ADD, [outside("%2e%2e/w.bin")]),
    "which has 64": lambda: model(ADD, [outside("b", offset=50, length=24)]),
    "has 64 bytes, expected 24": lambda: model(ADD, [outside("b")]),
    "invalid offset '-1'": lambda: model(ADD, [outside("b", offset=-1)]),
    "needs its own result": lambda: model(
        [helper.make_node("Add", ["x", "z"], ["y"]), helper.make_node("Neg", ["y"], ["z"])]
    ),
    "made by two nodes": lambda: model([helper.make_node("Neg", ["x"], ["y"])] * 2),
    "nothing makes": lambda: model([helper.make_node("Neg", ["q"], ["y"])]),
    "unknown attribute": lambda: model([helper.make_node("Neg", ["x"], ["y"], alpha=1)]),
    "must have the type int": lambda: model([helper.make_node("Softmax", ["x"], ["y"], axis="a")]),
    "not an ONNX model": lambda: b"",
}


def test_refused() -> None:
    for text, make in REFUSED.items():
        found = refusal(make(), None if "not available" in text else lambda _: DATA)
        assert any(part in found for part in text.split("|")), (text, found)


def test_registered_operation() -> None:
    data = model([helper.make_node("Twice", ["x"], ["y"], domain="own")])
    assert "ONNX's operation own.Twice" in refusal(data, None)
    register_op("own.Twice", lambda node: node.inputs[0] * 2)
    np.testing.assert_array_equal(run(data), X * 2)
    deregister_op("own.Twice")


def refusal(data: bytes, files: Callable[[str], bytes] | None) -> str:
    """Return the error message of a file."""
    try:
        run(data, files)
    except (ModelFileError, UnimplementedError) as error:
        return str(error)
    return "not refused"


TESTS = (
    test_data_beside, test_sparse, test_functions, test_registered_operation, test_refused,
)  # fmt: skip

if __name__ == "__main__":
    for test in TESTS:
        test()
