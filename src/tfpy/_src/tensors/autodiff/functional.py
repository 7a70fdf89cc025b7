"""Gradients of functions: TensorFlow.js's ``tf.grad`` family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import dense
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import identity
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.variables.variable import Variable


def value_and_grads(f: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """TensorFlow.js's ``valueAndGrads``: ``g(args, dy=None)`` gives ``{"value", "grads"}``.

    Raises:
        ValueError: when the result does not depend on every argument.

    Example:
        >>> import tfpy as tf
        >>> both = tf.value_and_grads(lambda x, y: x * y)([3.0, 5.0])
        >>> both["value"].numpy().tolist(), [g.numpy().tolist() for g in both["grads"]]
        (15.0, [5.0, 3.0])
    """

    def g(args: Sequence[Any], dy: Any = None) -> dict[str, Any]:
        inputs = [identity(a) for a in args]  # the caller may use one tensor twice
        with GradientTape() as tape:
            tape.watch(inputs)
            value = f(*inputs)
        found = tape.gradient(value, inputs, None if dy is None else convert_to_tensor(dy))
        grads = [dense(g) for g in found]
        if any(d is None for d in grads):
            raise ValueError(
                "Cannot compute gradient of y=f(xs): f's result does not depend on every x"
            )
        return {"value": value, "grads": grads}

    return g


def value_and_grad(f: Callable[[Any], Any]) -> Callable[..., dict[str, Any]]:
    """TensorFlow.js's ``valueAndGrad``: ``g(x, dy=None)`` gives ``{"value", "grad"}``.

    Example:
        >>> import tfpy as tf
        >>> both = tf.value_and_grad(lambda x: x * x)(tf.constant(3.0))
        >>> both["value"].numpy().tolist(), both["grad"].numpy().tolist()
        (9.0, 6.0)
    """
    both = value_and_grads(f)

    def g(x: Any, dy: Any = None) -> dict[str, Any]:
        result = both([x], dy)
        return {"value": result["value"], "grad": result["grads"][0]}

    return g


def grads(f: Callable[..., Any]) -> Callable[..., list[Tensor]]:
    """TensorFlow.js's ``grads``: ``g(args, dy=None)`` gives a gradient per argument.

    Example:
        >>> import tfpy as tf
        >>> dx, dy = tf.grads(lambda x, y: x * x * y)([3.0, 5.0])
        >>> dx.numpy().tolist(), dy.numpy().tolist()
        (30.0, 9.0)
    """
    both = value_and_grads(f)
    return lambda args, dy=None: list(both(args, dy)["grads"])


def grad(f: Callable[[Any], Any]) -> Callable[..., Tensor]:
    """TensorFlow.js's ``grad``: ``g(x, dy=None)`` gives the gradient of ``f`` at x.

    Example:
        >>> import tfpy as tf
        >>> print(tf.grad(lambda x: x * x)(tf.constant(3.0)).numpy())
        6.0
    """
    both = value_and_grads(f)
    return lambda x, dy=None: both([x], dy)["grads"][0]


def variable_grads(
    f: Callable[[], Any], var_list: Sequence[Variable] | None = None
) -> dict[str, Any]:
    """TensorFlow.js's ``variableGrads``: value of scalar ``f()`` and gradients by variable name.

    Raises:
        ValueError: when ``f`` does not give a scalar.

    Example:
        >>> import tfpy as tf
        >>> w = tf.Variable(3.0, name="w")
        >>> both = tf.variable_grads(lambda: w * w, [w])
        >>> both["value"].numpy().tolist(), both["grads"]
        (9.0, {'w:0': <tf.Tensor: shape=(), dtype=float32, numpy=6.0>})
    """
    with GradientTape() as tape:
        value = f()
    variables = tape.watched_variables() if var_list is None else tuple(var_list)
    if value.aval.shape != ():
        raise ValueError(f"variable_grads: f must return a scalar, got shape {value.shape}")
    found = tape.gradient(value, variables)
    grads = {v.name: dense(g) for v, g in zip(variables, found, strict=True)}
    return {"value": value, "grads": grads}
