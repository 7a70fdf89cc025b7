"""Refusal of graphs that act outside of themselves. They may compute and keep their own state.

A dialect reports the effect of a node outside of its graph, and refuses to run such a node. A model
that needs such a node for its outputs is refused when it is loaded (`check`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.library.io.checked_json import ModelFileError


def refused(node: Node, effect: str) -> ModelFileError:
    """Return the error for a node that acts outside of its graph.

    Args:
        node: The node.
        effect: Effect of the node, as a predicate: "writes files".
    """
    return ModelFileError(
        f"the model's operation {node.op} (node {node.name!r}) is refused, because it {effect}. "
        "The operations of a model may only compute. If you trust the model's author with your "
        "files, load it with safe_mode=False"
    )


def check(graph: NodeGraph, wanted: Sequence[str], given: Collection[str]) -> None:
    """Check that computing some values of a graph has no effect outside of the graph.

    Nodes that these values do not need are allowed, because the graph of each SavedModel can also
    write checkpoints.

    Args:
        graph: The graph.
        wanted: The names of the values.
        given: The names of the values that callers pass.

    Raises:
        ModelFileError: If a node acts outside of its graph.
    """
    every = [graph, *graph.functions.values()]
    if not any(part.dialect.outside(node) for part in every for node in _nodes(part)):
        return
    todo: list[tuple[NodeGraph, Sequence[str], Collection[str]]] = [(graph, wanted, given)]
    called: set[str] = set()
    while todo:
        part, outputs, inputs = todo.pop()
        for node in plan(part, outputs, inputs).nodes:
            effect = part.dialect.outside(node)
            if effect is not None:
                raise refused(node, effect)
            names = graph.functions.keys() & set(part.dialect.calls(node)) - called
            called |= names
            parts = [*node.subgraphs, *(graph.functions[name] for name in sorted(names))]
            todo += [(one, one.outputs, [spec.name for spec in one.inputs]) for one in parts]


def _nodes(graph: NodeGraph) -> Iterator[Node]:
    """Yield the nodes of a graph and of its subgraphs."""
    todo = [graph]
    while todo:
        for node in todo.pop().nodes:
            yield node
            todo += node.subgraphs
