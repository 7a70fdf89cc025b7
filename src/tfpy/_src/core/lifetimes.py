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
    """Call a function, and free the tensors that it created except those that are still needed.

    The function's results, also in nested lists, tuples and dicts, stay valid. So do the values of
    Variables and tensors that were passed to `tf.keep`. Python frees a tensor when its last
    reference goes away, so `tf.tidy` is only necessary if references remain, for example in a list
    or a closure.

    Args:
        name_or_fn: Function without arguments. If `fn` is passed, this argument is a name, which
            has no effect.
        fn: Function without arguments, if the first argument is a name as in TensorFlow.js.
            Default: the first argument is the function. The function must not be `async`.

    Returns:
        The result of the function.

    Raises:
        TypeError: If the function is not callable or returns an awaitable.

    Example:
        >>> import tfpy as tf
        >>> steps = []
        >>> def compute():
        ...     steps.append(tf.constant([1.0, 2.0]) * 2.0)
        ...     return steps[0] + 1.0
        >>> y = tf.tidy(compute)
        >>> y.numpy().tolist(), steps[0].is_disposed
        ([3.0, 5.0], True)

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
    """Keep a tensor valid after the calls of `tf.tidy` in which it was created.

    Args:
        tensor: Tensor to keep. It is freed as usual when its last reference goes away, or by
            `tf.dispose`.

    Returns:
        The same tensor.

    Example:
        >>> import tfpy as tf
        >>> kept = []
        >>> def compute():
        ...     kept.append(tf.keep(tf.constant([1.0, 2.0]) * 2.0))
        >>> tf.tidy(compute)
        >>> kept[0].numpy().tolist()
        [2.0, 4.0]

    See also: `tf.tidy`, `tf.dispose`.
    """
    tensor.kept = True
    return tensor


def dispose(container: Nest) -> None:
    """Free the memory of tensors now, although references to them remain.

    A disposed tensor can no longer be used. Memory that tensors share is freed with the last of
    them.

    Args:
        container: Tensor or nested structure (list, tuple or dict) of tensors. The components of
            ragged and sparse tensors are freed as well. Other values, such as Variables, are
            ignored.

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
    """Return the number of tensors that exist and the memory that they use.

    To find a memory leak, compare the results before and after a step of a loop. The numbers stay
    constant in a loop without leaks.

    Returns:
        A dict with the following keys. The first three are those of TensorFlow.js.

        - `numTensors`: Number of tensors in the program.
        - `numDataBuffers`: Number of buffers that hold their values. Tensors can share a buffer,
          for example after `tf.reshape`.
        - `numBytes`: Number of bytes in these buffers.
        - `backend`: Dict for the active backend, without values that are only in Python's memory.
          Its keys include `slots` (number of buffers) and `bytes` (size of these buffers).
        - `largest`: Only in debug mode (`tf.enable_debug_mode()`). List of the groups of tensors
          that use the most memory, largest first. The tensors of a group have the same dtype and
          shape, are stored in the same place, and were created by the same line of the program. A
          group is a named tuple of `nbytes`, `tensors` (their number), `aval` (dtype and shape,
          such as `"float32[2,3]"`), `place` (name of a backend, or `"host"` for tensors that no
          backend has used yet)
          and `line` (None for tensors that were not computed by an op).

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
