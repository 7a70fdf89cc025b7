"""Run graph models of TensorFlow.js with TensorFlow, as the reference of the tests.

python tensorflow_graph_models.py TARGET MODEL.json…   writes TARGET/NAME.npz for each model, with
                                                       arrays "in NAME" and "out NAME" whose names
                                                       are those of the signature

The nodes of a file become a GraphDef. Weights become constants. TensorFlow does not have these
fused nodes and Prelu, so they are expanded into several nodes that it has. Constants that the body
of a loop uses get an Enter node for the frame of the loop.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf import json_format

v1 = tf.compat.v1
FLOAT = {"T": {"type": "DT_FLOAT"}}
SPLIT = {
    "_FusedConv2D": "Conv2D",
    "FusedDepthwiseConv2dNative": "DepthwiseConv2dNative",
    "_FusedMatMul": "MatMul",
}
ALPHA = {"f": 0.2}  # the default of LeakyRelu in TensorFlow
LISTS = ("TensorListReserve", "TensorListFromTensor")
RESOURCE, VARIANT = 20, 21
Node = dict[str, Any]


def values(shape: list[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return an input: floats from 0 to 1, or integers from 0 to 255."""
    found = (np.arange(np.prod(shape, dtype=int), dtype=np.int64) * 7919 % 1009) / 1009
    return (found if dtype.kind == "f" else np.floor(255 * found)).astype(dtype).reshape(shape)


