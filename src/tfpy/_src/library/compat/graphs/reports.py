"""`tf.compat.v1`: reports of Variables without values, and templates that share Variables."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
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
from tfpy._src.library.compat.graphs.scopes import variable_scope
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


class VariableTemplate:
    """A function whose calls share the Variables that `get_variable` makes.

    `tf.compat.v1.make_template` creates templates, so programs do not call the constructor.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        create_scope_now: bool,
        unique_name: str | None,
        custom_getter: Callable[..., Any] | None,
    ) -> None:
        self.__name__ = name
        self._function, self._unique_name = function, unique_name
        self._getter = custom_getter
        self._variables_made = False
        self._scope: Any = None
        if create_scope_now:
            with self._entered() as scope:
                self._scope = scope

    def _entered(self) -> Any:
        if self._scope is not None:
            return variable_scope(self._scope, reuse=self._variables_made)
        if self._unique_name is not None:
            return variable_scope(self._unique_name, custom_getter=self._getter)
        return variable_scope(None, self.__name__, custom_getter=self._getter)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with the Variables of the first call."""
        with self._entered() as scope:
            if self._scope is None:
                self._scope = scope
            result = self._function(*args, **kwargs)
        self._variables_made = True
        return result

    @property
    def name(self) -> str:
        """Name of the template."""
        return self.__name__

    @property
    def variable_scope(self) -> Any:
        """Variable scope of the template, or None before the first call."""
        return self._scope

    @property
    def var_scope(self) -> Any:
        """Variable scope of the template, or None before the first call."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """Name of the variable scope, or None before the first call."""
        return None if self._scope is None else str(self._scope.name)

    def _in_scope(self, key: str) -> list[Any]:
        lead = f"{self.variable_scope_name}/"
        return get_default_graph().get_collection(key, lead) if self._scope else []

    @property
    def variables(self) -> list[Any]:
        """Global and local Variables of the template."""
        return [*self.global_variables, *self.local_variables]

    @property
    def trainable_variables(self) -> list[Any]:
        """Trainable Variables of the template."""
        return self._in_scope(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def global_variables(self) -> list[Any]:
        """Global Variables of the template."""
        return self._in_scope(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """Local Variables of the template."""
        return self._in_scope(GraphKeys.LOCAL_VARIABLES)


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Return a function whose calls share the Variables that `get_variable` makes.

    Args:
        name_: Name of the variable scope.
        func_: Function.
        create_scope_now_: If True, the scope is created now instead of at the first call.
        unique_name_: Name of the scope, which must not be used again.
        custom_getter_: Function that is called in place of the default getter of Variables.
        kwargs: Keyword arguments of the function for all calls.

    Returns:
        A callable.

    Example:
        >>> import tfpy as tf
        >>> def scaled(x):
        ...     w = tf.compat.v1.get_variable("w", [], initializer=tf.ones_initializer())
        ...     return x * w
        >>> with tf.Graph().as_default():
        ...     scale = tf.compat.v1.make_template("scale", scaled)
        ...     y, z = scale(1.0), scale(2.0)
        ...     print([v.name for v in tf.compat.v1.global_variables()])
        ['scale/w:0']

    See also: `tf.compat.v1.variable_scope`.
    """
    function = functools.partial(func_, **kwargs) if kwargs else func_
    return VariableTemplate(name_, function, create_scope_now_, unique_name_, custom_getter_)
