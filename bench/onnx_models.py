"""The networks as ONNX models, with channels first, for ONNX Runtime Web."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

from bench.networks import mobilenet_v1, mobilenet_v2

Array = np.ndarray[Any, Any]

OPSET = 13
IR_VERSION = 8


class _Model:
    """A builder of nodes. Each method adds layers and returns the name of their result."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def _node(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        output = f"value{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def _constant(self, name: str, array: Array) -> str:
        if not any(c.name == name for c in self._constants):
            self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def conv(self, x: str, name: str, stride: int, depthwise: bool = False) -> str:
        """Add a convolution with TensorFlow's SAME padding, and its bias."""
        filters = self._weights[f"{name}/filter"]
        size, groups = filters.shape[0], filters.shape[2] if depthwise else 1
        # Inputs have even sizes, so a stride of 2 pads less before than after.
        total = size - stride
        low, high = total // 2, total - total // 2
        order = (2, 3, 0, 1) if depthwise else (3, 2, 0, 1)
        operands = [
            x,
            self._constant(f"{name}/filter", filters.transpose(order)),
            self._constant(f"{name}/bias", self._weights[f"{name}/bias"]),
        ]
        return self._node(
            "Conv", operands, strides=[stride] * 2, pads=[low, low, high, high], group=groups
        )

    def relu6(self, x: str) -> str:
        low, high = (self._constant(f"{v}", np.array(v, np.float32)) for v in (0, 6))
        return self._node("Clip", [x, low, high])

    def add(self, x: str, y: str) -> str:
        return self._node("Add", [x, y])

    def classes(self, x: str) -> str:
        """Add the probabilities of pooled features."""
        flat = self._node("Flatten", [self._node("GlobalAveragePool", [x])])
        matrix = self._weights["classes/filter"].reshape(-1, mobilenet_v1.CLASSES)
        operands = [
            flat,
            self._constant("classes/filter", matrix),
            self._constant("classes/bias", self._weights["classes/bias"]),
        ]
        return self._node("Softmax", [self._node("Gemm", operands)], axis=1)

    def save(self, output: str, path: Path) -> None:
        size = mobilenet_v1.SIZE
        given = helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, size, size])
        shape = [1, mobilenet_v1.CLASSES]
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self._nodes, path.stem, [given], [result], self._constants)
        opsets = [helper.make_opsetid("", OPSET)]
        save(helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION), path)


def _mobilenet_v1(path: Path) -> None:
    model = _Model(mobilenet_v1.weights())
    x = model.relu6(model.conv("input", "stem", 2))
    for i, (stride, _) in enumerate(mobilenet_v1.BLOCKS):
        x = model.relu6(model.conv(x, f"depthwise{i}", stride, depthwise=True))
        x = model.relu6(model.conv(x, f"pointwise{i}", 1))
    model.save(model.classes(x), path)


def _mobilenet_v2(path: Path) -> None:
    model = _Model(mobilenet_v2.weights())
    x = model.relu6(model.conv("input", "stem", 2))
    for name, channels, expanded, out, stride in mobilenet_v2.blocks():
        before = x
        if expanded:
            x = model.relu6(model.conv(x, f"{name}/expand", 1))
        x = model.relu6(model.conv(x, f"{name}/depthwise", stride, depthwise=True))
        x = model.conv(x, f"{name}/project", 1)
        if stride == 1 and channels == out:
            x = model.add(before, x)
    x = model.relu6(model.conv(x, "head", 1))
    model.save(model.classes(x), path)


MODELS: dict[str, Callable[[Path], None]] = {
    "mobilenet_v1": _mobilenet_v1,
    "mobilenet_v2": _mobilenet_v2,
}


def write(folder: Path) -> None:
    """Write ``<work>.onnx`` for each work that has a model."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MODELS.items():
        make(folder / f"{name}.onnx")
