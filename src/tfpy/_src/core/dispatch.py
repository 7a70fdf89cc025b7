"""Dispatch of functions on composite values: ragged and sparse tensors, indexed slices.

The shape of a ragged tensor is such a value as well. A function is declared with `dispatchable` or
`per_value` where it is defined. Its implementation for a kind of composite is registered with
`implements`, in the folder of that kind. Elementwise primitives need neither: the executor passes
them to `CompositeOperand.apply_op`.

In a graph of TensorFlow 1, each call becomes one operation, even if the program has imported the
function from its module before it made the graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from tfpy._src.base import tracing
from tfpy._src.core.operand import Dispatched, HostComposite, with_composites
from tfpy._src.core.tensor import Tensor

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

_IMPLEMENTATIONS: dict[Function, dict[type, Function]] = {}


def dispatchable(function: F) -> F:
    """Return `function` with dispatch to the implementations that `implements` registers.

    An argument counts if it is a composite, or a list or tuple with one. `function` itself receives
    composites that have no implementation, and may raise an error.
    """
    return _dispatching(function, lambda value: None)


def per_value(function: F) -> F:
    """Return `function` with dispatch, for a function that computes each value independently.

    Composites without an implementation map the function over their values.
    """
    return _dispatching(function, lambda value: value.per_value(function))


def _dispatching(function: F, default: Callable[[Dispatched], Function | None]) -> F:
    implementations: dict[type, Function] = {}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        active = tracing.local.active
        if active and active[-1].is_graph:
            return active[-1].record(call, args, kwargs)
        found = _first_dispatched(args)
        if found is None and kwargs:
            found = _first_dispatched(tuple(kwargs.values()))
        if isinstance(found, HostComposite):
            named = {name: with_composites(value) for name, value in kwargs.items()}
            return call(*map(with_composites, args), **named)
        if found is not None:
            own = next(
                (implementations[k] for k in type(found).__mro__ if k in implementations),
                default(found),
            )
            if own is not None:
                return own(*args, **kwargs)
        return function(*args, **kwargs)

    _IMPLEMENTATIONS[call] = implementations
    return call  # type: ignore[return-value]


def implements(function: Function, kind: type[Dispatched]) -> Callable[[F], F]:
    """Return a decorator that registers the implementation of a function for one kind of value."""

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
