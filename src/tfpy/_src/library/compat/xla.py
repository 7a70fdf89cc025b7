"""`tf.xla.experimental`: the older names of compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.typing import Nest
from tfpy._src.functions.tf_function.api import function


def compile(computation: Callable[..., Nest], inputs: Sequence[Nest] | None = None) -> Any:
    """Compile a function and run it once.

    This is an older name. A `tf.function` is compiled once for all calls with the same shapes.

    Args:
        computation: Function of the inputs. AutoGraph does not convert it.
        inputs: List of inputs, which can be nested. Default: no inputs.

    Returns:
        The result of the function with tensors in place of numbers. A result that is not nested is
        returned as a list of tensors.

    Raises:
        TypeError: If `inputs` is not a list.

    Example:
        >>> import tfpy as tf
        >>> tf.xla.experimental.compile(lambda x, y: x * y, [2.0, 3.0])
        [<tf.Tensor: shape=(), dtype=float32, numpy=6.0>]

    See also: `tf.function`.
    """
    if not isinstance(inputs, Sequence | None):
        raise TypeError("inputs must be a list")

    def compiled() -> Any:
        tensors = nest.map_structure(convert_to_tensor, list(inputs or ()))
        found = computation(*tensors)
        if found is None:
            return None
        if not _is_nested(found):
            found = list(found) if isinstance(found, Sequence) else [found]
        return nest.map_structure(convert_to_tensor, found)

    return function(compiled, autograph=False)() if tracing.executing_eagerly() else compiled()


def _is_nested(value: Any) -> bool:
    """Return True for a structure that is more than one sequence of tensors."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return any(isinstance(item, Sequence | Mapping) for item in value)
    return isinstance(value, Mapping)


@contextmanager
def jit_scope(
    compile_ops: bool = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """Return a context in a `tf.function` without effect, because all of its ops are compiled.

    Args:
        compile_ops: Has no effect.
        separate_compiled_gradients: Has no effect.

    Returns:
        A context manager.

    Raises:
        RuntimeError: If it is used outside of a `tf.function`.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def double(x):
        ...     with tf.xla.experimental.jit_scope():
        ...         return x * 2
        >>> double(tf.constant(2))
        <tf.Tensor: shape=(), dtype=int32, numpy=4>

    See also: `tf.function`.
    """
    if tracing.executing_eagerly():
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. Try use "
            "it inside tf.function."
        )
    yield
