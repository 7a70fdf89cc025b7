"""`tf.tidy`, `tf.keep`, `tf.dispose` and `tf.memory`: explicit lifetimes, as in TensorFlow.js.

Python frees tensors automatically. These functions serve programs that keep references for longer
than the memory may be used.
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
from tfpy._src.core.typing import Nest

T = TypeVar("T")

_LARGEST = 10
"""Number of kinds of tensors that `memory` lists."""


def tidy(name_or_fn: str | Callable[[], T], fn: Callable[[], T] | None = None) -> T:
    """Call a function and dispose the tensors that it made, except those that are still needed.

    Tensors that the function returns, tensors passed to `tf.keep`, and the values of Variables are
    not disposed. Python frees unreferenced tensors anyway; `tidy` also frees tensors that are still
    referenced.

    Args:
        name_or_fn: The function, or a name for it (TensorFlow.js's optional first argument).
        fn: The function if a name is given. It must not be `async`.

    Returns:
        The result of the function.

    Raises:
        TypeError: If the function is not callable or returns an awaitable.

    Example:
        >>> import tfpy as tf
        >>> y = tf.tidy(lambda: tf.constant([1.0, 2.0]) * 2 + 1)
        >>> y.numpy().tolist()
        [3.0, 5.0]

    See also: `tf.keep`, `tf.dispose`, `tf.memory`.
    """
    function: Any = name_or_fn if fn is None else fn
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
            raise TypeError("tidy: the function must not be async. Use await outside of tidy.")
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
    """Exempt a tensor from the `tf.tidy` scopes around it.

    Args:
        tensor: Tensor to keep.

    Returns:
        The tensor.

    Example:
        >>> import tfpy as tf
        >>> def doubled(x):
        ...     kept.append(tf.keep(x * 2))
        >>> kept = []
        >>> tf.tidy(lambda: doubled(tf.constant([1.0, 2.0])))
        >>> kept[0].numpy().tolist()
        [2.0, 4.0]

    See also: `tf.tidy`, `tf.dispose`.
    """
    tensor.kept = True
    return tensor


def dispose(container: Nest) -> None:
    """Dispose every tensor in a nest, including the components of ragged and sparse tensors.

    Args:
        container: Tensor or nest of tensors. Other leaves are ignored.

    Example:
        >>> import tfpy as tf
        >>> weights = {"kernel": [tf.constant([1.0, 2.0])]}
        >>> tf.dispose(weights)
        >>> weights["kernel"][0].is_disposed
        True

    See also: `tf.tidy`, `tf.memory`.
    """
    for tensor in _tensors_in(container):
        tensor.dispose()


def _tensors_in(container: Any) -> list[Tensor]:
    found = nest.flatten(container, expand_composites=True)
    return [leaf for leaf in found if isinstance(leaf, Tensor)]


def live_tensors() -> int:
    """Return the number of tensors, without the constants that the library caches."""
    return statistics.tensors - scalar_cache.scalar_count()


def memory() -> dict[str, Any]:
    """Return the number and size of the tensors that are in use.

    Returns:
        A dict with TensorFlow.js's keys `numTensors`, `numDataBuffers` and `numBytes` for the whole
        program, and `backend` with the report of the active backend (at least slots and bytes). In
        debug mode the key `largest` lists the kinds of tensors that take the most bytes, as tuples
        of `nbytes`, `tensors`, `aval`, `place` and the `line` of the program that made them.

    Example:
        >>> import tfpy as tf
        >>> before = tf.memory()["numTensors"]
        >>> x = tf.zeros([2, 3])
        >>> tf.memory()["numTensors"] - before
        1

    See also: `tf.tidy`, `tf.dispose`.
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
