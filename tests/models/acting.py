"""Models with an operation that acts outside of them, for every format and place.

Graphs are in the JSON form of Protocol Buffers, from which the files of all TensorFlow formats are
made.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import flatbuffers
import tensorflow as tf
from flatbuffers import flexbuffers
from google.protobuf import json_format
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.lite.python import schema_py_generated as lite

from tfpy._src.formats.encodings.protobuf_writer import chunk, integer

FLOAT, STRING, INT64, RESOURCE = "DT_FLOAT", "DT_STRING", "DT_INT64", "DT_RESOURCE"
Graph = dict[str, Any]
X = {"dim": [{"size": "2"}]}


def kind(name: str) -> Any:
    return {"type": name}


def node(name: str, op: str, *inputs: str, **attrs: Any) -> Graph:
    return {"name": name, "op": op, "input": [*inputs], "attr": attrs}


def text(name: str, value: str) -> Graph:
    """Return a constant node."""
    coded = base64.b64encode(value.encode()).decode()
    tensor = {"dtype": STRING, "tensorShape": {}, "stringVal": [coded]}
    return node(name, "Const", dtype=kind(STRING), value={"tensor": tensor})


def acting(op: str, path: str, end: str = "") -> list[Graph]:
    """Return nodes. The node "w" reads or writes a file.

    Args:
        op: Operation of the node.
        path: Path of the file.
        end: Suffix of value names, ":output:0" in functions.
    """
    p, t = f"p{end}", f"t{end.replace('output', 'table_handle')}"
    made = [text("p", path)]
    if op == "WriteFile":
        return [*made, text("c", "evil"), node("w", op, p, f"c{end}")]
    if op == "PrintV2":
        stream = base64.b64encode(f"file://{path}".encode()).decode()
        return [*made, node("w", op, p, output_stream={"s": stream}, T=kind(STRING))]
    if op.startswith("InitializeTableFromTextFile"):
        table = node("t", "HashTableV2", key_dtype=kind(STRING), value_dtype=kind(INT64))
        return [*made, table, node("w", op, t, p, key_index={"i": "-2"}, value_index={"i": "-1"})]
    return [*made, node("w", op, p) if op == "ReadFile" else node("w", op)]


def function(name: str, nodes: list[Graph], made: str = "x", dtype: str = FLOAT) -> Graph:
    """Return a function of x that waits for "w", if that is among its nodes."""
    waits = {"w": "w"} if any(one["name"] == "w" for one in nodes) else {}
    signature = {
        "name": name,
        "inputArg": [{"name": "x", "type": FLOAT}],
        "outputArg": [{"name": "y", "type": dtype}],
        "controlOutput": [*waits],
    }
    return {"signature": signature, "nodeDef": nodes, "ret": {"y": made}, "controlRet": waits}


def graph(op: str, path: str, place: str) -> Graph:
    """Return a graph from x to y that acts before it returns y."""
    x = node("x", "Placeholder", dtype=kind(FLOAT), shape={"shape": X})
    if place == "before the output":
        return {"node": [x, *acting(op, path), node("y", "Identity", "x", "^w", T=kind(FLOAT))]}
    inner = [function("act", acting(op, path, ":output:0"))]
    types = {name: {"list": {"type": [FLOAT]}} for name in ("Tin", "Tout", "T")}
    act, rest = {"func": {"name": "act"}}, {"func": {"name": "rest"}}
    if place == "in a function":
        call = node("y", "PartitionedCall", "x", f=act, **types)
    elif place == "in a function of a function":
        call = node("y", "StatefulPartitionedCall", "x", f=rest, **types)
        inner.append(function("rest", [node("z", "PartitionedCall", "x", f=act, **types)], "z:0"))
    elif place == "in an operation that is a function":
        call = node("y", "act", "x")
    elif place == "in a branch":
        zero = {"dtype": "DT_BOOL", "tensorShape": {}, "boolVal": [True]}
        x = [x, node("b", "Const", dtype=kind("DT_BOOL"), value={"tensor": zero})]
        call = node("y", "If", "b", "x", then_branch=rest, else_branch=act, **types)
        inner.append(function("rest", []))
    else:
        assert place == "in a loop"
        call = node("y", "While", "x", cond=rest, body=act, **types)
        false = {"tensor": {"dtype": "DT_BOOL", "tensorShape": {}, "boolVal": [False]}}
        stop = node("b", "Const", dtype=kind("DT_BOOL"), value=false)
        inner.append(function("rest", [stop], "b:output:0", "DT_BOOL"))
    return {"node": [*(x if isinstance(x, list) else [x]), call], "library": {"function": inner}}


PLACES = (
    "before the output", "in a function", "in a function of a function",
    "in an operation that is a function", "in a branch", "in a loop",
)  # fmt: skip
IDLE = {
    "node": [
        node("x", "Placeholder", dtype=kind(FLOAT), shape={"shape": X}),
        node("y", "Identity", "x", T=kind(FLOAT)),
    ]
}
SIGNATURE = {
    "inputs": {"x": {"name": "x:0", "dtype": FLOAT, "tensorShape": X}},
    "outputs": {"y": {"name": "y:0", "dtype": FLOAT, "tensorShape": X}},
}


def graph_def(made: Graph) -> dict[str, bytes]:
    """Return the file of a frozen GraphDef."""
    message = json_format.ParseDict(made, tf.compat.v1.GraphDef())
    return {"graph.pb": message.SerializeToString()}


def graph_model(made: Graph, **more: Any) -> dict[str, bytes]:
    """Return the file of a TensorFlow.js graph-model."""
    model = {"format": "graph-model", "modelTopology": made, "weightsManifest": [], **more}
    return {"model.json": json.dumps(model).encode()}


def initialized(op: str, path: str) -> dict[str, bytes]:
    """Return a graph-model with an initializer that acts before it makes an unused table."""
    table = node("t", "HashTableV2", "^w", key_dtype=kind(STRING), value_dtype=kind(INT64))
    nodes = [one for one in acting(op, path) if one["name"] != "t"]
    if op.startswith("InitializeTableFromTextFile"):
        table = node("u", "Identity", "t", "^w", T=kind(RESOURCE))
        nodes = acting(op, path)
    name = table["name"]
    unused = {"name": "unused:0", "dtype": RESOURCE, "resourceId": 7}
    held = node("unused", "Placeholder", dtype=kind(RESOURCE), shape={"shape": {}})
    return graph_model(
        {"node": [*IDLE["node"], held]},
        signature={**SIGNATURE, "inputs": {**SIGNATURE["inputs"], "unused:0": unused}},
        modelInitializer={"node": [*nodes, table]},
        initializerSignature={"outputs": {name: {"name": f"{name}:0", "resourceId": 7}}},
    )


def saved_model(made: Graph, assets: Any = (), **more: Any) -> dict[str, bytes]:
    """Return a SavedModel without variables.

    Args:
        made: Graph of the model.
        assets: Pairs of a value and the name of its file.
        **more: Additional fields of the MetaGraphDef.
    """
    signatures = {"serving_default": SIGNATURE, **more.pop("signatureDef", {})}
    meta = {
        "metaInfoDef": {"tags": ["serve"]},
        "graphDef": made,
        "signatureDef": signatures,
        "assetFileDef": [
            {"tensorInfo": {"name": value}, "filename": file} for value, file in assets
        ],
        **more,
    }
    message = json_format.ParseDict({"metaGraphs": [meta]}, saved_model_pb2.SavedModel())
    return {"saved_model.pb": message.SerializeToString()}


def starting(nodes: list[Graph], legacy: bool = False, **more: Any) -> dict[str, bytes]:
    """Return a SavedModel that runs "w" when it is loaded."""
    made = {"node": [*IDLE["node"], *nodes]}
    if legacy:
        lists = {"legacy_init_op": {"nodeList": {"value": ["w"]}}}
        return saved_model(made, collectionDef=lists, **more)
    name = "__saved_model_init_op"
    return saved_model(made, signatureDef={name: {"outputs": {name: {"name": "w"}}}}, **more)


def restoring(nodes: list[Graph], folder: Path) -> dict[str, bytes]:
    """Return a SavedModel that runs "w" to restore its variables."""
    prefix = str(folder / "variables")
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["v"], shape_and_slices=[""], tensors=[1.0])
    saver = {"restoreOpName": "w", "filenameTensorName": "from:0"}
    model = saved_model({"node": [*IDLE["node"], *nodes, text("from", "")]}, saverDef=saver)
    files = {f"variables/{path.name}": path.read_bytes() for path in folder.glob("variables.*")}
    return {**model, **files}


def flex(nodes: list[Graph], first: bool = False) -> dict[str, bytes]:
    """Return a TFLite file with TensorFlow operations, in the main graph or one that runs first.

    Args:
        nodes: Nodes of the graph. Constants become inputs of the other nodes, which become
            operations. The last one returns the graph's output.
        first: If True, the operations are in a graph that ``CALL_ONCE`` runs.
    """
    model, main = lite.ModelT(), lite.SubGraphT()
    model.version, model.buffers, model.operatorCodes = 3, [lite.BufferT()], []
    main.name, main.inputs, main.outputs, main.operators = "main", [0], [0], []
    main.tensors = [_tensor("x", lite.TensorType.FLOAT32)]
    where = main
    model.subgraphs = [main]
    if first:
        where = lite.SubGraphT()
        where.name, where.inputs, where.tensors, where.operators = "first", [], [], []
        model.subgraphs.append(where)
        once = lite.OperatorT()
        once.inputs, once.outputs, once.opcodeIndex = [], [], _code(model, "", 129)
        once.builtinOptionsType = lite.BuiltinOptions.CallOnceOptions
        once.builtinOptions = lite.CallOnceOptionsT()
        once.builtinOptions.initSubgraphIndex = 1
        main.operators.append(once)
    places = {one["name"]: _place(model, where, one) for one in nodes}
    for one in nodes:
        if one["op"] != "Const":
            made = json_format.ParseDict(one, tf.compat.v1.NodeDef())
            options = flexbuffers.Builder()
            with options.Vector():
                options.String(one["op"])
                options.Blob(made.SerializeToString())
            operator = lite.OperatorT()
            operator.opcodeIndex = _code(model, f"Flex{one['op']}", 32)
            operator.inputs = [places[name] for name in one["input"]]
            operator.outputs = [places[one["name"]]]
            operator.customOptions = [*options.Finish()]
            where.operators.append(operator)
    where.outputs = [places[nodes[-1]["name"]]]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return {"model.tflite": bytes(builder.Output())}


def _tensor(name: str, dtype: int, buffer: int = 0) -> Any:
    made = lite.TensorT()
    made.name, made.type, made.buffer, made.shape = name, dtype, buffer, [2]
    if dtype == lite.TensorType.STRING:
        made.shape = []
    return made


def _place(model: Any, where: Any, one: Graph) -> int:
    """Return the tensor of a node's output."""
    number = 0
    if one["op"] == "Const":
        value = base64.b64decode(one["attr"]["value"]["tensor"]["stringVal"][0])
        places = b"".join(n.to_bytes(4, "little") for n in (1, 12, 12 + len(value)))
        model.buffers.append(lite.BufferT())
        model.buffers[-1].data = [*places, *value]
        number = len(model.buffers) - 1
    where.tensors.append(_tensor(one["name"], lite.TensorType.STRING, number))
    return len(where.tensors) - 1


def _code(model: Any, name: str, builtin: int) -> int:
    code = lite.OperatorCodeT()
    code.builtinCode, code.deprecatedBuiltinCode = builtin, min(builtin, 127)
    code.customCode = name or None
    model.operatorCodes.append(code)
    return len(model.operatorCodes) - 1


def onnx(op: str) -> dict[str, bytes]:
    """Return an ONNX file with one node from x to y."""
    made = chunk(1, chunk(1, "x") + chunk(2, "y") + chunk(4, op))
    inner = made + chunk(11, chunk(1, "x")) + chunk(12, chunk(1, "y"))
    return {"model.onnx": integer(1, 8) + chunk(8, integer(2, 18)) + chunk(7, inner)}
