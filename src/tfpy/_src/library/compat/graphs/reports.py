"""`tf.compat.v1`: reports of Variables without values, and local Variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.core.conversion import constant
from tfpy._src.functions.control.ordering import group
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.inference import SIZE
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.compat.graphs.scoped_variables import get_variable
from tfpy._src.library.compat.graphs.variables import global_variables, local_variables


def _missing(variables: Sequence[Any]) -> list[str]:
    return [
        v.name.partition(":")[0]
        for v in variables
        if isinstance(v, GraphVariable) and not v.has_value
    ]


def report_uninitialized_variables(
    var_list: Sequence[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Any:
    """Return the names of the Variables without values.

    Args:
        var_list: List of Variables. Default: the global and local Variables of the graph.

    Returns:
        1-D string tensor.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     v = tf.Variable(1.0, name="v")
        ...     print(sess.run(tf.compat.v1.report_uninitialized_variables()))
        [b'v']

    See also: `tf.compat.v1.is_variable_initialized`.
    """
    found = [*global_variables(), *local_variables()] if var_list is None else [*var_list]

    def names() -> Any:
        missing = _missing(found)
        return constant(missing, dtypes.string, [len(missing)])

    if tracing.executing_eagerly():
        return names()
    aval = Aval((OpenSize(SIZE),), dtypes.string)
    (result,) = get_default_graph().add(names, [], [aval], name)
    result.op.is_dynamic = True
    return result


def assert_variables_initialized(var_list: Sequence[Any] | None = None) -> Any:
    """Return an operation without effects.

    As in TensorFlow 2, the operation does not check Variables, because each read of a Variable
    already fails if it has no value.

    Args:
        var_list: List of Variables. Default: the global and local Variables of the graph.

    Returns:
        A `tf.Operation`, or None if there are no Variables.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     v = tf.Variable(1.0, name="v")
        ...     check = tf.compat.v1.assert_variables_initialized()
        ...     sess.run(check)

    See also: `tf.compat.v1.report_uninitialized_variables`.
    """
    found = [*global_variables(), *local_variables()] if var_list is None else [*var_list]
    return group(name="assert_variables_initialized") if found else None


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return a local Variable of the current scope, and make it if it does not exist.

    Args:
        name: Name of the Variable.
        args, kwargs: Other arguments of `tf.compat.v1.get_variable`, such as the shape. The
            Variable is not trainable.

    Returns:
        A Variable in the collection of local Variables.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.compat.v1.get_local_variable("count", [])
        ...     print([v.name for v in tf.compat.v1.local_variables()])
        ['count:0']

    See also: `tf.compat.v1.get_variable`.
    """
    keys = [GraphKeys.LOCAL_VARIABLES, *(kwargs.pop("collections", None) or ())]
    kwargs["trainable"] = False
    kwargs["collections"] = keys
    return get_variable(name, *args, **kwargs)
