"""`tf.RegisterGradient`: gradients of a program for operations of a graph."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tfpy._src.base import tracing
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.nests import leaves, mapped
from tfpy._src.tensors.autodiff.custom import custom_gradient

Gradient = TypeVar("Gradient", bound=Callable[..., Any])

_gradients: dict[str, Callable[..., Any]] = {"Identity": lambda op, *grads: grads}


class RegisterGradient:
    """A decorator that registers a function as the gradient of a type of operations.

    Inside `with graph.gradient_override_map({"Relu": "MyRelu"}):`, operations of the type `Relu`
    get the gradient that is registered as `MyRelu`. Gradients of `tf.function` and eager code are
    replaced with `tf.custom_gradient` or `tf.register_gradient`.

    Args:
        op_type: Name of the gradient. It must not be registered yet.

    Raises:
        TypeError: If `op_type` is not a string.

    Example:
        >>> import tfpy as tf
        >>> @tf.RegisterGradient("TenTimes")
        ... def ten_times(op, grad):
        ...     return 10.0 * grad
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(2.0)
        ...     with graph.gradient_override_map({"Identity": "TenTimes"}):
        ...         y = tf.identity(x)
        ...     slope = tf.gradients(y, x)[0]
        >>> with tf.compat.v1.Session(graph=graph) as sess:
        ...     print(sess.run(slope))
        10.0

    See also: `tf.custom_gradient`, `tf.register_gradient`.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Gradient) -> Gradient:
        """Register a gradient and return it.

        Args:
            f: Function of the operation and the gradients of its results. It returns one gradient
                for each tensor that the operation reads, or None. The operation has the attributes
                `type`, `inputs` and `outputs`.

        Returns:
            The function `f`.

        Raises:
            KeyError: If a gradient with this name is registered.
        """
        if self._op_type in _gradients:
            raise KeyError(f"Registering two gradient with name '{self._op_type}'!")
        _gradients[self._op_type] = f
        return f


def no_gradient(op_type: str) -> None:
    """Register the gradient None for a type of operations.

    Args:
        op_type: Name of the gradient. It must not be registered yet.

    Raises:
        KeyError: If a gradient with this name is registered.
        TypeError: If `op_type` is not a string.

    Example:
        >>> import tfpy as tf
        >>> tf.no_gradient("SizeOfPage")

    See also: `tf.RegisterGradient`, `tf.stop_gradient`.
    """
    RegisterGradient(op_type)(_no_gradient)


def _no_gradient(op: OperationCall, *grads: Any) -> list[None]:
    return [None] * len(op.inputs)


@dataclass(frozen=True)
class OperationCall:
    """A call of an operation, as the function that computes its gradient sees it."""

    type: str
    inputs: tuple[Tensor, ...]
    outputs: list[Tensor] = field(default_factory=list)


class Overriding:
    """The part of a graph that replaces gradients of its operations."""

    overrides: Mapping[str, str] = {}
    """Names of registered gradients by the types of operations."""

    @contextmanager
    def gradient_override_map(self, op_type_map: Mapping[str, str]) -> Iterator[None]:
        """Return a context manager in which operations get registered gradients.

        Args:
            op_type_map: Dictionary from types of operations, such as `"Relu"`, to names of
                gradients that are registered with `tf.RegisterGradient`.

        Returns:
            A context manager.

        Raises:
            NotImplementedError: If a `tf.function` is being traced.
            TypeError: If `op_type_map` is not a dictionary of strings.
        """
        items = op_type_map.items() if isinstance(op_type_map, dict) else [(None, None)]
        if not all(isinstance(x, str) for item in items for x in item):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        trace = tracing.current()
        if trace is not None and not trace.is_graph:
            raise NotImplementedError(
                "gradient_override_map is not supported in a tf.function. Compute the operation "
                "in a function with the decorator tf.custom_gradient instead."
            )
        saved, self.overrides = self.overrides, {**self.overrides, **op_type_map}
        try:
            yield
        finally:
            self.overrides = saved

    def overridden(self, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function of an operation, with the gradient for its type if there is one."""
        if kind not in self.overrides:
            return function
        return functools.wraps(function)(_with_gradient(kind, function, self.overrides[kind]))


def _with_gradient(kind: str, function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        given = [list(args), dict(kwargs)]
        tensors = [convert_to_tensor(x) for x in leaves(given) if is_operand(x)]

        @custom_gradient
        def run(*tensors: Tensor) -> Any:
            remaining = iter(tensors)
            positional, named = mapped(given, lambda x: next(remaining) if is_operand(x) else x)
            result = function(*positional, **named)
            outputs = [x for x in leaves(result) if isinstance(x, Tensor)]
            op = OperationCall(kind, tensors, outputs)
            return result, lambda *grads: _computed(op, name, grads)

        return run(*tensors) if tensors else function(*args, **kwargs)

    return call


def _computed(op: OperationCall, name: str, grads: Sequence[Any]) -> Any:
    """Return the registered gradient of a call.

    Raises:
        LookupError: If no gradient with the name is registered.
    """
    if name not in _gradients:
        raise LookupError(
            f"No gradient is registered with the name {name!r}, which gradient_override_map names "
            f"for operations of the type {op.type}. Register it with tf.RegisterGradient({name!r})."
        )
    return _gradients[name](op, *grads)
