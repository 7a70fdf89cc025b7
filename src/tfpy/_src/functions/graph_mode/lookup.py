"""The operations of a `tf.Graph` by their names, and as a message."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from tfpy._src.base.providers import provided
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.tensors.variables.variable import Variable


class Lookup(ABC):
    """The part of a `tf.Graph` that finds operations and tensors."""

    @abstractmethod
    def _named(self) -> Mapping[str, Operation]:
        """Return the operations by their names, in the order in which they were created."""

    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False, **_: object
    ) -> Any:
        """Return the graph as a message.

        The nodes have the names, types and inputs of the operations. They have only the attributes
        for dtypes, shapes and constants.

        Args:
            from_version: Has no effect.
            add_shapes: If True, nodes have the attribute `_output_shapes`.

        Returns:
            A `tf.compat.v1.GraphDef`.

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph:
            ...     x = tf.constant(1.0, name="x")
            >>> [node.name for node in graph.as_graph_def().node]
            ['x']
        """
        return provided("Graph.as_graph_def")(self, add_shapes)

    def get_operations(self) -> list[Operation]:
        """Return the operations in the order in which they were created.

        Returns:
            List of `tf.Operation`.

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph:
            ...     x = tf.constant(1.0, name="x")
            >>> graph.get_operations()
            [<tf.Operation 'x' type=Const>]
        """
        return [*self._named().values()]

    def get_operation_by_name(self, name: str) -> Operation:
        """Return the operation with a name.

        Args:
            name: Name, with the names of its scopes.

        Returns:
            A `tf.Operation`.

        Raises:
            KeyError: If the graph has no such operation.
            TypeError: If `name` is not a string.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        found = self._named().get(name)
        if found is None:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return found

    def get_tensor_by_name(self, name: str) -> GraphTensor:
        """Return the tensor with a name.

        Args:
            name: Name of the operation, a colon, and the number of the result.

        Returns:
            A tensor, or the Variable with the name.

        Raises:
            KeyError: If the graph has no such tensor.
            TypeError: If `name` is not a string.
            ValueError: If the name has no number.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        op, colon, index = name.partition(":")
        if not colon or not index.isdecimal():
            raise ValueError(
                f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must be of "
                'the form "<op_name>:<output_index>".'
            )
        found = self._named().get(op)
        if found is not None and not found.outputs:
            for variable in getattr(self, "variables", ()):
                if getattr(variable, "op", None) is found:
                    return variable
        if found is None or int(index) >= len(found.outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{op!r}, does not exist in the graph."
            )
        return found.outputs[int(index)]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Return the tensor or operation that an object or a name refers to.

        Args:
            obj: Tensor, operation, Variable, or the name of a tensor or operation.
            allow_tensor: If False, tensors raise a TypeError.
            allow_operation: If False, operations raise a TypeError.

        Returns:
            A tensor or a `tf.Operation`.

        Raises:
            KeyError: If the graph has no element of the name.
            TypeError: If the object is of another kind.
            ValueError: If the object belongs to another graph.
        """
        if isinstance(obj, bytes):
            obj = obj.decode()
        found = obj
        if isinstance(obj, str):
            named = self.get_tensor_by_name if ":" in obj else self.get_operation_by_name
            found = named(obj)
        elif hasattr(obj, "_as_graph_element"):
            found = obj._as_graph_element()
        accepted = isinstance(found, Variable)
        accepted |= allow_tensor and isinstance(found, GraphTensor)
        accepted |= allow_operation and isinstance(found, Operation)
        if not accepted:
            kinds = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
            raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")
        if found.graph is not self:
            raise ValueError(f"{found} is not an element of this graph.")
        return found
