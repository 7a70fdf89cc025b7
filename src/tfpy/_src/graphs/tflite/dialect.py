"""Running nodes of TFLite's graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.graphs.custom import is_registered, missing, run_registered
from tfpy._src.graphs.node import Node
from tfpy._src.graphs.scope import Scope
from tfpy._src.graphs.tflite import ops
from tfpy._src.graphs.tflite.record import RECORDS


class TFLiteDialect:
    """TFLite's operations; those of :mod:`~tfpy._src.graphs.tflite.ops`, and registered ones."""

    name = "TFLite"
    modules = ops.MODULES

    def run(self, node: Node, inputs: list[Any], scope: Scope) -> Sequence[Any]:
        """The values of a node; see :class:`~tfpy._src.graphs.node.Dialect`."""
        if is_registered(node.op):
            return run_registered(node, inputs)[: len(node.outputs)]
        found = RECORDS.get(node.op)
        if found is None:
            raise missing(self.name, node)
        return found.run(node, inputs, scope)


DIALECT = TFLiteDialect()
