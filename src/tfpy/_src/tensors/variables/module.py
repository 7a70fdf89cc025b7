"""`tf.Module`: an object that finds the Variables and modules in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

from tfpy._src.core import nest
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.operand import FieldRecord
from tfpy._src.tensors.variables.tracking import Tracked
from tfpy._src.tensors.variables.variable import Variable

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

    _TF_MODULE_IGNORED_PROPERTIES: ClassVar[frozenset[str]] = frozenset()
    """Names of attributes in which Variables and modules are not searched."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables of the module and then of its submodules, sorted by attribute names."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Trainable Variables of the module and of its submodules."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Variables of the module and of its submodules that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules among the attributes of this module, and the modules inside those."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """Return an iterator over the leaves of attributes, which libraries for TensorFlow call."""
        wanted = predicate or (lambda leaf: True)
        search = _Search(recursive, wanted, attribute_traversal_key, with_path, expand_composites)
        return search.found(self, (), {id(self)}, [])

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


def _is_variable(leaf: Any) -> bool:
    return isinstance(leaf, Variable)


def _is_trainable(leaf: Any) -> bool:
    return isinstance(leaf, Variable) and bool(leaf.trainable)


def _is_module(leaf: Any) -> bool:
    return isinstance(leaf, Module)


class _Search(NamedTuple):
    """A search for leaves in the attributes of a module and of its submodules."""

    recursive: bool
    predicate: Callable[[Any], bool]
    attribute_key: Callable[[str], Any] | None
    with_path: bool
    expand_composites: bool

    def found(
        self, module: Module, path: tuple[Any, ...], seen: set[int], around: list[int]
    ) -> Iterator[Any]:
        """Yield the new leaves: first from a module, then from its submodules.

        With paths, a leaf is yielded for each of its paths, but a module that contains itself is
        searched once.
        """
        around = [*around, id(module)]
        inner: list[tuple[tuple[Any, ...], Module]] = []
        values = vars(module)
        for attribute in sorted(values, key=self.attribute_key):
            if attribute in module._TF_MODULE_IGNORED_PROPERTIES:
                continue
            for inside, leaf in self._leaves(attribute, values[attribute]):
                if not self.with_path and id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                leaf_path = (*path, attribute, *inside)
                if self.predicate(leaf):
                    yield (leaf_path, leaf) if self.with_path else leaf
                if self.recursive and isinstance(leaf, Module):
                    inner.append((leaf_path, leaf))
        for leaf_path, other in inner:
            if not self.with_path or id(other) not in around:
                yield from self.found(other, leaf_path, seen, around)

    def _leaves(self, attribute: str, value: Any) -> list[tuple[tuple[Any, ...], Any]]:
        """Return the leaves of the nest in an attribute, with their paths."""
        try:
            return list(self._of_nest(value))
        except TypeError as error:
            raise ValueError(f"Error processing property {attribute!r} of {value!r}") from error

    def _of_nest(self, value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
        if nest.is_nested(value):
            for key, item in nest.items(value):
                for path, leaf in self._of_nest(item):
                    yield (key, *path), leaf
        elif self.expand_composites and isinstance(value, FieldRecord):
            for number, part in enumerate(value.__parts__()):
                for path, leaf in self._of_nest(part):
                    yield (type(value).__name__, number, *path), leaf
        else:
            yield (), value
