"""`tf.variable_creator_scope`: functions that take part in the creation of Variables."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from tfpy._src.tensors.variables.variable import Variable

Creator = Callable[..., Any]


_numbers = count(1)
_live: WeakValueDictionary[int, Variable] = WeakValueDictionary()  # keyed by number


def next_number(variable: Variable) -> int:
    """Return the number of a new Variable, which becomes one of the live ones."""
    number = next(_numbers)
    _live[number] = variable
    return number


def live_variables() -> list[Variable]:
    """Return all Variables that exist."""
    return list(_live.values())


class _Local(threading.local):
    def __init__(self) -> None:
        self.creators: list[Creator] = []
        """Active creators, innermost last."""


local = _Local()


def signature_of(kind: type[Variable]) -> inspect.Signature:
    """Return the signature of the constructor of a class."""
    found = inspect.signature(kind.__init__)
    return found.replace(parameters=[*found.parameters.values()][1:])


def created(
    default: Creator, kind: type[Variable], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Return what the active creators make of the arguments of a Variable.

    Args:
        default: Function that makes the Variable. The outermost creator receives it.
        kind: Class of the Variable.
        args, kwargs: Arguments of the Variable.
    """
    bound = signature_of(kind).bind(*args, **kwargs)
    bound.apply_defaults()
    given = {**bound.arguments, "experimental_enable_variable_lifting": None, **kwargs}
    make = functools.partial(_without_creators, default)
    for creator in local.creators:
        make = functools.partial(creator, make)
    return make(**given)


def _without_creators(default: Creator, **arguments: Any) -> Any:
    saved, local.creators = local.creators, []
    try:
        return default(**arguments)
    finally:
        local.creators = saved


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Return a context in which a function takes part in the creation of Variables.

    A creator can change the arguments of a Variable, replace the Variable by another object, or
    collect the Variables. With nested contexts, the innermost creator is called first.

    Args:
        variable_creator: Function `creator(next_creator, **kwargs)` that returns a Variable. It
            usually returns `next_creator(**kwargs)`. `kwargs` contains all arguments of
            `tf.Variable`.

    Returns:
        A context manager.

    Example:
        >>> import tfpy as tf
        >>> def frozen(next_creator, **kwargs):
        ...     kwargs["trainable"] = False
        ...     return next_creator(**kwargs)
        >>> with tf.variable_creator_scope(frozen):
        ...     v = tf.Variable(1.0)
        >>> v.trainable
        False

    See also: `tf.Variable`.
    """
    saved = local.creators
    local.creators = [*saved, variable_creator]
    try:
        yield
    finally:
        local.creators = saved
