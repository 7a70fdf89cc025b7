"""The resources behind handles, and the lookup of shared ones by name.

A program has one set of resources; a loaded model has its own (`using`).
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
"""Resources by kind (`"variable"`, `"table"`), container and shared name."""

_ANONYMOUS = ("", "cd2c89b7-88b7-44c8-ad83-06c2a9158347")
"""Shared names of unshared resources; the second one is TensorFlow's."""

_OF_PROGRAM: Resources = {}
"""Resources of the program, outside of models."""

current: ContextVar[Resources] = ContextVar("resources", default=_OF_PROGRAM)
"""Resources in which names are looked up."""


@contextmanager
def using(resources: Resources) -> Iterator[None]:
    """Look up names in a model's resources inside the context."""
    token = current.set(resources)
    try:
        yield
    finally:
        current.reset(token)


def named(kind: str, container: str, shared_name: str, make: Callable[[], Resource]) -> Resource:
    """Return the resource of a name, created at its first use; without a name, create a new one."""
    if shared_name in _ANONYMOUS:
        return make()
    resources, key = current.get(), (kind, container, shared_name)
    if key not in resources:
        resources[key] = make()
    return resources[key]


class VariableHandle:
    """A handle of a variable, which may not have a value yet; as an operand it is its value.

    Args:
        dtype: Dtype of the value.
        shape: Shape of the value, which may be partially unknown, or None.
        variable: The Variable, if it has a value.
    """

    def __init__(self, dtype: Any, shape: Any, variable: Variable | None = None) -> None:
        self.dtype = as_dtype(dtype)
        self.shape = shape
        self.variable = variable

    def make(self, value: Any) -> None:
        """Assign the first value.

        Raises:
            ValueError: If the shape does not match.
            TypeError: If the dtype does not match.
        """
        self.variable = Variable(value, dtype=self.dtype, shape=self.shape)

    def __tf_tensor__(self, dtype: Any, name: str | None) -> Tensor:
        return variable_of(self).value()


def variable_of(resource: Any) -> Variable:
    """Return the Variable of a handle.

    Raises:
        FailedPreconditionError: If the variable has no value yet.
        InvalidArgumentError: If the value is not a handle of a variable.
    """
    found = resource.variable if isinstance(resource, VariableHandle) else resource
    if found is None:
        raise FailedPreconditionError(
            None, None, "The variable has no value yet. Assign one before reading or updating it."
        )
    if not isinstance(found, Variable):
        raise InvalidArgumentError(None, None, f"{resource!r} is not a handle of a variable.")
    return found