def weights(model: Node, folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    found = {}
    for group in model["weightsManifest"]:
        data, at = b"".join((folder / path).read_bytes() for path in group["paths"]), 0
        for spec in group["weights"]:
            how = spec.get("quantization", spec)
            array = np.frombuffer(data, how["dtype"], int(np.prod(spec["shape"])), at)
            at += array.nbytes
            if "scale" in how:
                array = array.astype(float) * how["scale"] + how["min"]
                array = np.floor(array + 0.5) if spec["dtype"] == "int32" else array
            found[spec["name"]] = array.astype(spec["dtype"]).reshape(spec["shape"])
    return found


def split(node: Node) -> Iterator[Node]:
    """Yield TensorFlow nodes that replace a fused node. The last one has the fused node's name."""
    attr = node.get("attr", {})
    texts = attr.get("fused_ops", {}).get("list", {}).get("s", [])
    fused = [base64.b64decode(text).decode() for text in texts]
    kept = ("T", "strides", "padding", "data_format", "dilations", "transpose_a", "transpose_b")
    name, rest = node["name"], node["input"][2:]
    last = f"{name}/product" if fused else name
    yield {
        "name": last,
        "op": SPLIT[node["op"]],
        "input": node["input"][:2],
        "attr": {k: v for k, v in attr.items() if k in kept},
    }
    for i, op in enumerate(fused):
        own = name if i == len(fused) - 1 else f"{name}/{i}"
        if op == "Prelu":
            yield from prelu(own, last, rest.pop(0))
        else:
            operands = [last, rest.pop(0)] if op == "BiasAdd" else [last]
            more = {"alpha": attr.get("leakyrelu_alpha", ALPHA)} if op == "LeakyRelu" else {}
            yield {"name": own, "op": op, "input": operands, "attr": {**FLOAT, **more}}
        last = own


def prelu(name: str, x: str, alpha: str) -> Iterator[Node]:
    """Yield the nodes of relu(x) - alpha * relu(-x)."""
    steps = {
        f"{name}/above": ("Relu", [x]),
        f"{name}/minus": ("Neg", [x]),
        f"{name}/below": ("Relu", [f"{name}/minus"]),
        f"{name}/scaled": ("Mul", [alpha, f"{name}/below"]),
        name: ("Sub", [f"{name}/above", f"{name}/scaled"]),
    }
    for own, (op, operands) in steps.items():
        yield {"name": own, "op": op, "input": operands, "attr": FLOAT}


def graph_def(model: Node, folder: Path) -> Any:
    graph, arrays = v1.GraphDef(), weights(model, folder)
    for node in model["modelTopology"]["node"]:
        if node["op"] == "Const":
            array, dtype = arrays[node["name"]], node["attr"]["dtype"]["type"]
            wider = {"DT_INT64": np.int64, 9: np.int64, "DT_DOUBLE": float, 2: float}
            proto = tf.make_tensor_proto(array.astype(wider.get(dtype, array.dtype)))
            made = graph.node.add(name=node["name"], op="Const")
            made.attr["value"].tensor.CopyFrom(proto)
            made.attr["dtype"].type = proto.dtype
            continue
        if node["op"] in SPLIT:
            nodes = split(node)
        elif node["op"] == "Prelu":
            nodes = prelu(node["name"], *node["input"])
        else:
            nodes = iter([node])
        for one in nodes:
            json_format.ParseDict(one, graph.node.add(), ignore_unknown_fields=True)
    enter_again(graph)
    return graph


def enter_again(graph: Any) -> None:
    """Add Enter nodes for the constants that the bodies of loops use."""
    by_name = {node.name: node for node in graph.node}
    frame = frames(graph, by_name)
    made: dict[tuple[str, bytes], str] = {}
    for node in list(graph.node):
        if node.name not in frame or node.op == "Enter":
            continue
        for i, name in enumerate(node.input):
            if base(name) in frame or name.startswith("^"):
                continue
            key = name, frame[node.name]
            if key not in made:
                made[key] = f"enter_again_{len(made)}"
                enter = graph.node.add(name=made[key], op="Enter", input=[name])
                enter.attr["T"].type = dtype_of(by_name[base(name)], name)
                enter.attr["frame_name"].s = key[1]
                enter.attr["is_constant"].b = True
                enter.attr["parallel_iterations"].i = next(
                    n.attr["parallel_iterations"].i for n in graph.node if n.op == "Enter"
                )
            node.input[i] = made[key]


def frames(graph: Any, by_name: dict[str, Any]) -> dict[str, bytes]:
    users: dict[str, list[str]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(base(name), []).append(node.name)
    found: dict[str, bytes] = {}
    todo = [(n.name, n.attr["frame_name"].s) for n in graph.node if n.op == "Enter"]
    while todo:
        name, frame = todo.pop()
        if name not in found:
            found[name] = frame
            todo += [(user, frame) for user in users.get(name, []) if by_name[user].op != "Exit"]
    return found


def dtype_of(node: Any, name: str) -> int:
    if node.op in LISTS:
        return VARIANT
    if node.op == "TensorArrayV3":
        return 1 if ":" in name else RESOURCE
    key = {"Const": "dtype", "Placeholder": "dtype", "Shape": "out_type", "Cast": "DstT"}
    return int(node.attr[key.get(node.op, "T")].type) or int(tf.int32.as_datatype_enum)


def base(name: str) -> str:
    return name.lstrip("^").partition(":")[0]


def run(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    model = json.loads(path.read_text())
    signature = model.get("signature") or model["userDefinedMetadata"]["signature"]
    graph = tf.Graph()
    with graph.as_default():
        v1.import_graph_def(graph_def(model, path.parent), name="")
    config = v1.ConfigProto(intra_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    found, feed = {}, {}
    for key, info in signature["inputs"].items():
        tensor = graph.get_tensor_by_name(info["name"].removesuffix(":0") + ":0")
        sizes = [int(dim.get("size", 1)) for dim in info["tensorShape"].get("dim", [])]
        x = values([max(n, 1) for n in sizes], np.dtype(tensor.dtype.as_numpy_dtype))
        found[f"in {key.removesuffix(':0')}"] = feed[tensor] = x
    fetched = {key: info["name"] for key, info in signature["outputs"].items()}
    fetched = {k: name if ":" in name else f"{name}:0" for k, name in fetched.items()}
    with v1.Session(graph=graph, config=config) as session:
        for key, y in session.run(fetched, feed).items():
            found[f"out {key.removesuffix(':0')}"] = y
    return found


if __name__ == "__main__":
    target, *models = map(Path, sys.argv[1:])
    for model_path in models:
        np.savez(target / f"{model_path.stem}.npz", **run(model_path))
