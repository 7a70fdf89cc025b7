"""Models of one node, compared with ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.onnx.reader.dialect import ONNX
from tfpy._src.formats.onnx.reader.files import read_onnx
from tfpy._src.formats.onnx.reader.values import tensor
from tfpy._src.library.io.checked_json import ModelFileError

Array = np.ndarray[Any, Any]
Mask = Callable[[int, Array], Array]
TOLERANCE = 1e-5
onnxruntime.set_default_logger_severity(4)


def floats(rng: np.random.Generator, *shape: int) -> Array:
    return rng.normal(size=shape).astype(np.float32)


def octets(rng: np.random.Generator, *shape: int) -> Array:
    return rng.integers(0, 256, shape).astype(np.uint8)


class Case:
    """A node with values of its inputs.

    Args:
        op: Name of the operation.
        inputs: Values. None is an input that is left out.
        outputs: Dtypes of the outputs, or their number if they are float32.
        weights: Positions of the inputs that are constants of the model.
        domain: Domain of the operation.
        attrs: Attributes.
    """

    def __init__(
        self, op: str, inputs: Sequence[Array | None], outputs: Any = 1,
        weights: Collection[int] = (), domain: str = "com.microsoft", **attrs: Any,
    ) -> None:  # fmt: skip
        self.name = f"{op} {attrs} {[None if x is None else x.shape for x in inputs]}"
        kinds = [TensorProto.FLOAT] * outputs if isinstance(outputs, int) else list(outputs)
        names = ["" if x is None else f"i{i}" for i, x in enumerate(inputs)]
        given = {n: x for n, x in zip(names, inputs, strict=True) if x is not None}
        constants = {f"i{i}" for i in weights} & given.keys()
        self.feeds = {n: x for n, x in given.items() if n not in constants}
        self.outputs = [f"o{i}" for i in range(len(kinds))]
        node = helper.make_node(op, names, self.outputs, domain=domain, **attrs)
        graph = helper.make_graph(
            [node],
            "g",
            [
                helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
                for n, x in self.feeds.items()
            ],
            [
                helper.make_tensor_value_info(n, kind, None)
                for n, kind in zip(self.outputs, kinds, strict=True)
            ],
            [numpy_helper.from_array(given[n], n) for n in sorted(constants)],
        )
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        self.data: bytes = helper.make_model(
            graph, opset_imports=opsets, ir_version=10
        ).SerializeToString()

    def found(self) -> list[Array]:
        """Return the results of tfpy."""
        graph = read_onnx(self.data, ONNX)
        given = {name: tensor(x) for name, x in self.feeds.items()}
        return [np.asarray(y) for y in Runner(graph)(given, graph.outputs)]

    def wanted(self) -> list[Array]:
        """Return the results of ONNX Runtime."""
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            self.data, options, providers=["CPUExecutionProvider"]
        )
        made: list[Array] = session.run(None, self.feeds)
        return made

    def check(
        self, mask: Mask = lambda i, x: x, tolerance: float = TOLERANCE,
        wanted: Sequence[Array] | None = None,
    ) -> None:  # fmt: skip
        """Compare the results.

        Args:
            mask: Function that clears the elements of an output that may have any value.
            tolerance: Largest error, relative to the largest absolute value of an output.
            wanted: Expected results. Default: those of ONNX Runtime.
        """
        found = self.found()
        pairs = zip(found, self.wanted() if wanted is None else wanted, strict=True)
        for i, (y, expected) in enumerate(pairs):
            assert (y.shape, y.dtype) == (expected.shape, expected.dtype), (self.name, i, y.shape)
            y, expected = mask(i, y).astype(float), mask(i, expected).astype(float)
            error = np.abs(y - expected).max() / max(np.abs(expected).max(), 1e-3)
            assert error < tolerance, (self.name, i, error)

    def refused(self, message: str) -> None:
        """Check that the model raises an error."""
        said = ""
        try:
            self.found()
        except (ValueError, InvalidArgumentError, ModelFileError) as error:
            said = str(error)
        assert message in said, (self.name, message, said)
