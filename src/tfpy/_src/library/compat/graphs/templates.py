"""`tf.compat.v1.make_template`: functions that share Variables between their calls."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.compat.graphs.scopes import (
    VariableScope,
    scope_store,
    shared_variables,
    variable_scope,
)
from tfpy._src.tensors.variables.variable import Variable


class VariableTemplate:
    """A function that shares the Variables of `get_variable` between its calls.

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
        if name is None:
            raise ValueError("name cannot be None.")
        self.__name__ = name
        self._function, self._unique_name = function, unique_name
        self._getter = custom_getter
        self._variables_created = False
        self._scope: VariableScope | None = None
        if create_scope_now:
            with self._first_scope(auxiliary_name_scope=False) as scope:
                self._scope = scope

    def _first_scope(self, auxiliary_name_scope: bool = True) -> Any:
        return variable_scope(
            self._unique_name,
            self.__name__,
            custom_getter=self._getter,
            auxiliary_name_scope=auxiliary_name_scope,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with the Variables of the first call.

        Args:
            args, kwargs: Arguments of the function.

        Returns:
            Result of the function.

        Raises:
            ValueError: If a call after the first one makes a trainable Variable.
        """
        with ExitStack() as stack:
            if self._scope is None:
                self._scope = stack.enter_context(self._first_scope())
            else:
                stack.enter_context(variable_scope(self._scope, reuse=self._variables_created))
            before = len(self._made())
            result = self._function(*args, **kwargs)
            new = self._made()[before:]
        if self._variables_created and new:
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps "
                f"you used tf.Variable when you meant tf.get_variable: {new}"
            )
        self._variables_created = True
        return result

    def _made(self) -> list[Any]:
        """Return all trainable Variables that exist, in the order in which they were made."""
        return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def name(self) -> str:
        """Name of the template."""
        return self.__name__

    @property
    def func(self) -> Callable[..., Any]:
        """Function of the template."""
        return self._function

    @property
    def variable_scope(self) -> VariableScope | None:
        """Variable scope of the template, or None before the first call."""
        return self._scope

    @property
    def var_scope(self) -> VariableScope | None:
        """Variable scope of the template, or None before the first call."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """Name of the variable scope, or None before the first call."""
        if self._scope is None:
            return None
        name = self._scope.name
        return name if not name or name.endswith("/") else f"{name}/"

    def _in_scope(self, key: str) -> list[Any]:
        if self._scope is None:
            return []
        return get_default_graph().get_collection(key, self.variable_scope_name)

    @property
    def variables(self) -> list[Any]:
        """Global and local Variables of the template."""
        return [*self.global_variables, *self.local_variables]

    @property
    def trainable_variables(self) -> list[Any]:
        """Trainable Variables of the template."""
        return self._in_scope(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Variables of the template that are not trainable."""
        trainable = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trainable]

    @property
    def weights(self) -> list[Any]:
        """Trainable Variables of the template, followed by the others."""
        return [*self.trainable_variables, *self.non_trainable_variables]

    @property
    def global_variables(self) -> list[Any]:
        """Global Variables of the template."""
        return self._in_scope(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """Local Variables of the template."""
        return self._in_scope(GraphKeys.LOCAL_VARIABLES)


class EagerTemplate(VariableTemplate):
    """A template that is made in eager execution, and stores the Variables of its calls.

    A template that is called in another template shares the store of the outer one.
    """

    def __init__(self, *args: Any) -> None:
        self._variables: dict[str, Variable] | None = None
        super().__init__(*args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with the Variables of the first call.

        Args:
            args, kwargs: Arguments of the function.

        Returns:
            Result of the function.

        Raises:
            ValueError: If a call after the first one makes a trainable Variable.
        """
        if self._variables is None:
            store = scope_store()
            self._variables = store.variables if store.shares else {}
        with shared_variables(self._variables):
            try:
                return super().__call__(*args, **kwargs)
            finally:
                _collect(self._variables.values())

    def _made(self) -> list[Any]:
        return [v for v in (self._variables or {}).values() if v.trainable]

    @property
    def global_variables(self) -> list[Any]:
        """Variables of the template. Local Variables exist only in graphs."""
        if self._scope is None or self._variables is None:
            return []
        lead = self.variable_scope_name or ""
        found = {name: v for name, v in self._variables.items() if name.startswith(lead)}
        return [found[name] for name in sorted(found)]

    @property
    def trainable_variables(self) -> list[Any]:
        """Trainable Variables of the template."""
        return [v for v in self.global_variables if v.trainable]

    @property
    def local_variables(self) -> list[Any]:
        """Empty list: local Variables exist only in graphs."""
        return []


def _collect(variables: Iterable[Variable]) -> None:
    """Add Variables to the collections of the default graph, as TensorFlow does for templates."""
    graph = get_default_graph()
    known = {id(v) for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)}
    for variable in variables:
        if id(variable) not in known:
            keys = [GraphKeys.GLOBAL_VARIABLES]
            if variable.trainable:
                keys.append(GraphKeys.TRAINABLE_VARIABLES)
            graph.add_to_collections(keys, variable)


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Return a function that shares the Variables of `get_variable` between its calls.

    Args:
        name_: Name of the variable scope.
        func_: Function.
        create_scope_now_: If True, the scope is created now instead of at the first call.
        unique_name_: Name of the scope in a graph, which must not be used again.
        custom_getter_: Function that is called in place of the default getter of Variables.
        kwargs: Keyword arguments of the function for all calls.

    Returns:
        A callable with the properties `variables`, `trainable_variables` and `variable_scope`.

    Raises:
        ValueError: If `name_` is None, or if `unique_name_` is passed in eager execution.

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
    if tracing.in_graph():
        return VariableTemplate(name_, function, create_scope_now_, unique_name_, custom_getter_)
    if unique_name_ is not None:
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    return EagerTemplate(name_, function, create_scope_now_, None, custom_getter_)
