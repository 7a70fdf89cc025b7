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
    """Call one of two functions, depending on a condition.

    This is `tf.cond` with the arguments of TensorFlow 1. Outside of a `tf.function`, if the called
    function returns a list or tuple with a single element, the element is returned instead, unless
    `strict` is True.

    Args:
        pred: Scalar bool tensor, or a Python bool.
        true_fn: Function without arguments that is called if `pred` is True. Required, unless `fn1`
            is passed.
        false_fn: Function without arguments that is called if `pred` is False. Required, unless
            `fn2` is passed.
        strict: If True, return a list or tuple with a single element unchanged.
        fn1: Older name of `true_fn`, which is used if `true_fn` is None.
        fn2: Older name of `false_fn`, which is used if `false_fn` is None.

    Returns:
        The result of the called function, a tensor or a nested structure (list, tuple or dict) of
        tensors.

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
    """Repeat a function while a condition holds.

    This is `tf.while_loop` with the arguments of TensorFlow 1. If there is only one loop variable,
    its final value is returned instead of a list, unless `return_same_structure` is True.

    Args:
        cond: Function that takes the loop variables and returns a scalar bool tensor. The loop ends
            when it returns False.
        body: Function that takes the loop variables and returns their new values.
        loop_vars: Initial values of the loop variables, a list or tuple. Each one is a tensor or a
            nested structure (list, tuple or dict) of tensors.
        shape_invariants: Shapes of the loop variables, in the structure of `loop_vars`. If they are
            passed, the loop variables may change their shapes. An enclosing `tf.function` then runs
            eagerly, without compilation. Default: the shapes do not change.
        parallel_iterations: Has no effect.
        back_prop: Has no effect.
        swap_memory: Has no effect.
        maximum_iterations: Maximum number of iterations, an integer or scalar integer tensor.
            Default: no limit.
        return_same_structure: If True, return the final values in the structure of `loop_vars` even
            if there is only one loop variable.

    Returns:
        Final values of the loop variables, in the structure of `loop_vars`, or the final value of
        the only loop variable.

    Raises:
        TypeError: If `cond` or `body` is not callable.
        ValueError: If `loop_vars` is empty, or `body` returns a structure that differs from
            `loop_vars`.

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
