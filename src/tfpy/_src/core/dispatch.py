"""Functions that composites (ragged tensors, sparse ones, slices) have a meaning of their own for.

A function says so where it is defined, with :func:`dispatchable` or :func:`per_value`; what it is
for a kind of composite is entered by :func:`implements`, in the folder of that kind. Primitives on
elements need neither: the executor hands them to ``CompositeOperand.apply_op``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

_IMPLEMENTATIONS: dict[Function, dict[type, Function]] = {}


def dispatchable(function: F) -> F:
    """``function``, but what :func:`implements` entered when an argument is a composite.

    An argument counts if it is one, or a list or tuple with one. Kinds that have no implementation
    go to ``function`` itself, which may refuse them.
    """
    return _dispatching(function, lambda composite: None)


def per_value(function: F) -> F:
    """A dispatchable function that computes each value alone: composites may map it over theirs."""
    return _dispatching(function, lambda composite: composite.per_value(function))


def _dispatching(function: F, default: Callable[[Composite], Function | None]) -> F:
    implementations: dict[type, Function] = {}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        composite = _first_composite(args)
        if composite is None and kwargs:
            composite = _first_composite(tuple(kwargs.values()))
        if composite is not None:
            own = implementations.get(type(composite)) or default(composite)
            if own is not None:
                return own(*args, **kwargs)
        return function(*args, **kwargs)

    _IMPLEMENTATIONS[call] = implementations
    return call  # type: ignore[return-value]


def implements(function: Function, kind: type[Composite]) -> Callable[[F], F]:
    """Enters what a dispatchable function is for a kind of composite: a decorator."""

    def enter(own: F) -> F:
        _IMPLEMENTATIONS[function][kind] = own
        return own

    return enter


def _first_composite(values: tuple[Any, ...]) -> Composite | None:
    for value in values:
        kind = type(value)
        if kind is Tensor:
            continue
        if isinstance(value, Composite):
            return value
        if kind is list or kind is tuple:
            for item in value:
                if isinstance(item, Composite):
                    return item
    return None
