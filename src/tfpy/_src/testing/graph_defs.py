"""`tf.test.assert_equal_graph_def`: a comparison of graphs as messages."""

from __future__ import annotations

from typing import Any

from tfpy._src.library.protos.graphs import GraphDef, NodeDef


def assert_equal_graph_def(expected: GraphDef, actual: GraphDef) -> None:
    """Check that two graphs have the same nodes, in any order.

    Args:
        expected, actual: Graphs as `tf.compat.v1.GraphDef` messages.

    Raises:
        AssertionError: If the graphs differ. The message names the difference.
        TypeError: If an argument is not a GraphDef.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(1.0)
        >>> tf.test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def())

    See also: `tf.test.TestCase`.
    """
    for name, graph in (("actual", actual), ("expected", expected)):
        if not isinstance(graph, GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(graph).__name__}")
    wanted = {node.name: _plain(node) for node in expected.node}
    for node in actual.node:
        if node.name not in wanted:
            raise AssertionError(f"Found unexpected node '{node}'")
        other, found = wanted.pop(node.name), _plain(node)
        if found != other:
            raise AssertionError(
                f"Found a difference at the node {node.name!r}:\n\nExpected: {other}\n\n"
                f"Actual: {found}"
            )
    if wanted:
        raise AssertionError(f"Could not find node(s) {', '.join(wanted)!r} in the graph.")


def _plain(node: NodeDef) -> Any:
    """Return what is compared of a node."""
    inputs = [name for name in node.input if not name.startswith("^")]
    controls = sorted(name for name in node.input if name.startswith("^"))
    return node.op, node.device, inputs, controls, {k: node.attr[k] for k in sorted(node.attr)}
