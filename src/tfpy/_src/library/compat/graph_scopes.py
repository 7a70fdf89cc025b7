"""`tf.compat.v1.variable_scope` and `get_variable`: Variables that are found by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core import name_scope as scopes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.compat.initializers import Zeros
from tfpy._src.library.compat.scaled_initializers import GlorotUniform
from tfpy._src.tensors.variables.distribution import VariableAggregation, VariableSynchronization
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


class _Store:
    """The variable scopes and the Variables of a graph, or of eager execution."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.scope = VariableScope(False)
        self.counts: dict[str, int] = {}


_eager: list[_Store] = []


def _store() -> _Store:
    current = tracing.local.active[0] if tracing.local.active else None
    if current is None or not current.is_graph:
        if not _eager:
            _eager.append(_Store())
        return _eager[0]
    held: list[_Store] = current.get_collection_ref(("variable_store",))
    if not held:
        held.append(_Store())
    return held[0]


def _is_eager() -> bool:
    return not any(trace.is_graph for trace in tracing.local.active[:1])


class VariableScope:
    """The defaults and the prefix of the Variables that `get_variable` makes.

    Args:
        reuse: If True, `get_variable` returns existing Variables only. `AUTO_REUSE` makes those
            that are missing.
        name: Prefix of names.
        initializer: Default initializer.
        regularizer: Default regularizer, a function of the Variable that returns a loss or None.
        caching_device, partitioner, use_resource: Has no effect.
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
    return _store().scope


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
        values, caching_device, partitioner, use_resource: Has no effect.
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
    store = _store()
    outer = store.scope
    if isinstance(name_or_scope, VariableScope):
        base, full, own = name_or_scope, name_or_scope.name, name_or_scope.name.rpartition("/")[2]
        reuse = base.reuse if reuse is None else reuse
    else:
        base = outer
        lead = f"{outer.name}/" if outer.name else ""
        own = name_or_scope if name_or_scope is not None else _unused(store, lead, default_name)
        full = lead + own
        reuse = outer.reuse if reuse is None else (reuse or outer.reuse)
    _count(store, full)
    getter = _nested_getters(custom_getter, base.custom_getter)
    with ExitStack() as stack:
        entered = ""
        if auxiliary_name_scope and own:
            entered = stack.enter_context(scopes.name_scope(own))
        elif auxiliary_name_scope:
            entered = scopes.prefix()
        store.scope = base.copy(
            name=full,
            initializer=initializer,
            regularizer=regularizer,
            custom_getter=getter,
            dtype=None if dtype is None else as_dtype(dtype),
            constraint=constraint,
            original_name_scope=entered,
        )
        store.scope.reuse = reuse
        before = dict(store.counts)
        try:
            yield store.scope
        finally:
            store.scope = outer
            if isinstance(name_or_scope, VariableScope):
                store.counts = before


def _unused(store: _Store, lead: str, name: str | None) -> str:
    assert name is not None
    number = store.counts.get(lead + name, 0)
    found = name
    while store.counts.get(lead + found, 0):
        found = f"{name}_{number}"
        number += 1
    return found


def _count(store: _Store, full: str) -> None:
    store.counts[full] = store.counts.get(full, 0) + 1
    for inner in [name for name in store.counts if name.startswith(f"{full}/")]:
        store.counts[inner] = 0


def _nested_getters(inner: Any, outer: Any) -> Any:
    if inner is None or outer is None:
        return inner or outer

    def getter(default: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(lambda *a, **k: outer(default, *a, **k), *args, **kwargs)

    return getter


def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool | None = None,
    collections: list[str] | None = None,
    caching_device: object = None,
    partitioner: object = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[..., Any] | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Variable:
    """Return the Variable with a name, or make it.

    Variables are found again only while a graph is active. In eager execution each call makes a
    Variable.

    Args:
        name: Name of the Variable, to which the prefix of the variable scope is added.
        shape: Shape of the Variable. Not needed if `initializer` is a tensor.
        dtype: Dtype of the Variable. Default: the dtype of the scope, float32.
        initializer: Function of a shape and a dtype, or the initial value. Default: the initializer
            of the scope, and without one a Glorot uniform initializer for floats, and zeros for
            other dtypes.
        regularizer: Function of the Variable. The loss that it returns is added to the collection
            `GraphKeys.REGULARIZATION_LOSSES`.
        trainable: If True, the Variable is trainable. Default: True.
        collections: Names of collections for the Variable. Default: the global Variables.
        caching_device, partitioner, use_resource: Has no effect.
        validate_shape: If False, values of any shape can be assigned.
        custom_getter: Function that is called in place of the default getter.
        constraint: Function that optimizers apply to each updated value.
        synchronization: As for `tf.Variable`.
        aggregation: As for `tf.Variable`.

    Returns:
        A Variable.

    Raises:
        ValueError: If the Variable exists and the scope does not reuse Variables, if it does not
            exist and the scope reuses Variables, or if the shape or dtype is a different one.

    Example:
        >>> import tfpy as tf
        >>> v = tf.compat.v1.get_variable("w", [2], initializer=tf.compat.v1.ones_initializer())
        >>> v.numpy().tolist()
        [1.0, 1.0]

    See also: `tf.compat.v1.variable_scope`.
    """
    store = _store()
    scope = store.scope
    full = f"{scope.name}/{name}" if scope.name else name

    def made(name: str, *positional: Any, **kwargs: Any) -> Variable:
        if positional:
            kwargs["shape"] = positional[0]
        return _found_or_made(store, name, **kwargs)

    arguments = {
        "shape": shape,
        "dtype": scope.dtype if dtype is None else as_dtype(dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": False if _is_eager() else scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device,
        "partitioner": partitioner,
        "validate_shape": validate_shape,
        "use_resource": use_resource,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    if dtype is None and initializer is not None and hasattr(initializer, "dtype"):
        arguments["dtype"] = as_dtype(initializer.dtype)
    getter = _nested_getters(custom_getter, scope.custom_getter)
    found: Variable = (
        made(full, **arguments) if getter is None else getter(made, name=full, **arguments)
    )
    return found


def _found_or_made(
    store: _Store,
    name: str,
    shape: Any = None,
    dtype: Any = dtypes.float32,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    constraint: Any = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
    **without_effect: Any,
) -> Variable:
    known = None if _is_eager() else store.variables.get(name)
    if known is not None:
        return _checked(known, name, shape, dtype, reuse)
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    value = _initial(name, shape, dtype, initializer)
    extra = {} if _is_eager() or collections is None else {"collections": collections}
    with scopes.name_scope(""):
        made: Variable = Variable(
            value,
            trainable,
            validate_shape,
            name=name,
            dtype=dtype,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
            **extra,
        )
    store.variables[name] = made
    if regularizer is not None:
        with scopes.name_scope(f"{name}/Regularizer/"):
            loss = regularizer(made)
        if loss is not None:
            get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return made


def _checked(known: Variable, name: str, shape: Any, dtype: Any, reuse: Any) -> Variable:
    if not reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    if shape is not None and not TensorShape(shape).is_compatible_with(known.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found "
            f"shape {known.shape}."
        )
    if as_dtype(dtype) != known.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and "
            f"found dtype {known.dtype.name}."
        )
    return known


def _initial(name: str, shape: Any, dtype: Any, initializer: Any) -> TensorLike | Callable[[], Any]:
    """Return the initial value of a Variable, or a function that makes it."""
    if initializer is None:
        kind = as_dtype(dtype)
        initializer = GlorotUniform() if kind.is_floating else Zeros()
    if not callable(initializer):
        if shape is not None and not isinstance(initializer, Tensor):
            raise ValueError("If initializer is a constant, do not specify shape.")
        found: TensorLike = initializer
        return found
    made = initializer() if isinstance(initializer, type) else initializer
    given = TensorShape(shape)
    if shape is None or not given.is_fully_defined():
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was {given}."
        )
    return lambda: made(given.as_list(), dtype=as_dtype(dtype))
