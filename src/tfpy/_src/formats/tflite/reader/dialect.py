"""The dialect that executes the nodes of TFLite graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tfpy._src.formats.encodings import flexbuffers, protobuf
from tfpy._src.formats.node_graphs.custom import is_registered, missing, run_registered
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.node_graphs.safety import refused
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.raw_ops import records as tensorflow
from tfpy._src.formats.raw_ops.outside import effect
from tfpy._src.formats.tensorflow.reader.messages import NODE
from tfpy._src.formats.tensorflow.reader.values import attribute
from tfpy._src.formats.tflite.reader import ops
from tfpy._src.formats.tflite.reader.record import DECIDE, RECORDS
from tfpy._src.library.io.checked_json import ModelFileError

_FLEX = "Flex"
_CALLED = (
    "subgraph", "then_subgraph_index", "else_subgraph_index", "cond_subgraph_index",
    "body_subgraph_index",
)  # fmt: skip


class TFLiteDialect:
    """The dialect of TFLite operations, registered operations and TensorFlow operations ("Flex").

    Args:
        safe: If True, TensorFlow operations that act outside of the graph are rejected, unless they
            are registered.
    """

    name = "TFLite"
    modules = ops.MODULES
    shape_ops = frozenset(("SHAPE", "RANK"))

    def __init__(self, safe: bool = True) -> None:
        self._safe = safe

    def run(self, node: Node, inputs: list[Any], scope: Scope) -> Sequence[Any]:
        """Compute the outputs of a node."""
        if is_registered(node.op):
            return run_registered(_with_options(node), inputs)[: len(node.outputs)]
        found = RECORDS.get(node.op)
        if found is not None:
            return found.run(node, inputs, scope)
        if (acts := self.outside(node)) is not None:
            raise refused(node, acts)
        if node.op.startswith(_FLEX) and node.op.removeprefix(_FLEX) in tensorflow.RECORDS:
            return _flex(node, inputs)
        raise missing(self.name, node)

    def decides(self, node: Node) -> Sequence[str]:
        """Return the inputs that must be host arrays, and the conditions."""
        found = None if is_registered(node.op) else RECORDS.get(node.op)
        if found is None:
            return ()
        pairs = zip(node.inputs, found.inputs, strict=False)
        return [name for name, (kind, _) in pairs if name and kind in DECIDE]

    def calls(self, node: Node) -> Sequence[str]:
        """Return the graphs that a node calls, by their numbers in the file."""
        return [str(node.attrs[key]) for key in _CALLED if key in node.attrs]

    def outside(self, node: Node) -> str | None:
        """Return the external effect of a TensorFlow operation, or None."""
        if not self._safe or not node.op.startswith(_FLEX) or is_registered(node.op):
            return None
        return effect(node.op.removeprefix(_FLEX), _flex_attrs(node))


DIALECT = TFLiteDialect()


def _with_options(node: Node) -> Node:
    """Decode the options of a custom operation into attributes, if they are FlexBuffers."""
    raw = node.attrs.get("custom_options", b"")
    try:
        options = flexbuffers.read(raw)
    except ModelFileError:
        return node
    return replace(node, attrs={**options, **node.attrs}) if isinstance(options, dict) else node


def _flex(node: Node, inputs: list[Any]) -> Sequence[Any]:
    """Run a TensorFlow operation, whose node is stored in the options."""
    attrs = _flex_attrs(node)
    found: list[Any] = []
    for value in tensorflow.RECORDS[node.op.removeprefix(_FLEX)].run(inputs, attrs).values():
        found.extend(value if isinstance(value, list) else [value])
    return found[: len(node.outputs)]


def _flex_attrs(node: Node) -> Mapping[str, Any]:
    """Return the attributes of a TensorFlow operation.

    Raises:
        ModelFileError: If the options do not contain a node.
    """
    options = flexbuffers.read(node.attrs.get("custom_options", b""))
    if (
        not isinstance(options, list)
        or len(options) != 2
        or not isinstance(options[1], bytes | str)
    ):
        raise ModelFileError(f"{node.op} {node.name!r} has no TensorFlow node in its options.")
    raw = (
        options[1]
        if isinstance(options[1], bytes)
        else options[1].encode("utf-8", "surrogateescape")
    )
    message = protobuf.read(raw, NODE)
    return {
        key: attribute(value or {}, f"{node.name}.{key}") for key, value in message["attr"].items()
    }
