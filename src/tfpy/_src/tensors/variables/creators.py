"""`tf.variable_creator_scope`: functions that take part in the creation of Variables."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Creator = Callable[..., Any]


class _Local(threading.local):
    def __init__(self) -> None:
        self.creators: list[Creator] = []
        """Active creators, innermost last."""


local = _Local()


def created(default: Creator, given: Mapping[str, Any]) -> Any:
    """Return what the active creators make of the arguments of a Variable.

    Args:
        default: Function that makes the Variable. The outermost creator receives it.
        given: Arguments of the Variable by name.
    """
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
