"""The order in which the nodes of a graph run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.library.io.checked_json import ModelFileError

_MAX_PLANS = 256  # plans cached per graph; the cache is cleared when it is full


@dataclass(frozen=True)
class NodeOrder:
    """The nodes that compute some values, each after the nodes that it depends on."""

    wanted: tuple[str, ...]
    nodes: tuple[Node, ...]
    unused: tuple[tuple[str, ...], ...]
    """Names of the values that are not needed any more after each node."""

    @property
    def reads(self) -> set[str]:
        """Names of the values that the nodes read or that are wanted."""
        return {*self.wanted, *(name for node in self.nodes for name in node.reads)}

    @classmethod
    def of(cls, wanted: Sequence[str], nodes: Sequence[Node]) -> NodeOrder:
        """Make a plan that runs nodes in the given order."""
        made = {name for node in nodes for name in node.outputs if name}
        kept = set(wanted)
        unused: list[tuple[str, ...]] = []
        for node in reversed(nodes):
            names = made.intersection((*node.reads, *node.outputs)) - kept
            unused.append(tuple(sorted(names)))
            kept |= names
        return cls(tuple(wanted), tuple(nodes), tuple(reversed(unused)))


def plan(graph: NodeGraph, wanted: Sequence[str], given: Iterable[str] = ()) -> NodeOrder:
    """Return the nodes that compute the wanted values from given ones, in order.

    Raises:
        ModelFileError: If a node does not exist, or a value depends on itself.
    """
    key = tuple(wanted), frozenset(given)
    found: NodeOrder | None = graph.plans.get(key)
    if found is None:
        if len(graph.plans) >= _MAX_PLANS:
            graph.plans.clear()
        found = graph.plans[key] = NodeOrder.of(wanted, _ordered(graph, *key))
    return found


def _ordered(graph: NodeGraph, wanted: Sequence[str], given: Collection[str]) -> list[Node]:
    def makers(names: Iterable[str]) -> list[Node]:
        return [graph.makers[n] for n in names if n not in given and n in graph.makers]

    return ordered(
        [*_named(graph, graph.effects), *makers(wanted)],
        lambda node: [*makers(node.reads), *_named(graph, node.after)],
        f"{graph.name}: ",
    )


def ordered(
    wanted: Sequence[Node], needs: Callable[[Node], Sequence[Node]], where: str = ""
) -> list[Node]:
    """Sort nodes and the nodes that they depend on, dependencies first.

    Args:
        wanted: The nodes.
        needs: Function that returns the dependencies of a node.
        where: Prefix of the error message.

    Raises:
        ModelFileError: If a node depends on its own result.
    """
    # Depth first, without recursion: graphs in files may be deep.
    order: list[Node] = []
    is_done: dict[Node, bool] = {}  # False while a node's dependencies are visited
    todo = list(reversed(wanted))
    while todo:
        node = todo[-1]
        if node in is_done:
            todo.pop()
            if not is_done[node]:
                is_done[node] = True
                order.append(node)
            continue
        is_done[node] = False
        for before in reversed(needs(node)):
            if is_done.get(before) is False:
                raise ModelFileError(f"{where}the node {before.name!r} needs its own result")
            if before not in is_done:
                todo.append(before)
    return order


def _named(graph: NodeGraph, names: Iterable[str]) -> list[Node]:
    try:
        return [graph.by_name[name] for name in names]
    except KeyError as error:
        raise ModelFileError(f"{graph.name}: the node {error.args[0]!r} does not exist") from None
