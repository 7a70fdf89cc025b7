"""Graphs with nodes and numbers that do not match are rejected as corrupt files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import tensorflow as reference

import tfpy as tf
from tests.models.tflite import converted
from tfpy._src.formats.encodings.flatbuffers import Schema
from tfpy._src.formats.tflite.model import read_tflite
from tfpy._src.library.io.checked_json import ModelFileError

LOOP = {
    "enter": ("Enter", ["x"], {"frame_name": {"s": "Zg=="}}),
    "merge": ("Merge", ["enter", "next"], {}),
    "less": ("Less", ["merge", "x"], {}),
    "test": ("LoopCond", ["less"], {}),
    "switch": ("Switch", ["merge", "test"], {}),
    "body": ("Identity", ["switch:1"], {}),
    "next": ("NextIteration", ["body"], {}),
    "exit": ("Exit", ["switch"], {}),
}


def model(nodes: Mapping[str, tuple[str, list[str], Any]]) -> dict[str, bytes]:
    given = [{"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}}}]
    given += [{"name": k, "op": op, "input": i, "attr": a} for k, (op, i, a) in nodes.items()]
    return {"model.json": json.dumps({"modelTopology": {"node": given}}).encode()}


def test_the_loop_is_one() -> None:
    assert tf.models.load(model(LOOP))(tf.constant([2.0])) is not None


@pytest.mark.parametrize("name", sorted(LOOP.keys() - {"less"}))
def test_nodes_of_control_flow_without_inputs(name: str) -> None:
    op, inputs, attrs = LOOP[name]
    for left in range(len(inputs) if op == "Switch" else 1):
        with pytest.raises(
            ModelFileError, match=r"needs at least [12] inputs, but has|have an Enter"
        ):
            tf.models.load(model({**LOOP, name: (op, inputs[:left], attrs)}))


def constant(dtype: str, **values: Any) -> dict[str, bytes]:
    tensor = {"dtype": dtype, "tensorShape": {"dim": [{"size": "1"}]}, **values}
    return model({"c": ("Const", [], {"value": {"tensor": tensor}}), "y": ("Neg", ["c"], {})})


CONSTANTS = {
    "integer beyond int32": constant("DT_INT32", intVal=[2**40]),
    "integer beyond int64": constant("DT_INT64", int64Val=[2**70]),
    "half beyond 64 bits": constant("DT_HALF", halfVal=[2**70]),
    "bfloat16 beyond 64 bits": constant("DT_BFLOAT16", halfVal=[2**70]),
    "float beyond float64": constant("DT_FLOAT", floatVal=[10**400]),
    "half of a complex number": constant("DT_COMPLEX64", scomplexVal=[1.0]),
    "attribute beyond int64": model({"y": ("Neg", ["x"], {"N": {"i": 2**70}})}),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_numbers_that_do_not_fit(name: str) -> None:
    with pytest.raises(ModelFileError, match=r"do not fit|must be a|not a 64-bit integer"):
        tf.models.load(CONSTANTS[name])


# TFLite


def test_enumerations_have_few_values() -> None:
    schema = Schema("Root: kind:i8<2 other:i8", {})

    def data(kind: int) -> memoryview:
        table = bytes([8, 0, 8, 0, 4, 0, 5, 0]) + bytes([8, 0, 0, 0, kind % 256, kind % 256, 0, 0])
        return memoryview(bytes([16, 0, 0, 0]) + b"TEST" + table)

    assert schema.read(data(1), "Root", b"TEST") == {"kind": 1, "other": 1}
    for kind in (2, 127, -1):
        with pytest.raises(ModelFileError, match=f"kind is {kind}; its values are 0 to 1"):
            schema.read(data(kind), "Root", b"TEST")


def test_the_padding_of_a_convolution() -> None:
    w = np.ones((2, 2, 1, 1), np.float32)
    x = np.ones((1, 4, 4, 1), np.float32)
    data = converted(lambda x: {"y": reference.nn.conv2d(x, w, 1, "VALID")}, x)
    assert read_tflite(data)(x).shape == (1, 3, 3, 1)
    found = 0
    for at, byte in enumerate(data):
        if byte == 1:  # VALID
            changed = data[:at] + b"\x65" + data[at + 1 :]
            try:
                read_tflite(changed)(x)
            except (ValueError, tf.errors.OpError) as error:
                found += "padding is 101" in str(error)
    assert found == 1
