"""`tf.compat.v1.variable_scope` and `get_variable`: Variables that are found by their names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core import name_scope as scopes
from tfpy._src.core.typing import DTypeLike
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.compat.graphs.scope_counts import ScopeCounts
from tfpy._src.tensors.variables.variable import Variable


class _ReuseMode:
    """The kind of `AUTO_REUSE`."""

    def __repr__(self) -> str:
        return "<_ReuseMode.AUTO_REUSE: 1>"


AUTO_REUSE = _ReuseMode()


class name_scope:  # noqa: N801 - TensorFlow's name
    """Context manager that prefixes the names of operations and Variables.

    Args:
        name: Name of the scope. None for `default_name`.
        default_name: Name if `name` is None.
        values: Has no effect.

    Raises:
        TypeError: If `default_name` is not a string.

    Example:
        >>> import tfpy as tf
        >>> with tf.compat.v1.name_scope(None, "layer") as scope:
        ...     print(scope)
        layer/

    See also: `tf.name_scope`.
    """

    def __init__(
        self, name: str | None, default_name: str | None = None, values: object = None
    ) -> None:
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely "
                "meant to pass this into the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._scope = scopes.name_scope(self._name or "")

    @property
    def name(self) -> str | None:
        """Name that was passed to the constructor."""
        return self._name

    def __enter__(self) -> str:
        return self._scope.__enter__()

    def __exit__(self, *exception: object) -> None:
        self._scope.__exit__(*exception)


class _ActiveScope(threading.local):
    """The current variable scope of a thread. Each thread begins with a scope without a name."""

    def __init__(self) -> None:
        self.scope = VariableScope(False)
        self.counts = ScopeCounts()


class ScopeStore:
    """The variable scopes and the Variables of a graph, or of eager execution.

    Args:
        is_graph: True for graphs and wrapped functions, in which `get_variable` finds Variables
            again if the scope reuses them. Calls of templates share Variables as well.
    """

    def __init__(self, is_graph: bool) -> None:
        self.is_graph = self.shares = is_graph
        self.variables: dict[str, Variable] = {}
        self.partitioned: dict[str, Any] = {}
        self.active = _ActiveScope()


def scope_store() -> ScopeStore:
    """Return the store of the current graph, or the one of eager execution in the default graph."""
    return _held_store()[0]


def _held_store() -> list[ScopeStore]:
    """Return a list with the current store."""
    current: Any = tracing.local.active[0] if tracing.local.active else None
    in_graph = current is not None and current.is_graph
    graph, key = (current, "variable_store") if in_graph else (get_default_graph(), "eager_store")
    held: list[ScopeStore] = graph.get_collection_ref((key,))
    if not held:
        held.append(ScopeStore(in_graph))
    return held


@contextmanager
def shared_variables(variables: dict[str, Variable]) -> Iterator[None]:
    """Let `get_variable` find and store Variables in a dictionary."""
    store = scope_store()
    before = store.variables, store.shares
    store.variables, store.shares = variables, True
    try:
        yield
    finally:
        store.variables, store.shares = before


class VariableScope:
    """The defaults and the prefix of the Variables that `get_variable` makes.

    Args:
        reuse: If True, `get_variable` returns existing Variables only. `AUTO_REUSE` makes those
            that are missing.
        name: Prefix of names.
        initializer: Default initializer.
        regularizer: Default regularizer, a function of the Variable that returns a loss or None.
        caching_device, use_resource: Has no effect.
        partitioner: Default partitioner.
        custom_getter: Function that is called in place of the default getter, with the getter as
            its first argument.
        name_scope: Name scope of the operations.
        dtype: Default dtype.
        constraint: Default constraint.

    Example:
        >>> import tfpy as tf
        >>> with tf.compat.v1.variable_scope("model") as scope:
        ...     print(scope.name)
        model

    See also: `tf.compat.v1.variable_scope`.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Callable[..., Any] | None = None,
        caching_device: object = None,
        partitioner: object = None,
        custom_getter: Callable[..., Any] | None = None,
        name_scope: str = "",
        dtype: DTypeLike = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
    ) -> None:
        self.reuse = reuse
        self.name = name
        self.initializer = initializer
        self.regularizer = regularizer
        self.custom_getter = custom_getter
        self.original_name_scope = name_scope
        self.dtype = as_dtype(dtype)
        self.constraint = constraint
        self.use_resource = use_resource
        self.caching_device = caching_device
        self.partitioner = partitioner

    def set_caching_device(self, caching_device: object) -> None:
        """Set the device on which TensorFlow caches reads of Variables. It has no effect.

        Args:
            caching_device: Name of a device, or a function of an operation.
        """
        self.caching_device = caching_device

    def set_partitioner(self, partitioner: object) -> None:
        """Set the function that divides Variables into parts.

        Args:
            partitioner: Function of a shape and a dtype.
        """
        self.partitioner = partitioner

    def reuse_variables(self) -> None:
        """Return existing Variables from now on."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Set the default initializer.

        Args:
            initializer: Function of a shape and a dtype, or a tensor.
        """
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Set the default regularizer.

        Args:
            regularizer: Function of a Variable, which returns a loss or None.
        """
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Set the function that makes Variables.

        Args:
            custom_getter: Function that takes the default getter and its arguments.
        """
        self.custom_getter = custom_getter

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Set the default dtype.

        Args:
            dtype: Dtype.
        """
        self.dtype = as_dtype(dtype)

    def get_collection(self, name: str) -> list[Any]:
        """Return the objects of a collection whose names are in the scope.

        Args:
            name: Name of the collection.

        Returns:
            List of objects.
        """
        return get_default_graph().get_collection(name, f"{self.name}/" if self.name else None)

    def trainable_variables(self) -> list[Any]:
        """Return the trainable Variables in the scope.

        Returns:
            List of Variables.
        """
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """Return the global Variables in the scope.

        Returns:
            List of Variables.
        """
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """Return the local Variables in the scope.

        Returns:
            List of Variables.
        """
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def copy(self, **changes: Any) -> VariableScope:
        """Return a scope with the same defaults, except for some attributes."""
        made = VariableScope(self.reuse)
        vars(made).update(vars(self))
        vars(made).update({k: v for k, v in changes.items() if v is not None})
        return made


def get_variable_scope() -> VariableScope:
    """Return the current variable scope.

    Returns:
        A `VariableScope`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.get_variable_scope().reuse
        False

    See also: `tf.compat.v1.variable_scope`.
    """
    return scope_store().active.scope


@contextmanager
def variable_scope(
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    values: object = None,
    initializer: Any = None,
    regularizer: Callable[..., Any] | None = None,
    caching_device: object = None,
    partitioner: object = None,
    custom_getter: Callable[..., Any] | None = None,
    reuse: Any = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Callable[..., Any] | None = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Return a context manager that sets the prefix and the defaults of `get_variable`.

    Args:
        name_or_scope: Name that is appended to the current prefix, or a scope whose prefix is used.
        default_name: Name if `name_or_scope` is None. It gets a number if it was used before.
        values, caching_device, use_resource: Has no effect.
        partitioner: Default partitioner, a function of a shape and a dtype.
        initializer: Default initializer.
        regularizer: Default regularizer.
        custom_getter: Function that is called in place of the default getter.
        reuse: If True, `get_variable` returns existing Variables only. `AUTO_REUSE` makes those
            that are missing. Default: as outside.
        dtype: Default dtype.
        constraint: Default constraint.
        auxiliary_name_scope: If False, operations do not get the prefix.

    Returns:
        A context manager that returns the `VariableScope`.

    Raises:
        ValueError: If both names are None.
        TypeError: If `auxiliary_name_scope` is not a bool.

    Example:
        >>> import tfpy as tf
        >>> with tf.compat.v1.variable_scope("model"):
        ...     v = tf.compat.v1.get_variable("w", [2])
        >>> print(v.name)
        model/w:0

    See also: `tf.compat.v1.get_variable`.
    """
    if default_name is None and name_or_scope is None:
        raise ValueError("If default_name is None then name_or_scope is required")
    if not isinstance(auxiliary_name_scope, bool):
        raise TypeError(
            f"The auxiliary_name_scope must be `True` or `False`, got {auxiliary_name_scope!r}"
        )
    active = scope_store().active
    outer = active.scope
    is_again = isinstance(name_or_scope, VariableScope)
    if isinstance(name_or_scope, VariableScope):
        base, full, own = name_or_scope, name_or_scope.name, name_or_scope.name.rpartition("/")[2]
        reuse = reuse or base.reuse
    else:
        base = outer
        lead = f"{outer.name}/" if outer.name else ""
        own = name_or_scope or ""
        if name_or_scope is None:
            own = active.counts.unused(lead, default_name or "")
        full = lead + own
        reuse = outer.reuse if reuse is None else (reuse or outer.reuse)
    active.counts.add(full)
    getter = nested_getters(custom_getter, base.custom_getter)
    with ExitStack() as stack:
        entered = scopes.prefix()
        if auxiliary_name_scope and own:
            entered = stack.enter_context(scopes.name_scope(own))
        active.scope = base.copy(
            name=full,
            initializer=initializer,
            regularizer=regularizer,
            custom_getter=getter,
            partitioner=partitioner,
            dtype=None if dtype is None else as_dtype(dtype),
            constraint=constraint,
            original_name_scope=base.original_name_scope if is_again else entered,
        )
        active.scope.reuse = reuse
        before = active.counts.copy()
        try:
            yield active.scope
        finally:
            active.scope = outer
            if is_again:
                active.counts = before
            else:
                active.counts.close(full)


def nested_getters(inner: Any, outer: Any) -> Any:
    if inner is None or outer is None:
        return inner or outer

    def getter(default: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(lambda *a, **k: outer(default, *a, **k), *args, **kwargs)

    return getter
