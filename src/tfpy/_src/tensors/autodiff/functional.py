"""Gradients of functions: `tf.grad` and related functions of TensorFlow.js."""

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
    """Return a function that computes the value and the gradients of a function.

    Equivalent to `tf.valueAndGrads` in TensorFlow.js.

    Args:
        f: Function that takes tensors and returns a tensor.

    Returns:
        Function `g(args, dy=None)` that takes a list of arguments and returns a dictionary: `value`
        is the tensor `f(*args)`, and `grads` is a list with one gradient for each argument. `dy` is
        a tensor of the shape of the value, by which the gradients of its elements are multiplied.
        Default: ones.

    Raises:
        ValueError: If the value does not depend on every argument. The error is raised by `g`.

    Example:
        >>> import tfpy as tf
        >>> both = tf.value_and_grads(lambda x, y: x * y)([3.0, 5.0])
        >>> both["value"].numpy().tolist(), [g.numpy().tolist() for g in both["grads"]]
        (15.0, [5.0, 3.0])

    See also: `tf.grads`, `tf.value_and_grad`, `tf.GradientTape`.
    """

    def g(args: Sequence[Any], dy: Any = None) -> dict[str, Any]:
        inputs = [identity(a) for a in args]  # one tensor may be passed twice
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
    """Return a function that computes the value and the gradient of a function.

    Equivalent to `tf.valueAndGrad` in TensorFlow.js.

    Args:
        f: Function that takes a tensor and returns a tensor.

    Returns:
        Function `g(x, dy=None)` that returns a dictionary: `value` is the tensor `f(x)`, and `grad`
        is its gradient with respect to `x`. `dy` is a tensor of the shape of the value, by which
        the gradients of its elements are multiplied. Default: ones.

    Raises:
        ValueError: If the value does not depend on `x`. The error is raised by `g`.

    Example:
        >>> import tfpy as tf
        >>> both = tf.value_and_grad(lambda x: x * x)(tf.constant(3.0))
        >>> both["value"].numpy().tolist(), both["grad"].numpy().tolist()
        (9.0, 6.0)

    See also: `tf.grad`, `tf.value_and_grads`, `tf.GradientTape`.
    """
    both = value_and_grads(f)

    def g(x: Any, dy: Any = None) -> dict[str, Any]:
        result = both([x], dy)
        return {"value": result["value"], "grad": result["grads"][0]}

    return g


def grads(f: Callable[..., Any]) -> Callable[..., list[Tensor]]:
    """Return a function that computes the gradients of a function.

    Equivalent to `tf.grads` in TensorFlow.js.

    Args:
        f: Function that takes tensors and returns a tensor.

    Returns:
        Function `g(args, dy=None)` that takes a list of arguments and returns a list with one
        gradient for each argument. `dy` is a tensor of the shape of the value, by which the
        gradients of its elements are multiplied. Default: ones.

    Raises:
        ValueError: If the value does not depend on every argument. The error is raised by `g`.

    Example:
        >>> import tfpy as tf
        >>> dx, dy = tf.grads(lambda x, y: x * x * y)([3.0, 5.0])
        >>> dx.numpy().tolist(), dy.numpy().tolist()
        (30.0, 9.0)

    See also: `tf.grad`, `tf.value_and_grads`, `tf.GradientTape`.
    """
    both = value_and_grads(f)
    return lambda args, dy=None: list(both(args, dy)["grads"])


def grad(f: Callable[[Any], Any]) -> Callable[..., Tensor]:
    """Return a function that computes the gradient of a function.

    Equivalent to `tf.grad` in TensorFlow.js.

    Args:
        f: Function that takes a tensor and returns a tensor.

    Returns:
        Function `g(x, dy=None)` that returns the gradient of `f` with respect to `x`. `dy` is a
        tensor of the shape of the value, by which the gradients of its elements are multiplied.
        Default: ones.

    Raises:
        ValueError: If the value does not depend on `x`. The error is raised by `g`.

    Example:
        >>> import tfpy as tf
        >>> print(tf.grad(lambda x: x * x)(tf.constant(3.0)).numpy())
        6.0

    See also: `tf.grads`, `tf.value_and_grad`, `tf.GradientTape`.
    """
    both = value_and_grads(f)
    return lambda x, dy=None: both([x], dy)["grads"][0]


def variable_grads(
    f: Callable[[], Any], var_list: Sequence[Variable] | None = None
) -> dict[str, Any]:
    """Compute the value of a function and its gradients with respect to Variables.

    Equivalent to `tf.variableGrads` in TensorFlow.js.

    Args:
        f: Function without arguments that returns a scalar.
        var_list: Variables to differentiate with respect to. Default: all trainable Variables that
            `f` reads.

    Returns:
        Dictionary with two keys. `value` is the scalar that `f` returns. `grads` is a dictionary
        from the name of each Variable to its gradient, or to None if the value does not depend on
        the Variable.

    Raises:
        ValueError: If `f` does not return a scalar.

    Example:
        >>> import tfpy as tf
        >>> w = tf.Variable(3.0, name="w")
        >>> both = tf.variable_grads(lambda: w * w, [w])
        >>> both["value"].numpy().tolist(), both["grads"]["w:0"].numpy().tolist()
        (9.0, 6.0)

    See also: `tf.grad`, `tf.GradientTape`.
    """
    with GradientTape() as tape:
        value = f()
    variables = tape.watched_variables() if var_list is None else tuple(var_list)
    if value.aval.shape != ():
        raise ValueError(f"variable_grads: f must return a scalar, got shape {value.shape}")
    found = tape.gradient(value, variables)
    grads = {v.name: dense(g) for v, g in zip(variables, found, strict=True)}
    return {"value": value, "grads": grads}
