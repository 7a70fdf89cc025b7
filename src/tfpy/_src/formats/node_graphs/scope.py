"""The values of a graph while it runs, node by node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tfpy._src.backends.event_loop import give_turn
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import NodeOrder, plan
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.library.io.checked_json import ModelFileError

MAX_DEPTH = 64
"""Maximum depth of calls between graphs."""


class Scope:
    """The values of a graph while it runs.

    Args:
        graph: The graph.
        given: Values of the graph's inputs, or of other names, which are then not computed.
        caller: Scope of the node that calls the graph.
        inside: If True, the graph is a subgraph, which can read its caller's values.

    Raises:
        ModelFileError: If calls are nested too deeply.
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
            raise ModelFileError(
                f"{graph.name}: graphs call each other more than {MAX_DEPTH} levels deep"
            )

    def __getitem__(self, name: str) -> Any:
        """Return a value of this graph, or of the graphs around it, by name.

        Raises:
            ModelFileError: If there is no such value.
        """
        if name in self._values:
            return self._values[name]
        if name in self.graph.weights:
            return self.graph.weights.value(name)
        if self._around is None:
            raise ModelFileError(f"{self.graph.name}: nothing makes the value {name!r}")
        return self._around[name]

    def maker(self, name: str) -> tuple[Node | None, Weights]:
        """Return the node that makes a value, if any, and the weights of its graph.

        The graph is this one, or one of the graphs around it.
        """
        graph = self.graph
        known = name in graph.makers or name in graph.weights or name in self._values
        if known or self._around is None:
            return graph.makers.get(name), graph.weights
        return self._around.maker(name)

    def has_function(self, name: str) -> bool:
        """Return True if nodes can call a graph of that name."""
        return name in self._functions

    def function(self, name: str) -> NodeGraph:
        """Return a graph that nodes call by name.

        Raises:
            ModelFileError: If there is no such graph.
        """
        if name not in self._functions:
            raise ModelFileError(f"{self.graph.name}: the function {name!r} does not exist")
        return self._functions[name]

    def call(self, graph: NodeGraph, inputs: Sequence[Any]) -> list[Any]:
        """Call another graph and return its outputs in order."""
        return self._run(graph, inputs, inside=False)

    def call_inside(self, graph: NodeGraph, inputs: Sequence[Any]) -> list[Any]:
        """Call a node's subgraph, which can read this scope, and return its outputs in order."""
        return self._run(graph, inputs, inside=True)

    def run(self, steps: NodeOrder) -> list[Any]:
        """Run the nodes of a plan and return the wanted values."""
        for node, unused in zip(steps.nodes, steps.unused, strict=True):
            self._make_last(node, unused)
        return [self[name] for name in steps.wanted]

    async def run_async(self, steps: NodeOrder) -> list[Any]:
        """Run the nodes of a plan, and let the page process events between the nodes."""
        for node, unused in zip(steps.nodes, steps.unused, strict=True):
            await give_turn()
            self._make_last(node, unused)
        return [self[name] for name in steps.wanted]

    def trace(self, steps: NodeOrder) -> dict[Node, bool]:
        """Run the nodes of a plan inside a trace.

        Nodes that need the elements of tensors cannot run in a trace. These nodes, and the nodes
        after them, are left out.

        Returns:
            The nodes that did not run, in order. The value is True for a node that depends on
            another node that did not run.
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
        """Return True if a node depends on a node that did not run."""
        graph = self.graph
        return any(
            graph.makers.get(name) in left for name in node.reads if name not in self._values
        ) or any(graph.by_name[name] in left for name in node.after)

    def _run(self, graph: NodeGraph, inputs: Sequence[Any], inside: bool) -> list[Any]:
        if len(inputs) != len(graph.inputs):
            raise ModelFileError(
                f"{graph.name} takes {len(graph.inputs)} values, but is called with {len(inputs)}"
            )
        given = {spec.name: value for spec, value in zip(graph.inputs, inputs, strict=True)}
        return Scope(graph, given, self, inside).run(plan(graph, graph.outputs, given))

    def _make_last(self, node: Node, unused: Sequence[str]) -> None:
        """Run a node, and drop the values that are not needed after it."""
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
