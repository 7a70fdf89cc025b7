"""Functions that composites (ragged tensors, sparse ones, slices) have a meaning of their own for.

The shape of a ragged tensor is such a value, too.

A function says so where it is defined, with :func:`dispatchable` or :func:`per_value`; what it is
for a kind of composite is entered by :func:`implements`, in the folder of that kind. Primitives on
elements need neither: the executor hands them to ``CompositeOperand.apply_op``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from tfpy._src.core.operand import Dispatched
from tfpy._src.core.tensor import Tensor

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

_IMPLEMENTATIONS: dict[Function, dict[type, Function]] = {}


def dispatchable(function: F) -> F:
    """``function``, but what :func:`implements` entered when an argument is a composite.

    An argument counts if it is one, or a list or tuple with one. Kinds that have no implementation
    go to ``function`` itself, which may refuse them.
    """
    return _dispatching(function, lambda value: None)


def per_value(function: F) -> F:
    """A dispatchable function that computes each value alone: composites may map it over theirs."""
    return _dispatching(function, lambda value: value.per_value(function))


def _dispatching(function: F, default: Callable[[Dispatched], Function | None]) -> F:
    implementations: dict[type, Function] = {}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = _first_dispatched(args)
        if found is None and kwargs:
            found = _first_dispatched(tuple(kwargs.values()))
        if found is not None:
            own = implementations.get(type(found)) or default(found)
            if own is not None:
                return own(*args, **kwargs)
        return function(*args, **kwargs)

    _IMPLEMENTATIONS[call] = implementations
    return call  # type: ignore[return-value]


def implements(function: Function, kind: type[Dispatched]) -> Callable[[F], F]:
    """Enters what a dispatchable function is for a kind of values: a decorator."""

    def enter(own: F) -> F:
        _IMPLEMENTATIONS[function][kind] = own
        return own

    return enter


def _first_dispatched(values: tuple[Any, ...]) -> Dispatched | None:
    for value in values:
        kind = type(value)
        if kind is Tensor:
            continue
        if isinstance(value, Dispatched):
            return value
        if kind is list or kind is tuple:
            for item in value:
                if isinstance(item, Dispatched):
                    return item
    return None
