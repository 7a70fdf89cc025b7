"""`tf.compat.v1`: functions for collections, initializers and seeds of graphs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.functions.control.ordering import group
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.tensors.random.streams import set_seed
from tfpy._src.tensors.variables.distribution import VariableAggregation, VariableSynchronization
from tfpy._src.tensors.variables.variable import Variable as _Variable


class _VariableKind(type):
    """The kind of a class whose instances are Variables of TensorFlow 2."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _Variable)


class Variable(metaclass=_VariableKind):
    """A Variable with the arguments of TensorFlow 1.

    Args:
        initial_value: Initial value, or a function without arguments that returns it.
        trainable: If True, the Variable is trainable. Default: True.
        collections: Names of collections of the graph for the Variable. Default: the global
            Variables.
        validate_shape: If False, values of any shape can be assigned.
        caching_device, variable_def, expected_shape, import_scope, use_resource: Has no effect.
        name: Name of the Variable.
        dtype: Dtype of the Variable. Default: the dtype of the initial value.
        constraint: Function that optimizers apply to each updated value.
        synchronization: As for `tf.Variable`.
        aggregation: As for `tf.Variable`.
        shape: Shape that every value must match.

    Returns:
        A `tf.Variable`.

    Raises:
        ValueError: If the initial value is missing.

    Example:
        >>> import tfpy as tf
        >>> v = tf.compat.v1.Variable([1.0, 2.0], name="v")
        >>> v.numpy().tolist()
        [1.0, 2.0]

    See also: `tf.Variable`, `tf.compat.v1.get_variable`.
    """

    def __new__(  # type: ignore[misc]
        cls,
        initial_value: TensorLike | Callable[[], TensorLike] | None = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        expected_shape: object = None,
        import_scope: object = None,
        constraint: Callable[..., TensorLike] | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
    ) -> _Variable:
        extra: Any = (
            {} if collections is None or not tracing.in_graph() else {"collections": collections}
        )
        return _Variable(
            initial_value,
            trainable,
            validate_shape,
            name=name,
            dtype=dtype,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=shape,
            **extra,
        )


def get_collection(key: Hashable, scope: str | None = None) -> list[Any]:
    """Return the objects of a collection of the default graph.

    Args:
        key: Name of the collection, such as an attribute of `tf.compat.v1.GraphKeys`.
        scope: Regular expression. Only objects whose names begin with a match are returned.
            Default: all objects.

    Returns:
        List of objects.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     tf.compat.v1.add_to_collection("numbers", 1)
        ...     print(tf.compat.v1.get_collection("numbers"))
        [1]

    See also: `tf.compat.v1.add_to_collection`.
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Hashable) -> list[Any]:
    """Return the list of a collection of the default graph itself.

    Args:
        key: Name of the collection.

    Returns:
        List. Changes of the list change the collection.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     tf.compat.v1.get_collection_ref("numbers").append(1)
        ...     print(tf.compat.v1.get_collection("numbers"))
        [1]

    See also: `tf.compat.v1.get_collection`.
    """
    return get_default_graph().get_collection_ref(key)


def add_to_collection(name: Hashable, value: Any) -> None:
    """Append an object to a collection of the default graph.

    Args:
        name: Name of the collection.
        value: Object.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     tf.compat.v1.add_to_collection("numbers", 1)
        ...     print(tf.compat.v1.get_collection("numbers"))
        [1]

    See also: `tf.compat.v1.get_collection`.
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Append an object to several collections of the default graph.

    Args:
        names: Name of a collection, or an iterable of names.
        value: Object.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     tf.compat.v1.add_to_collections(["a", "b"], 1)
        ...     print(tf.compat.v1.get_collection("b"))
        [1]

    See also: `tf.compat.v1.get_collection`.
    """
    get_default_graph().add_to_collections(names, value)


def _variables(name: str, key: str, what: str) -> Callable[..., list[Any]]:
    def function(scope: str | None = None) -> list[Any]:
        return get_default_graph().get_collection(key, scope)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return the {what} Variables of the default graph.

    Args:
        scope: Regular expression. Only Variables whose names begin with a match are returned.
            Default: all of them.

    Returns:
        List of Variables, which is empty in eager execution.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.{name}("unknown")
        []

    See also: `tf.compat.v1.get_collection`.
    """
    return function


