"""The trace that is being taken, if any: ``tf.function`` collects a Graph while Python runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

T = TypeVar("T")

Trace = Any  # trace/trace.py has it, in a layer far above

Place = tuple[Hashable, ...]


class Places:
    """The places of ops in a run of a function that could not be traced.

    A trace has each op once. A run has the same ops: they are told apart by how many came before in
    the same function, branch or loop body.

    Args:
        kept: What :meth:`found` keeps from run to run, by place.
    """

    def __init__(self, kept: dict[Hashable, Any]) -> None:
        self._kept = kept
        self._path: Place = ()
        self._count = 0
        self.unseeded = 0
        """Number of random ops without a seed so far, as :attr:`Trace.unseeded`."""

    def next(self) -> Place:
        """Return the next place of the function, branch or body."""
        self._count += 1
        return (*self._path, self._count)

    def found(self, kind: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept for the next place, made at its first run."""
        key = (kind, self.next())
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    @contextmanager
    def within(self, place: Place) -> Iterator[None]:
        """A context whose ops are those of the branch, body or function at a place."""
        before = self._path, self._count, self.unseeded
        self._path, self._count, self.unseeded = place, 0, 0
        try:
            yield
        finally:
            self._path, self._count, self.unseeded = before


class _Local(threading.local):
    """Each thread traces by itself."""

    def __init__(self) -> None:
        self.active: list[Trace] = []
        """The traces being taken, outermost first; ops on symbolic tensors go to the last."""
        self.places: Places | None = None
        """Those of the ``tf.function`` around the code, if it could not be traced."""
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
def running_op_by_op(kept: dict[Hashable, Any]) -> Iterator[None]:
    """A context for the code of a ``tf.function`` that could not be traced.

    Args:
        kept: What the function's places keep from call to call.
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
    """Return the next place of a function that runs op by op; of no meaning elsewhere."""
    return () if local.places is None else local.places.next()


def within(place: Place, part: Hashable = 0) -> AbstractContextManager[None]:
    """Return a context for a branch (by number) or an iteration of the loop at a place.

    Args:
        place: From :func:`next_place`.
    """
    return nullcontext() if local.places is None else local.places.within((*place, part))


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
    places, local.places = local.places, None
    try:
        yield
    finally:
        local.active, local.places = suspended, places


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
