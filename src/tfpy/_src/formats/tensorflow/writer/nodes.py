"""Nodes of TensorFlow's graphs, and their JSON form in TensorFlow.js."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.formats.graph_writing.emitter import INT, Emitter, FileNode, FormatTable, NodeValue
from tfpy._src.formats.graph_writing.source import FunctionSource

TABLE = FormatTable("a TensorFlow.js graph-model")
record, refuse = TABLE.record, TABLE.refuse

_TYPES = {
    **dict.fromkeys(["LogicalAnd", "LogicalOr", "LogicalNot", "All", "Any", "Cast"], ()),
    **dict.fromkeys(["RandomUniform", "RandomStandardNormal", "TruncatedNormal"], (("T", 0),)),
    **dict.fromkeys(["StringToHashBucketFast", "StaticRegexReplace"], ()),
    **dict.fromkeys(["StatelessIf", "StatelessWhile", "NonMaxSuppressionV5"], ()),
    **dict.fromkeys(["StringLower", "StringUpper", "StringStrip", "StringLength"], ()),
    **dict.fromkeys(["StringJoin", "ReduceJoin", "StaticRegexFullMatch", "StringToNumber"], ()),
    **dict.fromkeys(["UnicodeTranscode", "StringToHashBucket", "StringToHashBucketStrong"], ()),
    "Substr": (("T", 1),),
    "UnsortedSegmentJoin": (("Tindices", 1), ("Tnumsegments", 2)),
    "RandomUniformInt": (("T", 0),),
    "GatherV2": (("Tparams", 0), ("Tindices", 1), ("Taxis", 2)),
    "GatherNd": (("Tparams", 0), ("Tindices", 1)),
    "StridedSlice": (("T", 0), ("Index", 1)),
    "ScatterNd": (("Tindices", 0), ("T", 1)),
    "TensorScatterUpdate": (("T", 0), ("Tindices", 1)),
    "SelectV2": (("T", 1),),
    "Conv2DBackpropInput": (("T", 2),),
    "FFT": (("Tcomplex", 0),),
    "IFFT": (("Tcomplex", 0),),
    "Range": (("Tidx", 0),),
    "Real": (("T", 0),),
}  # fmt: skip
"""Attributes that are dtypes of inputs. By default, T is the dtype of the first input."""

_OUTPUTS = {
    "z": "AddV2 Atan2 Betainc BitwiseAnd BitwiseOr BitwiseXor DivNoNan Equal FloorDiv FloorMod "
    "Greater GreaterEqual Igamma Igammac LeftShift Less LessEqual LogicalAnd LogicalOr Maximum "
    "Minimum Mul NotEqual Polygamma Pow RealDiv RightShift SquaredDifference Sub Zeta",
    "y": "Abs Acos Acosh Asin Asinh Atan Atanh BesselI0 BesselI0e BesselI1 "
    "BesselI1e Cast Ceil ComplexAbs Cos Cosh Digamma Erf Erfinv Exp Expm1 Floor "
    "IsFinite IsInf IsNan Lgamma Log Log1p LogicalNot Ndtri Neg OnesLike Reciprocal Round Rsqrt "
    "Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh Transpose ZerosLike",
    "out": "Complex Cumprod Cumsum CumulativeLogsumexp",
    "activations": "Elu LeakyRelu Relu Relu6 Selu Softplus",
    "product": "MatMul",
    "resized_images": "ResizeBilinear ResizeNearestNeighbor",
}
_OUTPUT = {op: name for name, ops in _OUTPUTS.items() for op in ops.split()}
_SEVERAL = {
    "TopKV2": ("values", "indices"),
    "LogMatrixDeterminant": ("sign", "log_abs_determinant"),
    "Qr": ("q", "r"),
    "SelfAdjointEigV2": ("e", "v"),
    "Svd": ("s", "u", "v"),
    "NonMaxSuppressionV5": ("selected_indices", "selected_scores", "valid_outputs"),
}


class Func(str):
    """The name of a library function as an attribute."""


class Nodes(Emitter):
    """A TensorFlow graph that is being built: the main graph, or a function of its library."""

    table = TABLE

    def __init__(self, source: FunctionSource, name: str = "", outer: Nodes | None = None) -> None:
        super().__init__(source, name, outer)
        self.library: list[Nodes] = [] if outer is None else outer.library
        """Functions of the file."""

    @property
    def is_function(self) -> bool:
        """True for the body of a function, in which values have other names."""
        return self.outer is not None

    def op(self, op: str, *inputs: Any, dtype: DType | None = None, **attrs: Any) -> NodeValue:
        given = [self._operand(x) for x in inputs]
        return self.several(op, given, [dtype or given[0].dtype], **attrs)[0]

    def several(
        self, op: str, given: Sequence[NodeValue], made: Sequence[DType], **attrs: Any
    ) -> list[NodeValue]:
        """Add a node with several outputs."""
        types = {k: given[i].dtype for k, i in _TYPES.get(op, (("T", 0),)) if i < len(given)}
        name = self.fresh(op)
        if not self.is_function:
            outputs = [name, *(f"{name}:{i}" for i in range(1, len(made)))]
        elif op in _SEVERAL:
            outputs = [f"{name}:{said}:0" for said in _SEVERAL[op]]
        else:
            said = _OUTPUT.get(op, "output")
            outputs = [f"{name}:{said}:{i}" for i in range(len(made))]
        self.nodes.append(FileNode(op, name, [v.name for v in given], outputs, {**types, **attrs}))
        return [NodeValue(n, d) for n, d in zip(outputs, made, strict=True)]

    def _operand(self, x: Any) -> NodeValue:
        return x if isinstance(x, NodeValue) else self.constant(np.asarray(x))

    def constant(self, array: Array, name: str = "Const") -> NodeValue:
        dtype = dtypes.string if array.dtype.kind in "OSU" else dtypes.as_dtype(array.dtype)
        node = self.fresh(name) if name == "Const" else name
        self.constants[node] = array
        output = f"{node}:output:0" if self.is_function else node
        self.nodes.append(FileNode("Const", node, [], [output], {"dtype": dtype}))
        return NodeValue(output, dtype, None, array)

    def inner(self, name: str) -> Self:
        return type(self)(self.source, name, self)

    def dimension(self, value: NodeValue, axis: int) -> NodeValue:
        shape = self.op("Shape", value, dtype=INT, out_type=INT)
        return self.op("StridedSlice", shape, self.integers([axis]), self.integers([axis + 1]),
                       self.integers([1]))  # fmt: skip

    def cast(self, value: NodeValue, dtype: DType) -> NodeValue:
        if value.dtype == dtype:
            return value
        return self.op("Cast", value, dtype=dtype, SrcT=value.dtype, DstT=dtype)

    def joined(self, parts: Sequence[NodeValue]) -> NodeValue:
        return self.op("ConcatV2", *parts, self.integers([0])[0], N=len(parts))

    def scalar(self, value: NodeValue) -> NodeValue:
        return self.op("Reshape", value, np.zeros(0, np.int32))

    def quotient(self, number: Array, size: NodeValue) -> NodeValue:
        return self.op("RealDiv", self.constant(number), size)

    def reshape(self, value: NodeValue, shape: Sequence[int]) -> NodeValue:
        return self.op("Reshape", value, self.target(shape))

    def function(
        self,
        graph: Graph,
        inputs: Sequence[NodeValue],
        name: str,
        lead: Callable[[Nodes], Sequence[NodeValue]] = lambda inner: (),
    ) -> Func:
        """Convert a Graph to a library function.

        Args:
            graph: The Graph.
            inputs: Values of the inputs.
            name: Name of the function.
            lead: Function that adds other inputs before these, and returns outputs that precede the
                outputs of the Graph.
        """
        inner = self.inner(self.fresh(name))
        first = lead(inner)
        for number, (value, given) in enumerate(zip(graph.inputs, inputs, strict=True)):
            said = NodeValue(f"arg{number}", given.dtype, inner.aval(graph, value))
            inner.inputs.append(said)
            inner.bind(graph, value, said)
        inner.write(graph)
        # Each result gets its own node, because TensorFlow.js disposes the results of functions.
        made = [inner.op("Identity", inner.value(v)) for v in graph.outputs]
        inner.outputs = [value.name for value in (*first, *made)]
        inner.result = (
            *(v.aval for v in first if v.aval),
            *(inner.aval(graph, v) for v in graph.outputs),
        )
        inner.pruned()
        self.library.append(inner)
        return Func(inner.name)


def json_node(node: FileNode) -> dict[str, Any]:
    """Convert a node to TensorFlow.js's JSON."""
    attrs = {k: _attribute(v) for k, v in node.attrs.items()}
    return {"name": node.name, "op": node.op, "input": node.inputs, "attr": attrs}


