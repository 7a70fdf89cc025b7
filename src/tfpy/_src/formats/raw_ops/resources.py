"""What handles stand for, and where those that share a name are found.

A program has one set of resources; a model that is loaded brings its own (:func:`using`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import FailedPreconditionError, InvalidArgumentError
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.variables.variable import Variable

Resource = TypeVar("Resource")
Resources = dict[tuple[str, str, str], Any]
"""By kind ("variable", "table"), container and shared name."""

_ANONYMOUS = ("", "cd2c89b7-88b7-44c8-ad83-06c2a9158347")
"""Shared names that nobody shares; the latter is TensorFlow's."""

_OF_PROGRAM: Resources = {}
"""The resources of the program, outside of models."""

current: ContextVar[Resources] = ContextVar("resources", default=_OF_PROGRAM)
"""The resources in which names are looked up."""


@contextmanager
def using(resources: Resources) -> Iterator[None]:
    """A context in which names are those of a model."""
    token = current.set(resources)
    try:
        yield
    finally:
        current.reset(token)


def named(kind: str, container: str, shared_name: str, make: Callable[[], Resource]) -> Resource:
    """The resource of a name, made at the first use; a new one where there is no name."""
    if shared_name in _ANONYMOUS:
        return make()
    resources, key = current.get(), (kind, container, shared_name)
    if key not in resources:
        resources[key] = make()
    return resources[key]


class VariableHandle:
    """A variable that may have no value yet; as an operand it is its value.

    Args:
        dtype, shape: of the value; the shape may be open, or None.
    """

    def __init__(self, dtype: Any, shape: Any, variable: Variable | None = None) -> None:
        self.dtype = as_dtype(dtype)
        self.shape = shape
        self.variable = variable

    def make(self, value: Any) -> None:
        """Gives it its first value.

        Raises:
            ValueError, TypeError: when that does not fit.
        """
        self.variable = Variable(value, dtype=self.dtype, shape=self.shape)

    def __tf_tensor__(self, dtype: Any, name: str | None) -> Tensor:
        return variable_of(self).value()


def variable_of(resource: Any) -> Variable:
    """The Variable of a handle.

    Raises:
        FailedPreconditionError: when it has no value yet.
        InvalidArgumentError: for what is no handle of a variable.
    """
    found = resource.variable if isinstance(resource, VariableHandle) else resource
    if found is None:
        raise FailedPreconditionError(
            None, None, "A variable is read or changed that has no value yet: assign it first"
        )
    if not isinstance(found, Variable):
        raise InvalidArgumentError(None, None, f"{resource!r} is no handle of a variable")
    return found