global_variables = _variables("global_variables", GraphKeys.GLOBAL_VARIABLES, "global")
local_variables = _variables("local_variables", GraphKeys.LOCAL_VARIABLES, "local")
model_variables = _variables("model_variables", GraphKeys.MODEL_VARIABLES, "model's")
trainable_variables = _variables("trainable_variables", GraphKeys.TRAINABLE_VARIABLES, "trainable")
moving_average_variables = _variables(
    "moving_average_variables", GraphKeys.MOVING_AVERAGE_VARIABLES, "averaged"
)
all_variables = global_variables


def variables_initializer(var_list: Sequence[Any], name: str = "init") -> Any:
    """Return an operation that initializes Variables.

    Args:
        var_list: List of Variables.
        name: Name of the operation.

    Returns:
        A `tf.Operation`. In eager execution None, because Variables have their initial values.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(3.0)
        ...     with tf.compat.v1.Session() as sess:
        ...         sess.run(tf.compat.v1.variables_initializer([v]))
        ...         print(sess.run(v))
        3.0

    See also: `tf.compat.v1.global_variables_initializer`.
    """
    made = [v.initializer for v in var_list if isinstance(v, GraphVariable)]
    return group(*made, name=name)


def global_variables_initializer() -> Any:
    """Return an operation that initializes the global Variables of the default graph.

    Returns:
        A `tf.Operation`. In eager execution None, because Variables have their initial values.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(3.0)
        ...     with tf.compat.v1.Session() as sess:
        ...         sess.run(tf.compat.v1.global_variables_initializer())
        ...         print(sess.run(v))
        3.0

    See also: `tf.compat.v1.global_variables`.
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """Return an operation that initializes the local Variables of the default graph.

    Returns:
        A `tf.Operation`. In eager execution None, because Variables have their initial values.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.compat.v1.local_variables_initializer().type)
        NoOp

    See also: `tf.compat.v1.local_variables`.
    """
    return variables_initializer(local_variables())


def tables_initializer(name: str = "init_all_tables") -> Any:
    """Return an operation that runs the initializers of the graph's tables.

    Lookup tables of tfpy have their values already, so these are only initializers that a program
    has added to the collection `tf.compat.v1.GraphKeys.TABLE_INITIALIZERS`.

    Args:
        name: Name of the operation.

    Returns:
        A `tf.Operation`. In eager execution None.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.compat.v1.tables_initializer().name)
        init_all_tables

    See also: `tf.compat.v1.global_variables_initializer`.
    """
    if tracing.active_graph() is None:
        return group(name=name)
    return group(*get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)


initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer
initialize_all_tables = tables_initializer
initialize_variables = variables_initializer


def is_variable_initialized(variable: Any) -> Any:
    """Return True if a Variable has a value.

    Args:
        variable: Variable.

    Returns:
        Scalar bool tensor.

    Example:
        >>> import tfpy as tf
        >>> print(tf.compat.v1.is_variable_initialized(tf.Variable(1.0)).numpy())
        True

    See also: `tf.Variable.is_initialized`.
    """
    return variable.is_initialized()


def set_random_seed(seed: int | None) -> None:
    """Set the seed of random numbers, as `tf.random.set_seed` does.

    Args:
        seed: Integer. Random numbers of a graph are reproducible too, but they differ from
            TensorFlow's, which depend on the number of the graph's nodes.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.set_random_seed(1)

    See also: `tf.random.set_seed`.
    """
    set_seed(seed)


def executing_eagerly() -> bool:
    """Return True if functions compute immediately.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     tf.compat.v1.executing_eagerly()
        False

    See also: `tf.executing_eagerly`.
    """
    return tracing.executing_eagerly()
