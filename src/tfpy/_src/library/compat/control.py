"""Conditionals and loops of `tf.compat.v1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest, TensorLike
from tfpy._src.functions.control import control_flow

Function = Callable[..., Any]


def cond(
    pred: TensorLike,
    true_fn: Function | None = None,
    false_fn: Function | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Function | None = None,
    fn2: Function | None = None,
) -> Any:
    """Call one of two functions, like `tf.cond`.

    Outside of a `tf.function`, a list or tuple of one result is replaced with the result, unless
    `strict` is True.

    Args:
        pred: Scalar bool tensor, or a Python bool.
        true_fn: Function without arguments that is called if `pred` is True.
        false_fn: Function without arguments that is called if `pred` is False.
        strict: If True, keep a list or tuple of one result.
        fn1: Older name of `true_fn`.
        fn2: Older name of `false_fn`.

    Returns:
        Result of the function: a tensor or a nest of tensors.

    Raises:
        TypeError: If a function is missing or is not callable.
        ValueError: If `pred` is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant(3)
        >>> tf.compat.v1.cond(x > 2, true_fn=lambda: x * 10, false_fn=lambda: x).numpy().tolist()
        30

    See also: `tf.cond`, `tf.compat.v1.while_loop`.
    """
    found = control_flow.cond(pred, true_fn or fn1, false_fn or fn2)
    return found if strict or tracing.local.active else _only(found)


def while_loop(
    cond: Function,
    body: Function,
    loop_vars: Nest,
    shape_invariants: Nest = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: int | Tensor | None = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeat a function while a condition holds, like `tf.while_loop`.

    If there is only one loop variable, its value is returned without the list, unless
    `return_same_structure` is True.

    Args:
        cond: Function of the loop variables that returns a scalar bool tensor.
        body: Function of the loop variables that returns their new values.
        loop_vars: List or tuple of nests of tensors with the initial values.
        shape_invariants: Nest of shapes. If it is passed, the variables may change their shapes,
            and a function with the loop runs op by op.
        parallel_iterations: Has no effect.
        back_prop: Has no effect.
        swap_memory: Has no effect.
        maximum_iterations: Largest number of iterations. Default: no limit.
        return_same_structure: If True, always return the structure of `loop_vars`.

    Returns:
        Final values of the loop variables.

    Raises:
        TypeError: If `cond` or `body` is not callable.
        ValueError: If `loop_vars` is empty, or `body` returns another structure.

    Example:
        >>> import tfpy as tf
        >>> i = tf.constant(0)
        >>> tf.compat.v1.while_loop(lambda i: i < 10, lambda i: i + 3, [i]).numpy().tolist()
        12

    See also: `tf.while_loop`, `tf.compat.v1.cond`.
    """
    found = control_flow.while_loop(
        cond, body, loop_vars, shape_invariants, maximum_iterations=maximum_iterations
    )
    return found if return_same_structure else _only(found)


def _only(found: Any) -> Any:
    """Return the only item of a list or tuple, or any other value unchanged."""
    return found[0] if isinstance(found, list | tuple) and len(found) == 1 else found
