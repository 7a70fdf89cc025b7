"""Custom gradients of functions that are written to a SavedModel.

A function with custom gradients is traced again, because the Graph that runs lacks them. Each
custom gradient becomes a node IdentityN and a function of the library. This function takes the
gradients of the node's outputs, and values that the custom gradient reads in the forward function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.checkpoints.saved_models.constants import GRADIENT_ATTRIBUTE
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.formats.encodings.protobuf_writer import chunk
from tfpy._src.formats.graph_writing.emitter import FileNode, NodeValue, unsupported
from tfpy._src.formats.tensorflow.writer.nodes import Nodes
from tfpy._src.formats.tensorflow.writer.whole import SAVED, is_fed
from tfpy._src.functions.control.traced_parts import TracedPart
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.trace.trace import Trace

_MAX_CONSTANT = 128
"""Number of elements up to which captured constants are constants of a gradient's function."""


class FileTrace(TracedPart):
    """A trace with equations for custom gradients, which are part of no other trace."""

    def __init__(self, name: str, allows_variables: bool = True) -> None:
        Trace.__init__(self, name, allows_variables)
        self.outer = self

    _is_constant = Trace._is_constant


class FileFunction(ConcreteFunction):
    """A concrete function with equations for custom gradients in its trace."""

    _trace_type = FileTrace


def with_gradients(concrete: ConcreteFunction) -> ConcreteFunction:
    """Return a trace with equations for custom gradients, if the function has any."""
    if not concrete.traced.trace.is_custom:
        return concrete
    return FileFunction(
        concrete.name, concrete._function, concrete._signature, concrete.call, False, 0
    )


@dataclass(frozen=True)
class CapturedTensor:
    """A tensor of a function that a custom gradient reads.

    Attributes:
        name: Name of the tensor in the function.
        function: Name of the function in the library.
    """

    name: str
    function: str

    def encoded(self) -> bytes:
        """Encode the tensor as a SavedObject."""
        return chunk(12, chunk(1, self.name) + chunk(2, self.function))


class GradientBody(Nodes):
    """The body of a function that computes a custom gradient.

    Args:
        owner: Body of the function with the node IdentityN.
        name: Name of the function in the library.
        kind: Type under which TensorFlow registers the gradient.
        taken: Inputs of the node.
        read: Other values of the owner that the gradient reads.
    """

    table = SAVED

    def __init__(
        self,
        owner: Nodes,
        name: str,
        kind: str,
        taken: Sequence[NodeValue],
        read: Sequence[NodeValue],
    ) -> None:
        super().__init__(owner.source, name, owner)
        self.owner, self.kind = owner, kind
        self.node: FileNode = owner.nodes[-1]
        self._read = list(read)
        self.captured = [value for value in read if not _is_constant(value)]
        """Values that are not constants of the gradient's function."""
        self.inputs = [NodeValue(f"result_grads_{i}", v.dtype, v.aval)
                       for i, v in enumerate(taken)]  # fmt: skip
        self.inputs += [NodeValue(f"captured_{i}", v.dtype, v.aval)
                        for i, v in enumerate(self.captured)]  # fmt: skip
        self.places: list[int] = []
        """Numbers of the node's inputs that have a gradient."""

    def handle(self, value: Any) -> str:
        """Raise an error: a gradient reads no table."""
        raise unsupported("a look-up inside a custom gradient", "look up the keys before it")

    def read_outside(self) -> set[str]:
        return {value.name for value in self.captured}

    @property
    def is_used(self) -> bool:
        """True if the node is still part of its function."""
        return any(node is self.node for node in self.owner.nodes)

    def compute(self, graph: Graph, count: int, wanted: Sequence[int]) -> None:
        """Add the nodes of a Graph from gradients and captured values to gradients.

        Args:
            graph: The Graph.
            count: Number of results of the function with the custom gradient.
            wanted: Numbers of the function's arguments that have a gradient.
        """
        seeds = [v for v in self.inputs[:count] if v.dtype.is_differentiable]
        given = iter(self.inputs[len(self.inputs) - len(self.captured) :])
        rest = [
            self.constant(v.array) if v.array is not None and _is_constant(v) else next(given)
            for v in self._read
        ]
        for value, found in zip(graph.inputs, [*seeds, *rest], strict=True):
            self.bind(graph, value, found)
        self.write(graph)
        self.outputs = [self.op("Identity", self.value(v)).name for v in graph.outputs]
        self.result = tuple(self.aval(graph, v) for v in graph.outputs)
        self.places = [count + i for i in wanted]
        self.pruned()

    @property
    def specs(self) -> list[TensorSpec]:
        """Specs of the gradients that the function takes."""
        taken = self.inputs[: len(self.inputs) - len(self.captured)]
        return [TensorSpec(v.aval.shown, v.dtype, v.name) for v in taken if v.aval is not None]

    @property
    def structure(self) -> list[TensorSpec | None]:
        """The result, with specs in place of tensors. Inputs without a gradient have None."""
        found: list[TensorSpec | None] = [None] * len(self.specs)
        for place, aval in zip(self.places, self.result, strict=True):
            found[place] = TensorSpec(aval.shown, aval.dtype, f"tensor_{place}")
        return found

    def tensors(self) -> list[CapturedTensor]:
        """Return the captured values as tensors of the owner."""
        makers = {
            name: f"{node.name}:{i}"
            for node in self.owner.nodes
            for i, name in enumerate(node.outputs)
        }
        return [
            CapturedTensor(makers.get(v.name, f"{v.name}:0"), self.owner.name)
            for v in self.captured
        ]


def _is_constant(value: NodeValue) -> bool:
    return value.array is not None and value.array.size <= _MAX_CONSTANT


@SAVED.record("custom_gradient")
def _custom_gradient(
    w: Nodes,
    *values: NodeValue,
    count: int,
    given: int,
    backward: Graph | Exception | None,
    wanted: Sequence[int],
) -> list[NodeValue]:
    if backward is None:
        return [w.op("StopGradient", value) for value in values[:count]]
    root: Any = w
    while root.outer is not None:
        root = root.outer
    taken, captured = values[: count + given], values[count + given :]
    kind = w.fresh(f"CustomGradient-{root.name}")
    types = [value.dtype for value in taken]
    made = w.several("IdentityN", taken, types, T=types, **{GRADIENT_ATTRIBUTE: kind})
    if isinstance(backward, Graph) and not any(is_fed(w, value) for value in captured):
        body = GradientBody(w, w.fresh(f"{root.name}_gradient"), kind, taken, captured)
        w.nodes[-1].graphs["gradient"] = body
        body.compute(backward, count, wanted)
        root.gradients.append(body)
    return made[:count]
