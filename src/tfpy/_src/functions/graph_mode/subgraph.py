"""Operations of a graph that the body of a loop repeats with other values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.nests import leaves, mapped
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.plan import evaluate, value_in_run
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.tensors.variables.variable import Variable


class Subgraph:
    """The operations that a function adds to a graph, as a function of its arguments.

    The function is called once, so it makes its Variables in the graph, and not in the loop.

    Args:
        graph: The graph, which is active.
        function: Function of tensors. It returns a nest of tensors.
        examples: Tensors with the shapes and dtypes of the arguments.
    """

    def __init__(self, graph: Graph, function: Callable[..., Any], examples: Sequence[Any]) -> None:
        first = len(graph.operations)
        self.inputs = [self._input(graph, example) for example in examples]
        self.result = function(*self.inputs)
        self.operations = self._needed(first)
        """Operations that compute the result, in the order of creation."""
        inner = {t.identity for op in self.operations for t in op.outputs}
        inner |= {t.identity for t in self.inputs}
        sources = [x for op in self.operations for x in (*op.sources, *op.captured)]
        outer = [x for x in (*sources, *leaves(self.result)) if self._is_outer(x, inner)]
        self.captured = list({id(x): x for x in outer}.values())
        """Tensors and Variables of the graph that the operations read."""

    @staticmethod
    def _input(graph: Graph, example: Any) -> GraphTensor:
        op = graph.make("loop_input", kind="Placeholder")
        op.outputs = [GraphTensor(op, 0, example.aval)]
        return op.outputs[0]

    @staticmethod
    def _is_outer(value: Any, inner: set[int]) -> bool:
        if isinstance(value, GraphTensor):
            return value.constant is None and value.identity not in inner
        return isinstance(value, Variable)

    def _needed(self, first: int) -> list[Operation]:
        found: dict[int, Operation] = {}
        pending = [x.op for x in leaves(self.result) if isinstance(x, GraphTensor)]
        while pending:
            op = pending.pop()
            if op.number >= first and op.number not in found and op.function is not None:
                found[op.number] = op
                pending += op.dependencies
        return [op for _, op in sorted(found.items())]

    def __call__(self, given: Sequence[Any], captured: Sequence[Any]) -> Any:
        """Return the result for some arguments.

        Args:
            given: Values of the arguments.
            captured: Values of `captured`.
        """
        values = {t.identity: v for t, v in zip(self.inputs, given, strict=True)}
        start: dict[int, Any] = {}
        for outer, value in zip(self.captured, captured, strict=True):
            if isinstance(outer, GraphTensor):
                values[outer.identity] = value
            else:
                start[id(outer)] = value
        saved, local.values = local.values, values
        try:
            for op in self.operations:
                evaluate(op, values, start)
            return mapped(self.result, lambda x: value_in_run(x, None, values, start))
        finally:
            local.values = saved
