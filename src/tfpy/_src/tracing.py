"""The trace that is being taken, if any: ``tf.function`` collects a Graph while Python runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Trace = Any  # trace/trace.py has it, in a layer far above


class _Local(threading.local):
    """Each thread traces by itself."""

    def __init__(self) -> None:
        self.active: list[Trace] = []
        """The traces being taken, outermost first; ops on symbolic tensors go to the last."""
        self.op_by_op = 0
        """How many ``tf.function`` that could not be traced run around the code."""
        self.notes: Callable[[str], None] | None = None
        """Told the name of each op that leaves an equation in a trace."""
        self.replica: Any = None
        """The trace of what each of several replicas computes, while that is taken."""
        self.guesses = True
        """Whether a Python function in a trace is called on zeros to learn the shapes it gives."""
        self.declared: list[tuple[Any, Any]] | None = None
        """Tensors with the shapes that ``set_shape`` and ``ensure_shape`` declare, if collected."""


local = _Local()


def current() -> Trace | None:
    """The trace that ops go to, or None when they run at once."""
    active = local.active
    return active[-1] if active else None


def executing_eagerly() -> bool:
    """False while a ``tf.function`` is traced (``tf.executing_eagerly``).

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def inside():
        ...     return tf.constant(tf.executing_eagerly())
        >>> tf.executing_eagerly(), inside().numpy().tolist()
        (True, False)
    """
    return not local.active


def inside_function() -> bool:
    """True while a ``tf.function`` is traced (``tf.inside_function``).

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def inside():
        ...     return tf.constant(tf.inside_function())
        >>> tf.inside_function(), inside().numpy().tolist()
        (False, True)
    """
    return bool(local.active)


@contextmanager
def running_op_by_op() -> Iterator[None]:
    """The code in it is a ``tf.function`` that could not be traced."""
    local.op_by_op += 1
    try:
        yield
    finally:
        local.op_by_op -= 1


@contextmanager
def without_guesses() -> Iterator[None]:
    """A trace taken in it ends (NotTraceableError) where a shape could only be guessed."""
    before, local.guesses = local.guesses, False
    try:
        yield
    finally:
        local.guesses = before


@contextmanager
def init_scope() -> Iterator[None]:
    """Lifts the code in it out of the traces being taken: it runs at once (``tf.init_scope``).

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def inside():
        ...     with tf.init_scope():
        ...         return tf.constant(tf.executing_eagerly())
        >>> inside().numpy().tolist()
        True
    """
    suspended, local.active = local.active, []
    try:
        yield
    finally:
        local.active = suspended


@contextmanager
def declared_shapes() -> Iterator[list[tuple[Any, Any]]]:
    """Collect the shapes that code running at once declares of its tensors."""
    before, local.declared = local.declared, []
    try:
        yield local.declared
    finally:
        local.declared = before


def declare_shape(tensor: Any, shape: Any) -> None:
    """Note that the program has declared a tensor's shape."""
    if local.declared is not None:
        local.declared.append((tensor, shape))
