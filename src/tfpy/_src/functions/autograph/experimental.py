"""``tf.autograph.experimental``."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.functions.autograph.marks import do_not_convert
from tfpy._src.functions.control.traced_parts import LoopPart

__all__ = ["do_not_convert", "set_loop_options"]


def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Options of the loop in whose body it stands, while a function is traced.

    Args:
        shape_invariants: pairs of a variable and its shape, which may change: the function then
            runs op by op.
        parallel_iterations, swap_memory: of no effect.

        maximum_iterations: ends the loop after that many, if it is one of tensors.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def count(x):
        ...     while x < 100:
        ...         tf.autograph.experimental.set_loop_options(maximum_iterations=3)
        ...         x += 1
        ...     return x
        >>> count(tf.constant(0)).numpy().tolist()
        3
    """
    if not tracing.local.active:
        return
    loop = tracing.current()
    if maximum_iterations is not None and isinstance(loop, LoopPart):
        loop.limit = maximum_iterations
    if shape_invariants:
        raise NotTraceableError("set_loop_options: variables of a loop change their shapes")
