"""`tf.Operation`: a node of a graph."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.providers import provided
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.tensors.variables.variable import Variable


def given_name(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> str | None:
    """Return the argument `name` of a call, or None if it has none."""
    found = kwargs.get("name")
    if found is None and any(isinstance(value, str) for value in args):
        place = _place_of_name(function)
        found = args[place] if place is not None and place < len(args) else None
    return found if isinstance(found, str) and found else None


@functools.lru_cache(maxsize=1000)
def _place_of_name(function: Callable[..., Any]) -> int | None:
    """Return the position of the parameter `name`, or None if it is not positional."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function without a signature
        return None
    names = list(parameters)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    is_positional = "name" in names and parameters["name"].kind is kind
    return names.index("name") if is_positional else None


class Operations(Protocol):
    """A graph, as far as its operations use it."""

    session: Any
    """The session whose values the Variables hold."""

    def add_operation(self, operation: Operation) -> int:
        """Add an operation and return its number."""


class Operation:
    """A node of a graph: a call of a function, which a session runs.

    Functions such as `tf.add` create operations while a `tf.Graph` is active, so programs do not
    call the constructor.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.constant(1.0, name="x")
        ...     x.op.name, x.op.type
        ('x', 'Const')

    See also: `tf.Graph`.
    """

    function: Callable[..., Any] | None = None
    """Function that computes the results; None for a placeholder and for a group."""
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any]
    supply: Callable[[Any, dict[int, Tensor]], Sequence[Tensor]] | None = None
    """Function that computes the results before a run, from the session and the fed values."""
    differentiated: tuple[Any, ...] = ()
    """Tensors and Variables with respect to which the operation computes gradients."""
    message: Any = None
    """The `tf.compat.v1.NodeDef` from which the operation was imported."""
    colocated: tuple[bytes, ...] = ()
    """Names of operations with which `colocate_with` places this one."""
    _device = ""
    resource: Any = None
    """The object that the operation creates, such as a queue."""
    library: Any = None
    """Functions that the imported operation may call, as a message."""

    def __init__(
        self,
        graph: Operations,
        name: str,
        kind: str,
        inputs: Sequence[GraphTensor | Variable] = (),
        controls: Sequence[Operation] = (),
        assigned: Sequence[Variable] = (),
    ) -> None:
        self.graph = graph
        self.name = name
        self.type = kind
        self.kwargs = {}
        self.sources = tuple(inputs)
        self.control_inputs = list(dict.fromkeys(controls))
        self.outputs: list[GraphTensor] = []
        self.places: Sequence[int] = range(1)
        """Numbers of the outputs among the leaves of the function's result."""
        self.number = graph.add_operation(self)
        self.captured: tuple[Variable, ...] = ()
        """Variables that the function reads in addition to its arguments."""
        self.written: tuple[Any] | None = None
        """The operation as it is written to files, once a file has been made."""
        self.assigned_until: frozenset[int] = frozenset()
        before: set[int] = set()
        for op in self.dependencies:
            before |= op.assigned_until
        self.assigned_before = frozenset(before)
        """Ids of Variables that operations assign on which this one depends."""
        self.set_assigned(assigned)
        self.is_dynamic = False
        """True if shapes of the results depend on values."""

    def set_assigned(self, variables: Sequence[Variable]) -> None:
        """Store the Variables that the operation assigns."""
        self.assigned = tuple(variables)
        self.assigned_until = self.assigned_before | {id(v) for v in variables}

    @property
    def inputs(self) -> tuple[GraphTensor, ...]:
        """Tensors that the operation reads."""
        return tuple(t for t in self.sources if isinstance(t, GraphTensor))

    @property
    def dependencies(self) -> list[Operation]:
        """Operations that run before this one."""
        return [*(t.op for t in self.inputs), *self.control_inputs]

    @property
    def reads(self) -> list[Variable]:
        """Variables that the operation reads."""
        return [*(v for v in self.sources if isinstance(v, Variable)), *self.captured]

    @property
    def device(self) -> str:
        """Name of the device that the program has specified. tfpy chooses devices itself."""
        return self._device or (self.message.device if self.message is not None else "")

    def set_device(self, device: Any) -> None:
        """Specify a device.

        Args:
            device: Name of the device, or a `tf.DeviceSpec`.
        """
        name = device.to_string() if hasattr(device, "to_string") else device
        self._device = str(name or "")

    def colocation_groups(self) -> list[bytes]:
        """Return the names of the operations that have the same device.

        Returns:
            List of bytes such as `b"loc:@x"`.
        """
        return [*self.colocated] or [f"loc:@{self.name}".encode()]

    @functools.cached_property
    def node_def(self) -> Any:
        """Message `tf.compat.v1.NodeDef` with the name, type, inputs and attributes."""
        return provided("Operation.node_def")(self)

    def get_attr(self, name: str) -> Any:
        """Return an attribute of the operation.

        Args:
            name: Name of the attribute.

        Returns:
            A `tf.DType`, message, list, number, boolean or bytes.

        Raises:
            ValueError: If the operation has no such attribute.
        """
        if name not in self.node_def.attr:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        value = self.node_def.attr[name]
        kind = value.WhichOneof("value")
        found: Any = getattr(value, kind) if kind else None
        if kind == "type":
            return as_dtype(found)
        if kind == "list":
            items = [(field.name, x) for field, values in found.ListFields() for x in values]
            return [as_dtype(x) if field == "type" else x for field, x in items]
        return found

    def session(self, given: Any, method: str) -> Any:
        """Return a session, or the default session if it is None.

        Raises:
            ValueError: If there is no default session.
        """
        found = given or (local.sessions[-1] if local.sessions else None)
        if found is None:
            what = "evaluate tensor" if method == "eval" else "execute operation"
            raise ValueError(
                f"Cannot {what} using `{method}()`: No default session is registered. Use `with "
                f"sess.as_default()` or pass an explicit session to `{method}(session=sess)`"
            )
        return found

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run the operation in a session.

        Args:
            feed_dict: Values of tensors, as for `Session.run`.
            session: Session. Default: the default session.

        Raises:
            ValueError: If there is no default session.
        """
        self.session(session, "run").run(self, feed_dict)

    def values(self) -> tuple[GraphTensor, ...]:
        """Return the results, as `outputs` does.

        Returns:
            Tuple of tensors.
        """
        return tuple(self.outputs)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        return f"name: {self.name!r} op: {self.type!r}"