def json_function(graph: Nodes) -> dict[str, Any]:
    """Convert a library function to TensorFlow.js's JSON."""
    outputs = [f"ret{i}" for i in range(len(graph.outputs))]
    signature = {
        "name": graph.name,
        "inputArg": [{"name": v.name, "type": type_name(v.dtype)} for v in graph.inputs],
        "outputArg": [
            {"name": name, "type": type_name(aval.dtype)}
            for name, aval in zip(outputs, graph.result, strict=True)
        ],
    }
    return {
        "signature": signature,
        "nodeDef": [json_node(node) for node in graph.nodes],
        "ret": dict(zip(outputs, graph.outputs, strict=True)),
    }


_NAMES = {"float32": "DT_FLOAT", "float64": "DT_DOUBLE", "float16": "DT_HALF"}


def type_name(dtype: DType) -> str:
    """Return the name of a dtype in TensorFlow's files."""
    return _NAMES.get(dtype.name, f"DT_{dtype.name.upper()}")


def _attribute(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"b": value}
        case int():
            return {"i": str(value)}
        case float():
            return {"f": value}
        case DType():
            return {"type": type_name(value)}
        case Func():
            return {"func": {"name": str(value)}}
        case str():
            return {"s": base64.b64encode(value.encode()).decode()}
        case Mapping():
            return dict(value)
    items = [_attribute(item) for item in value]
    kind = next(iter(items[0])) if items else "type"
    return {"list": {kind: [item[kind] for item in items]}}


def shape_of(shape: Sequence[int | None]) -> dict[str, Any]:
    """Convert a shape to an attribute."""
    return {"dim": [{"size": str(-1 if n is None else n)} for n in shape]}
