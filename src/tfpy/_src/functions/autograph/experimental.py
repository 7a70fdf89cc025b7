"""`tf.autograph.experimental`."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.core.typing import IntLike, ShapeLike, TensorLike
from tfpy._src.functions.autograph.marks import do_not_convert
from tfpy._src.functions.autograph.operators.running import RunningLoop, innermost
from tfpy._src.functions.control.traced_parts import LoopPart

__all__ = ["Feature", "do_not_convert", "set_loop_options"]


class Feature(enum.Enum):
    """Optional parts of AutoGraph, for the argument `experimental_optional_features`.

    They have no effect: tfpy converts what a function needs.

    Example:
        >>> import tfpy as tf
        >>> tf.autograph.experimental.Feature.LISTS
        <Feature.LISTS: 'LISTS'>

    See also: `tf.autograph.to_graph`.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: IntLike | None = None,
    shape_invariants: Sequence[tuple[TensorLike, ShapeLike]] | None = None,
) -> None:
    """Set options of the enclosing loop. Call this function in the body of the loop.

    The options apply to `while` and `for` statements that depend on tensors in a `tf.function`.

    Args:
        parallel_iterations: Has no effect.
        swap_memory: Has no effect.
        maximum_iterations: Maximum number of iterations, an integer or scalar integer tensor.
            Default: no limit.
        shape_invariants: List of pairs `(variable, shape)` for loop variables whose shapes change.
            A `tf.function` that contains such a loop runs eagerly, without compilation. Default: in
            a `tf.function`, the shapes must stay the same.

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

    See also: `tf.while_loop`.
    """
    is_traced = bool(tracing.local.active)
    loop = tracing.current() if is_traced else innermost()
    if maximum_iterations is not None and isinstance(loop, LoopPart | RunningLoop):
        loop.limit = maximum_iterations
    if shape_invariants and is_traced:
        raise NotTraceableError("set_loop_options: loop variables change their shapes")
