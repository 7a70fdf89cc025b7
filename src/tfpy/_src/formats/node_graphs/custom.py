"""Operations that a program adds for its models: ``tf.register_op``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.formats.node_graphs.node import Node


@dataclass(frozen=True)
class CustomNode:
    """What a registered function gets: a node of a model, and the values of its inputs.

    Attributes:
        name: the node's name.
        op: the operation's name.
        inputs: tensors; constants of whole numbers may be arrays of NumPy.
        attrs: numbers, texts, dtypes, shapes and lists of them, by name.
    """

    name: str
    op: str
    inputs: list[Any]
    attrs: Mapping[str, Any]


_REGISTERED: dict[str, Callable[[CustomNode], Any]] = {}


def register_op(name: str, function: Callable[[CustomNode], Any]) -> None:
    """Says what an operation of models computes (TensorFlow.js's ``tf.registerOp``).

    It serves graphs of all formats, also for operations that tfpy knows.

    Args:
        name: the operation's name in the model.
        function: takes a node with ``inputs`` and ``attrs``; returns a tensor, or a list of them
            when the operation has several outputs. It is traced with the model.

    Raises:
        TypeError: when ``function`` cannot be called.

    Example:
        >>> import tfpy as tf
        >>> tf.register_op("Twice", lambda node: [node.inputs[0] * 2])
        >>> tf.deregister_op("Twice")
    """
    if not callable(function):
        raise TypeError(f"register_op: {function!r} cannot be called")
    _REGISTERED[name] = function


def deregister_op(name: str) -> None:
    """Takes an operation back that :func:`register_op` added; nothing happens when there is none.

    It is TensorFlow.js's ``tf.deregisterOp``.

    Example:
        >>> import tfpy as tf
        >>> tf.register_op("Twice", lambda node: [node.inputs[0] * 2])
        >>> tf.deregister_op("Twice")
    """
    _REGISTERED.pop(name, None)


def is_registered(name: str) -> bool:
    """Whether a program added the operation."""
    return name in _REGISTERED


def run_registered(node: Node, inputs: list[Any]) -> list[Any]:
    """The outputs of a node whose operation a program added.

    Raises:
        ValueError: when the function gives too few outputs.
    """
    attrs = {k: v.copy() if isinstance(v, list) else v for k, v in node.attrs.items()}
    found = _REGISTERED[node.op](CustomNode(node.name, node.op, inputs, attrs))
    made = [*found] if isinstance(found, list | tuple) else [found]
    if len(made) < len(node.outputs):
        raise ValueError(
            f"the function registered for {node.op} gives {len(made)} outputs; the model uses "
            f"{len(node.outputs)}"
        )
    return made


def missing(dialect: str, node: Node, why: str = "") -> UnimplementedError:
    """The error for an operation that there is not."""
    return UnimplementedError(
        None,
        node.op,
        f"{dialect}'s operation {node.op} (node {node.name!r}) is not there{why and f': {why}'}; "
        f"tf.register_op({node.op!r}, function) adds one",
    )
