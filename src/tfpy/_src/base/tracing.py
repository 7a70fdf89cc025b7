"""The active trace, if any: `tf.function` records a Graph while Python runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

T = TypeVar("T")

Trace = Any  # the class is in functions/trace/trace.py, which this room must not import

Place = tuple[Hashable, ...]


class Places:
    """The places of ops in a run of a function that could not be traced.

    A trace contains each op once. A run has the same ops; the place of an op is its number within
    the function, branch or loop body.

    Args:
        kept: State that `found` keeps from run to run, by place.
    """

    def __init__(self, kept: dict[Hashable, Any]) -> None:
        self._kept = kept
        self._path: Place = ()
        self._count = 0
        self.unseeded = 0
        """Number of random ops without a seed so far, as `Trace.unseeded`."""

    def next(self) -> Place:
        """Return the next place of the function, branch or body."""
        self._count += 1
        return (*self._path, self._count)

    def found(self, kind: Hashable, make: Callable[[], T]) -> T:
        """Return the state of the next place. `make` creates it at the first run."""
        key = (kind, self.next())
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    @contextmanager
    def within(self, place: Place) -> Iterator[None]:
        """Enter the branch, body or function at a place."""
        before = self._path, self._count, self.unseeded
        self._path, self._count, self.unseeded = place, 0, 0
        try:
            yield
        finally:
            self._path, self._count, self.unseeded = before


class _Local(threading.local):
    """The tracing state of a thread. Threads trace independently."""

    def __init__(self) -> None:
        self.active: list[Trace] = []
        """Active traces, outermost first. Ops on symbolic tensors go to the last one."""
        self.places: Places | None = None
        """Places of the enclosing `tf.function`, if it could not be traced."""
        self.notes: Callable[[str], None] | None = None
        """Callback for the name of each op that adds an equation to a trace."""
        self.replica: Any = None
        """The trace of one replica's computation, while it is active."""
        self.guesses = True
        """True if a Python function in a trace is called on zeros to infer its result shapes."""
        self.declared: list[tuple[Any, Any]] | None = None
        """Tensors with the shapes that `set_shape` and `ensure_shape` declare, if collected."""
        self.element = False
        """True while a function of a dataset, which could not be traced, runs for one element."""


local = _Local()


def current() -> Trace | None:
    """Return the trace that records ops, or None if ops run immediately."""
    active = local.active
    return active[-1] if active else None


def active_graph() -> Any:
    """Return the graph of TensorFlow 1 that records ops, or None."""
    active = local.active
    return active[-1] if active and active[-1].is_graph else None


def in_graph() -> bool:
    """Return True inside a graph of TensorFlow 1, also in functions that are traced there."""
    return any(trace.is_graph for trace in local.active)


def executing_eagerly() -> bool:
    """Return True if ops run immediately, and False while a `tf.function` is traced.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def inside():
        ...     return tf.constant(tf.executing_eagerly())
        >>> tf.executing_eagerly(), inside().numpy().tolist()
        (True, False)

    See also: `tf.inside_function`, `tf.init_scope`.
    """
    return not local.active


def inside_function() -> bool:
    """Return True while a `tf.function` is traced, and False if ops run immediately.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def inside():
        ...     return tf.constant(tf.inside_function())
        >>> tf.inside_function(), inside().numpy().tolist()
        (False, True)

    See also: `tf.executing_eagerly`.
    """
    return bool(local.active)


@contextmanager
def running_op_by_op(kept: dict[Hashable, Any]) -> Iterator[None]:
    """Enter the code of a `tf.function` that could not be traced.

    Args:
        kept: State that the function's places keep from call to call.
    """
    outer = local.places
    if outer is not None:
        with within(outer.next()):
            yield
        return
    local.places = Places(kept)
    try:
        yield
    finally:
        local.places = None


def next_place() -> Place:
    """Return the next place of a function that runs eagerly, or `()` elsewhere."""
    return () if local.places is None else local.places.next()


def within(place: Place, part: Hashable = 0) -> AbstractContextManager[None]:
    """Return a context for a branch (by number) or an iteration of the loop at a place.

    Args:
        place: Result of `next_place`.
    """
    return nullcontext() if local.places is None else local.places.within((*place, part))


@contextmanager
def without_guesses() -> Iterator[None]:
    """Make traces end with a NotTraceableError where a shape could only be guessed."""
    before, local.guesses = local.guesses, False
    try:
        yield
    finally:
        local.guesses = before


@contextmanager
def init_scope() -> Iterator[None]:
    """Return a context manager within which ops run immediately, even in a `tf.function`.

    In a `tf.function`, these ops run only during tracing. They are not part of the compiled
    function.

    Returns:
        A context manager for a `with` statement.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def inside():
        ...     with tf.init_scope():
        ...         return tf.constant(tf.executing_eagerly())
        >>> inside().numpy().tolist()
        True

    See also: `tf.executing_eagerly`, `tf.function`.
    """
    suspended, local.active = local.active, []
    places, local.places = local.places, None
    try:
        yield
    finally:
        local.active, local.places = suspended, places


@contextmanager
def element_scope() -> Iterator[None]:
    """Run a function of a dataset for one element, outside of any trace."""
    before, local.element = local.element, True
    try:
        with init_scope():
            yield
    finally:
        local.element = before


@contextmanager
def declared_shapes() -> Iterator[list[tuple[Any, Any]]]:
    """Collect the shapes that eager code declares for its tensors."""
    before, local.declared = local.declared, []
    try:
        yield local.declared
    finally:
        local.declared = before


def declare_shape(tensor: Any, shape: Any) -> None:
    """Record that the program has declared a tensor's shape."""
    if local.declared is not None:
        local.declared.append((tensor, shape))
