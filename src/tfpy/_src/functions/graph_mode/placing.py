"""The devices, name scopes and flags of a `tf.Graph` that programs specify for its operations.

tfpy chooses the devices itself. The names of devices are kept for programs that read them, and for
files with graphs.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tfpy._src.base.providers import provided
from tfpy._src.core.name_scope import entered, prefix
from tfpy._src.functions.graph_mode.operation import Operation

_ROOT_SCOPE = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_SCOPE = re.compile(r"[A-Za-z0-9_.\\/>-]*")


class Contexts:
    """The contexts of a graph that apply to new operations."""

    def __init__(self) -> None:
        self.devices: list[Any] = []
        self.colocated: list[Operation] = []
        self.controls: list[list[Operation]] = []
        """Operations that run before each new operation, by the context that adds them."""


class _ContextsOfThreads(threading.local, Contexts):
    """The contexts of a graph, which each thread enters separately."""


class Placing:
    """The part of a `tf.Graph` that specifies devices, name scopes and flags."""

    operations: list[Operation]

    def __init__(self) -> None:
        self.contexts = Contexts()
        self._unfed: set[str] = set()
        self._unfetched: set[str] = set()

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Return a context manager that specifies a device for operations.

        Args:
            device_name_or_function: Name of a device, a `tf.DeviceSpec`, or a function that takes
                an operation and returns the name of its device. None ignores the enclosing
                contexts.

        Returns:
            A context manager.

        Raises:
            ValueError: If a part of the name is unknown.

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph, graph.device("/job:worker/CPU:0"):
            ...     tf.constant(1.0).op.device
            '/job:worker/device:CPU:0'
        """
        entry = device_name_or_function
        if entry is not None and not callable(entry):
            entry = provided("Graph.device")(entry)
        self.contexts.devices.append(entry)
        try:
            yield
        finally:
            self.contexts.devices.pop()

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Return a context manager that specifies the device of another operation.

        Args:
            op: Operation, tensor or Variable. If it is None, enclosing contexts are ignored.
            ignore_existing: If True, enclosing contexts are ignored.

        Returns:
            A context manager.

        Raises:
            ValueError: If `op` is None and `ignore_existing` is False.

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph:
            ...     x = tf.constant(1.0, name="x")
            ...     with graph.colocate_with(x):
            ...         tf.constant(2.0).op.colocation_groups()
            [b'loc:@x']
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "Trying to reset colocation (op is None) but ignore_existing is not True"
            )
        contexts = self.contexts
        saved, devices = contexts.colocated, contexts.devices
        contexts.colocated = [] if ignore_existing else [*saved]
        if op is not None:
            contexts.colocated.append(op if isinstance(op, Operation) else op.op)
        contexts.devices = []
        try:
            yield
        finally:
            contexts.colocated, contexts.devices = saved, devices

    def switch_to_thread_local(self) -> None:
        """Let each thread enter devices, colocations and control dependencies separately.

        Other threads begin without contexts. Before this call, contexts that one thread enters
        apply to the operations of all threads.

        Example:
            >>> import tfpy as tf
            >>> graph = tf.Graph()
            >>> graph.switch_to_thread_local()
            >>> with graph.as_default(), graph.device("/job:worker"):
            ...     tf.constant(1.0).op.device
            '/job:worker'
        """
        outer, self.contexts = self.contexts, _ContextsOfThreads()
        self.contexts.devices, self.contexts.colocated = outer.devices, outer.colocated
        self.contexts.controls = outer.controls

    def place(self, op: Operation) -> None:
        """Set the device and the colocation groups of a new operation."""
        op.set_device("")
        for entry in reversed(self.contexts.devices):
            if entry is None:
                break
            op.set_device(entry(op))
        groups = (group for other in self.contexts.colocated for group in other.colocation_groups())
        op.colocated = tuple(sorted(set(groups)))
        for other in self.contexts.colocated:
            op.set_device(other.device)

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Return a context manager that adds a prefix to the names of operations.

        Args:
            name: Name of the scope, which is appended to the enclosing scopes. A name that ends in
                "/" replaces the enclosing scopes. None and "" leave all scopes.

        Returns:
            A context manager that returns the prefix.

        Raises:
            ValueError: If the name has characters that are not allowed.

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph, graph.name_scope("layer") as scope:
            ...     print(scope, tf.constant(1.0, name="x").op.name)
            layer/ layer/x
        """
        if name:
            if not isinstance(name, str):
                raise TypeError(f"The name of a scope must be a string, got {name!r}")
            is_inner = bool(prefix(self))
            if not (_SCOPE if is_inner else _ROOT_SCOPE).fullmatch(name):
                kind = "scope" if is_inner else "root scope"
                raise ValueError(f"'{name}' is not a valid {kind} name.")
        with entered(self, name or "") as scope:
            yield scope

    def get_name_scope(self) -> str:
        """Return the current name scope, without a trailing slash.

        Returns:
            Names of the active scopes, separated by "/", or "".

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph, tf.name_scope("a"), tf.name_scope("b"):
            ...     graph.get_name_scope()
            'a/b'
        """
        return prefix(self).removesuffix("/")

    @property
    def version(self) -> int:
        """Number that increases when operations are added."""
        return len(self.operations)

    def prevent_feeding(self, tensor: Any) -> None:
        """Forbid sessions to feed a tensor.

        Args:
            tensor: Tensor of the graph.

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph:
            ...     x = tf.constant(1.0)
            ...     graph.prevent_feeding(x)
            ...     graph.is_feedable(x)
            False
        """
        self._unfed.add(tensor.name)

    def is_feedable(self, tensor: Any) -> bool:
        """Return True if sessions may feed a tensor.

        Args:
            tensor: Tensor of the graph.

        Returns:
            A bool.
        """
        return tensor.name not in self._unfed

    def prevent_fetching(self, op: Any) -> None:
        """Forbid sessions to fetch an operation and its results.

        Args:
            op: Operation of the graph.

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph:
            ...     x = tf.constant(1.0)
            ...     graph.prevent_fetching(x.op)
            ...     graph.is_fetchable(x)
            False
        """
        self._unfetched.add(op.name)

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Return True if sessions may fetch a tensor or an operation.

        Args:
            tensor_or_op: Tensor or operation of the graph.

        Returns:
            A bool.
        """
        op = tensor_or_op if isinstance(tensor_or_op, Operation) else tensor_or_op.op
        return op.name not in self._unfetched
