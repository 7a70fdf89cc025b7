"""`tf.compat.v1.get_variable`, which shares Variables by their names."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core import name_scope as scopes, nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.compat.graphs.scopes import (
    AUTO_REUSE,
    ScopeStore,
    nested_getters,
    scope_store,
)
from tfpy._src.library.compat.initializers import Zeros
from tfpy._src.library.compat.scaled_initializers import GlorotUniform
from tfpy._src.tensors.variables.distribution import VariableAggregation, VariableSynchronization
from tfpy._src.tensors.variables.variable import Variable

_NUMBERS = (bool, int, float, complex)
_PARTITIONED = "tfpy._src.library.compat.graphs.partitioned"


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

    Variables are found again in graphs, and in the functions of `tf.compat.v1.make_template`.
    Other calls in eager execution always make a Variable.

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
        caching_device, use_resource: Has no effect.
        partitioner: Function of a shape and a dtype that returns the number of parts along each
            axis, such as `tf.compat.v1.fixed_size_partitioner(2)`. Default: the partitioner of the
            scope.
        validate_shape: If False, values of any shape can be assigned.
        custom_getter: Function that is called in place of the default getter.
        constraint: Function that optimizers apply to each updated value.
        synchronization: As for `tf.Variable`.
        aggregation: As for `tf.Variable`.

    Returns:
        A Variable, or with a partitioner a sequence of Variables that can be used as a tensor.

    Raises:
        ValueError: If the Variable exists and the scope does not reuse Variables, if it does not
            exist and the scope reuses Variables, if the shape or dtype is a different one, or if
            the initializer does not match, or `custom_getter` is not callable.

    Example:
        >>> import tfpy as tf
        >>> v = tf.compat.v1.get_variable("w", [2], initializer=tf.compat.v1.ones_initializer())
        >>> v.numpy().tolist()
        [1.0, 1.0]

    See also: `tf.compat.v1.variable_scope`.
    """
    if initializer is not None and not callable(initializer):
        found_dtype = convert_to_tensor(initializer).dtype
        if dtype is None:
            dtype = found_dtype
        elif found_dtype != as_dtype(dtype):
            raise ValueError(
                f"Initializer type '{found_dtype}' and explicit dtype '{as_dtype(dtype)}' don't "
                "match."
            )
    store = scope_store()
    scope = store.active.scope
    full = f"{scope.name}/{name}" if scope.name else name

    def made(name: str, *positional: Any, **kwargs: Any) -> Variable:
        if positional:
            kwargs["shape"] = positional[0]
        partitioner = kwargs.pop("partitioner", None)
        reuses_parts = kwargs.get("reuse") is True and name in store.partitioned
        if (partitioner is None and not reuses_parts) or _is_scalar(kwargs.get("shape")):
            return found_or_made(store, name, **kwargs)
        return importlib.import_module(_PARTITIONED).partitioned_variable(
            store, name, partitioner, **kwargs
        )

    arguments = {
        "shape": shape,
        "dtype": scope.dtype if dtype is None else as_dtype(dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": reuse_of(store),
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device,
        "partitioner": scope.partitioner if partitioner is None else partitioner,
        "validate_shape": validate_shape,
        "use_resource": use_resource,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    for one in (custom_getter, scope.custom_getter):
        if one is not None and not callable(one):
            raise ValueError(f"Passed a custom_getter which is not callable: {one}")
    getter = nested_getters(custom_getter, scope.custom_getter)
    with scopes.name_scope(""):
        found: Variable = (
            made(full, **arguments) if getter is None else getter(made, name=full, **arguments)
        )
    return found


def _is_scalar(shape: Any) -> bool:
    return isinstance(shape, Sequence | TensorShape) and len(shape) == 0


def reuse_of(store: ScopeStore) -> Any:
    """Return True, False or `AUTO_REUSE`, as the current scope reuses Variables."""
    if store.is_graph:
        return store.active.scope.reuse
    return AUTO_REUSE if store.shares else False


def found_or_made(
    store: ScopeStore,
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
    partition_info: Any = None,
    **without_effect: Any,
) -> Variable:
    """Return the Variable with a name, or make it.

    Raises:
        ValueError: As for `get_variable`.
    """
    if f"{name}/part_0" in store.variables:
        raise ValueError(
            "No partitioner was provided, but a partitioned version of the variable was found: "
            f"{name}/part_0. Perhaps a variable of the same name was already created with "
            "partitioning?"
        )
    known = store.variables.get(name) if store.shares else None
    if known is not None:
        return _checked(known, name, shape, dtype, reuse)
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    value = _initial(name, shape, dtype, initializer, partition_info)
    if shape is None and callable(initializer):
        dtype = None  # the dtype of the value
    extra = {"collections": collections} if tracing.in_graph() and collections is not None else {}
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
    if store.shares:
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


def _initial(
    name: str, shape: Any, dtype: Any, initializer: Any, part: Any
) -> TensorLike | Callable[[], Any]:
    """Return the initial value of a Variable, or a function that makes it."""
    given = TensorShape(shape)
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        found: TensorLike = initializer
        return found
    if not given.is_fully_defined() and (initializer is None or shape is not None):
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was {given}."
        )
    if initializer is None:
        initializer = GlorotUniform() if as_dtype(dtype).is_floating else Zeros()
    made: Callable[..., Any] = initializer() if isinstance(initializer, type) else initializer
    if shape is not None:
        more = {"partition_info": part} if _takes_parts(made) else {}
        return lambda: _array(made(given.as_list(), dtype=as_dtype(dtype), **more), dtype)
    if not _needs_no_arguments(made):
        raise ValueError(
            "The initializer passed is not valid. It should be a callable with no arguments and "
            "the shape should not be provided or an instance of `tf.keras.initializers.*' and "
            "`shape` should be fully defined."
        )
    return made


def _array(value: Any, dtype: Any) -> Any:
    """Return an initial value, with nested sequences of numbers as an array."""
    if isinstance(value, list | tuple) and all(type(x) in _NUMBERS for x in nest.flatten(value)):
        return np.array(value, as_dtype(dtype).as_numpy_dtype)
    return value


def _takes_parts(initializer: Callable[..., Any]) -> bool:
    """Return True if an initializer distinguishes the parts of a partitioned Variable."""
    try:
        return "partition_info" in inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        return False


def _needs_no_arguments(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return all(p.default is not p.empty or p.kind in optional for p in parameters)
