"""`tf.Module`: an object that finds the Variables and modules in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tfpy._src.core import nest
from tfpy._src.core.name_scope import name_scope
from tfpy._src.tensors.variables.tracking import Tracked
from tfpy._src.tensors.variables.variable import Variable

T = TypeVar("T")

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")


class Module(Tracked):
    """A base class for objects that contain Variables.

    A module finds the Variables and other modules among its attributes, also inside lists, tuples
    and dicts. `tf.train.Checkpoint` saves and restores them.

    Args:
        name: Name of the module, a Python identifier. Default: the name of the class in snake case.

    Raises:
        ValueError: If `name` is not a Python identifier.

    Example:
        >>> import tfpy as tf
        >>> class Dense(tf.Module):
        ...     def __init__(self, inputs, outputs, name=None):
        ...         super().__init__(name=name)
        ...         self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
        ...         self.b = tf.Variable(tf.zeros([outputs]), name="b")
        ...
        ...     def __call__(self, x):
        ...         return x @ self.w + self.b
        >>> layer = Dense(2, 1)
        >>> print(layer.name, [v.name for v in layer.trainable_variables])
        dense ['b:0', 'w:0']

    See also: `tf.Variable`, `tf.train.Checkpoint`.
    """

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _WORD_STARTS.sub("_", type(self).__name__).lower()
        if not re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope = scope

    @property
    def name(self) -> str:
        """Name of the module."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """Name scope of the module, which ends with the name of the module."""
        return name_scope(self._scope)

    _name_scope = name_scope
    """The same property under the name that libraries for TensorFlow read."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables of the module and then of its submodules, sorted by attribute names."""
        return tuple(_found(self, Variable, {id(self)}))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Trainable Variables of the module and of its submodules."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Variables of the module and of its submodules that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules among the attributes of this module, and the modules inside those."""
        return tuple(_found(self, Module, {id(self)}))

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a method so that it runs in the name scope of its module.

        Args:
            method: Method of a `tf.Module`.

        Returns:
            Method with the same arguments and results.

        Example:
            >>> import tfpy as tf
            >>> class Scale(tf.Module):
            ...     @tf.Module.with_name_scope
            ...     def build(self):
            ...         return tf.Variable(1.0, name="factor").name
            >>> Scale(name="layer").build()
            'layer/factor:0'
        """

        @functools.wraps(method)
        def in_scope(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return in_scope


def _found(module: Module, kind: type[T], seen: set[int]) -> Iterator[T]:
    """Yield the new objects of a class: first from a module, then from its submodules."""
    inner: list[Module] = []
    for attribute, value in sorted(vars(module).items()):
        for leaf in _leaves(attribute, value):
            if id(leaf) in seen:
                continue
            seen.add(id(leaf))
            if isinstance(leaf, kind):
                yield leaf
            if isinstance(leaf, Module):
                inner.append(leaf)
    for other in inner:
        yield from _found(other, kind, seen)


def _leaves(attribute: str, value: Any) -> list[Any]:
    """Return the leaves of the nest in an attribute."""
    try:
        return nest.flatten(value)
    except TypeError as error:
        raise ValueError(f"Error processing property {attribute!r} of {value!r}") from error
