"""``tf.tidy``, ``tf.keep``, ``tf.dispose``, ``tf.memory``: explicit lifetimes, as TensorFlow.js.

Python frees tensors by itself; these serve programs that hold references for longer than the
memory may be used.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from tfpy._src.core import nest

if TYPE_CHECKING:
    from tfpy._src.core.tensor import Tensor

T = TypeVar("T")

scopes: list[list[weakref.ref[Tensor]]] = []
"""The tidy scopes around the running code, innermost last: the tensors made in each."""


def on_create(tensor: Tensor) -> None:
    """Notes a new tensor in the innermost tidy scope, where there is one."""
    if scopes:
        scopes[-1].append(weakref.ref(tensor))


def tidy(name_or_fn: Any, fn: Callable[[], T] | None = None) -> T:
    """Runs ``fn`` and disposes every tensor made in it, but those returned, kept or in Variables.

    Args:
        name_or_fn: the function, or a name for it (TensorFlow.js's optional first argument).
        fn: the function when a name is given; it must not be ``async``.

    Raises:
        TypeError: when it is not callable or returns an awaitable.
    """
    function: Callable[[], T] = name_or_fn if fn is None else fn
    if not callable(function):
        raise TypeError(f"tidy: expected a function, got {type(function).__name__}")
    scopes.append([])
    returned: T | None = None
    try:
        returned = function()
        if inspect.isawaitable(returned):
            if inspect.iscoroutine(returned):
                returned.close()
            raise TypeError("tidy: the function must not be async; await outside of tidy")
    finally:
        keep = {t.identity for t in _tensors_in(returned)}
        for reference in scopes.pop():
            tensor = reference()
            if tensor is None or tensor.kept:
                continue
            if tensor.identity in keep:
                on_create(tensor)
            else:
                tensor.dispose()
    return returned


def keep(tensor: Tensor) -> Tensor:
    """Exempts a tensor from the tidy scopes around it."""
    tensor.kept = True
    return tensor


def dispose(container: Any) -> None:
    """Disposes every tensor in a nest, those of ragged and sparse tensors included."""
    for tensor in _tensors_in(container):
        tensor.dispose()


def _tensors_in(container: Any) -> list[Tensor]:
    from tfpy._src.core.tensor import Tensor

    found = nest.flatten(container, expand_composites=True)
    return [leaf for leaf in found if isinstance(leaf, Tensor)]


def memory() -> dict[str, Any]:
    """What is in use now.

    Returns:
        ``numTensors``, ``numDataBuffers`` and ``numBytes`` (TensorFlow.js's names) of the whole
        program, and under ``backend`` what the active backend says (slots and bytes at least).
    """
    from tfpy._src.core import scalars
    from tfpy._src.runtime import registry
    from tfpy._src.runtime.storage import statistics

    backend = registry.active_backend()
    backend.collect()
    return {
        "numTensors": statistics.tensors - scalars.scalar_count(),
        "numDataBuffers": statistics.buffers,
        "numBytes": statistics.nbytes,
        "backend": backend.memory(),
    }
