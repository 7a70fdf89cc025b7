"""Methods of TensorFlow's classes, and operations, that higher rooms of the engine implement.

Imports go from higher rooms to lower ones. A class in a lower room has a method that needs a higher
room only if TensorFlow's interface requires it. The table lists all of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_NODES = "tfpy._src.checkpoints.saved_models.operation_nodes"
_FUNCTIONS = "tfpy._src.checkpoints.saved_models.function_graph"
PROVIDERS = {
    "ConcreteFunction.function_def": (_FUNCTIONS, "function_def_of"),
    "ConcreteFunction.function_type": (_FUNCTIONS, "function_type_of"),
    "ConcreteFunction.inference_fn": (_FUNCTIONS, "AtomicFunction"),
    "ConcreteFunction.graph": (_FUNCTIONS, "graph_of"),
    "Graph.as_graph_def": (_NODES, "graph_def_of"),
    "Graph.device": ("tfpy._src.distribute.device_spec", "merging"),
    "Operation.node_def": (_NODES, "node_def_of"),
    "raw_ops.LoadAndRemapMatrix": ("tfpy._src.checkpoints.reader", "CheckpointReader"),
    "TensorShape.as_proto": ("tfpy._src.library.protos.tensor_protos", "shape_message"),
}
"""Module and function of each method."""


def provided(method: str) -> Callable[..., Any]:
    """Return the function that implements a method, and import its module."""
    module, name = PROVIDERS[method]
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found
