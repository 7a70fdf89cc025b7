"""``tf.tidy``, ``tf.keep``, ``tf.dispose``, ``tf.memory``: explicit lifetimes, as TensorFlow.js.

Python frees tensors by itself; these serve programs that hold references for longer than the
memory may be used.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from tfpy._src.backends import registry
from tfpy._src.backends.memory_holders import largest
from tfpy._src.backends.storage import statistics
from tfpy._src.base.flags.environment import env
from tfpy._src.core import nest, scalar_cache
from tfpy._src.core.tensor import Tensor, local

T = TypeVar("T")

_LARGEST = 10
"""Kinds of tensors that :func:`memory` lists."""


def tidy(name_or_fn: Any, fn: Callable[[], T] | None = None) -> T:
    """Runs ``fn`` and disposes every tensor made in it, but those returned, kept or in Variables.

    Args:
        name_or_fn: the function, or a name for it (TensorFlow.js's optional first argument).
        fn: the function when a name is given; it must not be ``async``.

    Raises:
        TypeError: when it is not callable or returns an awaitable.

    Example:
        >>> import tfpy as tf
        >>> y = tf.tidy(lambda: tf.constant([1.0, 2.0]) * 2 + 1)
        >>> y.numpy().tolist()
        [3.0, 5.0]
    """
    function: Callable[[], T] = name_or_fn if fn is None else fn
    if not callable(function):
        raise TypeError(f"tidy: expected a function, got {type(function).__name__}")
    scopes = local.scopes
    scopes.append([])
    returned: T | None = None
    try:
        returned = function()
        if inspect.isawaitable(returned):
            if isinstance(returned, Coroutine):
                returned.close()
            raise TypeError("tidy: the function must not be async; await outside of tidy")
    finally:
        keep = {t.identity for t in _tensors_in(returned)}
        for reference in scopes.pop():
            tensor = reference()
            if tensor is None or tensor.kept:
                continue
            if tensor.identity in keep:
                if scopes:
                    scopes[-1].append(reference)
            else:
                tensor.dispose()
    return returned


def keep(tensor: Tensor) -> Tensor:
    """Exempts a tensor from the tidy scopes around it.

    Example:
        >>> import tfpy as tf
        >>> def doubled(x):
        ...     kept.append(tf.keep(x * 2))
        >>> kept = []
        >>> tf.tidy(lambda: doubled(tf.constant([1.0, 2.0])))
        >>> kept[0].numpy().tolist()
        [2.0, 4.0]
    """
    tensor.kept = True
    return tensor


def dispose(container: Any) -> None:
    """Disposes every tensor in a nest, those of ragged and sparse tensors included.

    Example:
        >>> import tfpy as tf
        >>> weights = {"kernel": [tf.constant([1.0, 2.0])]}
        >>> tf.dispose(weights)
        >>> weights["kernel"][0].is_disposed
        True
    """
    for tensor in _tensors_in(container):
        tensor.dispose()


def _tensors_in(container: Any) -> list[Tensor]:
    found = nest.flatten(container, expand_composites=True)
    return [leaf for leaf in found if isinstance(leaf, Tensor)]


def live_tensors() -> int:
    """How many tensors the program has, without the numbers that the library keeps."""
    return statistics.tensors - scalar_cache.scalar_count()


def memory() -> dict[str, Any]:
    """What is in use now.

    Returns:
        ``numTensors``, ``numDataBuffers`` and ``numBytes`` (TensorFlow.js's names) of the whole
        program, and under ``backend`` what the active backend says (slots and bytes at least). In
        debug mode ``largest``, too: what takes most bytes, as tuples of ``nbytes``, ``tensors``,
        ``aval``, ``place`` and the ``line`` of the program that made it.

    Example:
        >>> import tfpy as tf
        >>> before = tf.memory()["numTensors"]
        >>> x = tf.zeros([2, 3])
        >>> tf.memory()["numTensors"] - before
        1
    """
    backend = registry.active_backend()
    backend.collect()
    found: dict[str, Any] = {
        "numTensors": live_tensors(),
        "numDataBuffers": statistics.buffers,
        "numBytes": statistics.nbytes,
        "backend": backend.memory(),
    }
    if env().get_bool("DEBUG"):
        found["largest"] = largest(_LARGEST)
    return found
