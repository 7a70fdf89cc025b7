"""Operations that a program adds for its models, with `tf.register_op`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.formats.node_graphs.node import Node


@dataclass(frozen=True)
class CustomNode:
    """A node of a model and the values of its inputs, the argument of a registered function.

    Attributes:
        name: Name of the node.
        op: Name of the operation.
        inputs: Tensors. Integer constants may be NumPy arrays.
        attrs: Numbers, strings, dtypes, shapes and lists of them, by name.
    """

    name: str
    op: str
    inputs: list[Any]
    attrs: Mapping[str, Any]


_REGISTERED: dict[str, Callable[[CustomNode], Any]] = {}


def register_op(name: str, function: Callable[[CustomNode], Any]) -> None:
    """Register a function that computes an operation of loaded models.

    Use it for models with operations that tfpy does not support. If tfpy supports an operation of
    this name, the function replaces it. Equivalent to `tf.registerOp` in TensorFlow.js.

    Args:
        name: Name of the operation in the file of the model.
        function: Function that takes a node and returns a tensor, or a list of tensors if the
            operation has more than one output. `node.inputs` is the list of input tensors (NumPy
            arrays for integer constants), and `node.attrs` a dict with the attributes of the
            operation. The function is traced together with the model.

    Raises:
        TypeError: If `function` is not callable.

    Example:
        >>> import tfpy as tf
        >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
        >>> tf.register_op("Square", lambda node: node.inputs[0] * 10.0)
        >>> tf.models.load("square")([3.0]).numpy().tolist()
        [30.0]
        >>> tf.deregister_op("Square")

    See also: `tf.deregister_op`, `tf.models.load`.
    """
    if not callable(function):
        raise TypeError(f"register_op: the function {function!r} cannot be called")
    _REGISTERED[name] = function


def deregister_op(name: str) -> None:
    """Remove the function that `tf.register_op` registered for an operation.

    If there is none, nothing happens. Equivalent to `tf.deregisterOp` in TensorFlow.js.

    Args:
        name: Name of the operation.

    Example:
        >>> import tfpy as tf
        >>> tf.register_op("Twice", lambda node: [node.inputs[0] * 2])
        >>> tf.deregister_op("Twice")

    See also: `tf.register_op`.
    """
    _REGISTERED.pop(name, None)


def is_registered(name: str) -> bool:
    """Return True if a program registered the operation."""
    return name in _REGISTERED


def run_registered(node: Node, inputs: list[Any]) -> list[Any]:
    """Return the outputs of a node with a registered operation.

    Raises:
        ValueError: If the function returns too few outputs.
    """
    attrs = {k: v.copy() if isinstance(v, list) else v for k, v in node.attrs.items()}
    found = _REGISTERED[node.op](CustomNode(node.name, node.op, inputs, attrs))
    made = [*found] if isinstance(found, list | tuple) else [found]
    if len(made) < len(node.outputs):
        raise ValueError(
            f"the function registered for {node.op} returns {len(made)} outputs, but the model "
            f"uses {len(node.outputs)}"
        )
    return made


def missing(dialect: str, node: Node, why: str = "") -> UnimplementedError:
    """Return the error for an unsupported operation."""
    return UnimplementedError(
        None,
        node.op,
        f"{dialect}'s operation {node.op} (node {node.name!r}) is not supported"
        f"{why and f': {why}'}. tf.register_op({node.op!r}, function) adds it",
    )
