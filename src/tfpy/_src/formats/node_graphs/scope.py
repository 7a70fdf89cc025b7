"""Running a node list: the values of a graph while it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tfpy._src.backends.event_loop import give_turn
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import NodeOrder, plan
from tfpy._src.library.io.checked_json import ModelFileError

MAX_DEPTH = 64
"""How deeply graphs may call each other."""


class Scope:
    """The values of a graph while it runs.

    Args:
        graph: the graph.
        given: the values of its inputs, or of any other names, which are then not computed.
        caller: the scope whose node calls it.
        inside: whether it is a subgraph, which sees its caller's values.

    Raises:
        ModelFileError: when graphs call each other too deeply.
    """

    def __init__(
        self,
        graph: NodeGraph,
        given: Mapping[str, Any],
        caller: Scope | None = None,
        inside: bool = False,
    ) -> None:
        self.graph = graph
        self._values = dict(given)
        self._around = caller if inside else None
        self._depth: int = 0 if caller is None else caller._depth + 1
        self._functions: Mapping[str, NodeGraph] = (
            graph.functions if caller is None else caller._functions
        )
        if self._depth > MAX_DEPTH:
            raise ModelFileError(f"{graph.name}: graphs call each other {MAX_DEPTH} levels deep")

    def __getitem__(self, name: str) -> Any:
        """A value by name, of this graph or of those around it.

        Raises:
            ModelFileError: when there is none.
        """
        if name in self._values:
            return self._values[name]
        if name in self.graph.weights:
            return self.graph.weights.value(name)
        if self._around is None:
            raise ModelFileError(f"{self.graph.name}: nothing makes the value {name!r}")
        return self._around[name]

    def has_function(self, name: str) -> bool:
        """Whether nodes may call a graph of that name."""
        return name in self._functions

    def function(self, name: str) -> NodeGraph:
        """A graph that nodes call by name.

        Raises:
            ModelFileError: when there is none.
        """
        if name not in self._functions:
            raise ModelFileError(f"{self.graph.name}: there is no function {name!r}")
        return self._functions[name]

    def call(self, graph: NodeGraph, inputs: Sequence[Any]) -> list[Any]:
        """The outputs of another graph for its inputs, in order."""
        return self._run(graph, inputs, inside=False)

    def call_inside(self, graph: NodeGraph, inputs: Sequence[Any]) -> list[Any]:
        """The outputs of a node's subgraph for its inputs, in order; it sees this scope."""
        return self._run(graph, inputs, inside=True)

    def run(self, steps: NodeOrder) -> list[Any]:
        """Runs a plan's nodes and gives what was wanted."""
        for node, unused in zip(steps.nodes, steps.unused, strict=True):
            self._make_last(node, unused)
        return [self[name] for name in steps.wanted]

    async def run_async(self, steps: NodeOrder) -> list[Any]:
        """:meth:`run`, between whose nodes the page has its turns."""
        for node, unused in zip(steps.nodes, steps.unused, strict=True):
            await give_turn()
            self._make_last(node, unused)
        return [self[name] for name in steps.wanted]

    def trace(self, steps: NodeOrder) -> dict[Node, bool]:
        """Runs a plan's nodes but those that need to know tensors' elements while a function is
        traced, and those after them.

        Returns:
            The nodes that did not run, in order, and whether they follow others of them.
        """
        left: dict[Node, bool] = {}
        for node in steps.nodes:
            follows = self._follows(node, left)
            if not follows:
                try:
                    self._make(node)
                    continue
                except NotTraceableError:
                    pass
            left[node] = follows
        return left

    def _follows(self, node: Node, left: Mapping[Node, bool]) -> bool:
        """Whether a node needs one that did not run."""
        graph = self.graph
        return any(
            graph.makers.get(name) in left for name in node.reads if name not in self._values
        ) or any(graph.by_name[name] in left for name in node.after)

    def _run(self, graph: NodeGraph, inputs: Sequence[Any], inside: bool) -> list[Any]:
        if len(inputs) != len(graph.inputs):
            raise ModelFileError(
                f"{graph.name} takes {len(graph.inputs)} values, and is called with {len(inputs)}"
            )
        given = {spec.name: value for spec, value in zip(graph.inputs, inputs, strict=True)}
        return Scope(graph, given, self, inside).run(plan(graph, graph.outputs, given))

    def _make_last(self, node: Node, unused: Sequence[str]) -> None:
        """Runs a node, after which nobody needs some values."""
        self._make(node)
        for name in unused:
            del self._values[name]

    def _make(self, node: Node) -> None:
        for name, value in self._made(node):
            self._values.setdefault(name, value)

    def _made(self, node: Node) -> Iterator[tuple[str, Any]]:
        try:
            inputs = [self[name] if name else None for name in node.inputs]
            made = self.graph.dialect.run(node, inputs, self)
            yield from (pair for pair in zip(node.outputs, made, strict=True) if pair[0])
        except Exception as error:
            error.add_note(f"in {node.op} {node.name!r} of {self.graph.name!r}")
            raise
