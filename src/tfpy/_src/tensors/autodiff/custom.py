"""Functions with custom gradients: `tf.custom_gradient`, `tf.recompute_grad` and others."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import convert_to_tensor, is_operand, offers_tensor
from tfpy._src.core.indexed_slices import IndexedSlices, dense
from tfpy._src.core.operand import Operand
from tfpy._src.core.tape import Entry, Tape
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.autodiff.nests import leaves, map_leaves
from tfpy._src.tensors.autodiff.unconnected import UnconnectedGradients
from tfpy._src.tensors.variables.variable import Variable


class _Reads(Tape):
    """A tape that records which trainable Variables are read."""

    def __init__(self) -> None:
        super().__init__()
        self.variables: list[Variable] = []

    def on_read(self, variable: Variable) -> None:
        if variable.trainable and not any(v is variable for v in self.variables):
            self.variables.append(variable)


@contextmanager
def _reads() -> Iterator[_Reads]:
    watcher = _Reads()
    tapes.activate(watcher)
    try:
        yield watcher
    finally:
        tapes.local.active[:] = [t for t in tapes.local.active if t is not watcher]


@contextmanager
def _unrecorded() -> Iterator[None]:
    """Disable all tapes, but still record which Variables are read."""
    saved = tapes.local.active[:]
    tapes.local.active[:] = [t for t in saved if isinstance(t, _Reads)]
    try:
        yield
    finally:
        tapes.local.active[:] = saved


def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Decorate a function to replace its automatic gradient by one that you compute.

    This is useful if the automatic gradient is inaccurate or does not exist. If `f` reads trainable
    Variables that are not among its arguments, `grad_fn` must also accept the keyword argument
    `variables`, a list of these Variables. It then returns a pair: the gradients with respect to
    the arguments, and a list of the gradients with respect to the Variables.

    Args:
        f: Function that takes tensors and returns a pair `(outputs, grad_fn)`. `grad_fn` is called
            with one gradient for each output, and returns one gradient for each argument of `f`.
            If `f` is None, the decorator itself is returned.

    Returns:
        Function that takes the arguments of `f` and returns `outputs`. Its gradient is computed by
        `grad_fn`.

    Raises:
        TypeError: If `f` reads Variables and `grad_fn` does not accept `variables`.
        ValueError: If `grad_fn` does not return one gradient for each argument. The error is raised
            when the gradient is computed.

    Example:
        >>> import tfpy as tf
        >>> @tf.custom_gradient
        ... def log1pexp(x):
        ...     e = tf.exp(x)
        ...     return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))
        >>> x = tf.constant(100.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = log1pexp(x)
        >>> tape.gradient(y, x).numpy().tolist()  # without the decorator, this is NaN
        1.0

    See also: `tf.GradientTape`, `tf.stop_gradient`, `tf.recompute_grad`.
    """
    if f is None:
        return custom_gradient
    name = getattr(f, "__name__", "custom")

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        graph = tracing.active_graph()
        if graph is not None:
            return graph.record(wrapped, args, kwargs)  # one operation
        if tracing.current() is not None:
            args = map_leaves(args, _value)  # TensorFlow passes tensors to `f` while tracing
        given = leaves(args)
        with _reads() as reads:
            result, grad_fn = f(*args, **kwargs)
        variables = [v for v in reads.variables if not any(v is a for a in given)]
        if variables and not _takes_variables(grad_fn):
            raise TypeError(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since "
                f"{name} uses variables: {[v.name for v in variables]}"
            )
        inputs = tuple(convert_to_tensor(x) for x in (*given, *variables))
        computed = [convert_to_tensor(t) for t in leaves(result)]
        backward = _backward(grad_fn, computed, len(given), variables)
        remaining = iter(recorded(name, computed, inputs, backward))
        return map_leaves(result, lambda _: next(remaining))

    return wrapped


def recorded(
    name: str,
    results: Sequence[Tensor],
    inputs: tuple[Tensor, ...],
    backward: Callable[..., Sequence[Any]],
) -> Sequence[Tensor]:
    """Return results with a gradient that tapes compute by a backward function.

    Args:
        name: Name of the computation on tapes.
        results: Tensors that were computed from `inputs`.
        inputs: Tensors to which gradients flow.
        backward: Function that takes the results' gradients and returns the inputs' gradients.

    Returns:
        Tensors with the values of `results`.
    """
    outputs = _with_gradient(results, inputs, backward)
    entry = Entry(name, inputs, tuple(outputs), backward, takes_slices=True)
    for tape in tapes.local.active:
        for tensor, output in zip(results, outputs, strict=True):
            tape.on_custom(tensor, output)
        tape.record(entry)
    return outputs


def _value(x: Any) -> Any:
    """Convert tensor-like objects, such as Variables, to tensors; keep other objects."""
    return convert_to_tensor(x) if isinstance(x, Operand) or offers_tensor(x) else x


def _with_gradient(
    results: Sequence[Tensor], inputs: Sequence[Tensor], backward: Callable[..., Sequence[Any]]
) -> Sequence[Tensor]:
    """Return tensors with the same values, which tapes do not connect with `results`."""
    trace = tracing.current()
    if trace is None or all(type(t) is Tensor for t in (*results, *inputs)):
        return [t.alias() for t in results]
    found: Sequence[Tensor] = trace.custom(results, inputs, backward)
    return found


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    """Return True if a gradient function accepts the keyword argument `variables`."""
    parameters = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _backward(
    grad_fn: Callable[..., Any],
    outputs: Sequence[Tensor],
    count: int,
    variables: Sequence[Variable],
) -> Callable[..., Sequence[Any]]:
    """Return the backward function of a tape entry.

    It returns the gradients of `count` inputs and of the Variables.
    """

    def backward(*flowing: Any) -> Sequence[Any]:
        filled = [
            zeros(t.aval.shape, t.dtype) if g is None else g
            for g, t in zip(flowing, outputs, strict=True)
        ]
        own: Sequence[Any] = ()
        if variables:
            found, own = grad_fn(*filled, variables=list(variables))
        else:
            found = grad_fn(*filled)
        grads = leaves(found)
        if len(grads) != count:
            raise ValueError(
                f"custom_gradient: {count} inputs but the gradient function returned "
                f"{len(grads)} gradients"
            )
        if len(own) != len(variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn: "
                f"{len(variables)} variables, {len(own)} gradients"
            )
        return [_taken(g) for g in (*grads, *own)]

    return backward


def _taken(gradient: Any) -> Any:
    """Return a gradient as a tensor, indexed slices or None."""
    kept = gradient is None or isinstance(gradient, IndexedSlices)
    return gradient if kept else convert_to_tensor(gradient)


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that its intermediate results are recomputed for the gradient.

    This saves memory, because the intermediate results are not kept until the gradient is computed.
    In exchange, `f` is called a second time when the gradient is computed.

    Args:
        f: Function that takes tensors and returns a tensor or a nested structure (list, tuple or
            dict) of tensors.

    Returns:
        Function with the same arguments and results as `f`.

    Example:
        >>> import tfpy as tf
        >>> layer = tf.recompute_grad(lambda x: tf.square(tf.square(x)))
        >>> x = tf.constant(2.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = layer(x)
        >>> tape.gradient(y, x).numpy().tolist()
        32.0

    See also: `tf.custom_gradient`, `tf.GradientTape`.
    """

    @custom_gradient
    def forward(*args: Any, **kwargs: Any) -> Any:
        inputs = map_leaves(args, convert_to_tensor)
        with _unrecorded():
            result = f(*inputs, **kwargs)

        def grad_fn(*upstream: Any, variables: Sequence[Variable] = ()) -> Any:
            with GradientTape() as tape:
                tape.watch(inputs)
                again = f(*inputs, **kwargs)
            found = tape.gradient(
                leaves(again),
                [*leaves(inputs), *variables],
                list(upstream),
                UnconnectedGradients.ZERO,
            )
            found = [dense(g) for g in found]
            count = len(leaves(inputs))
            return (found[:count], found[count:]) if variables else found

        return result, grad_fn

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return forward(*args, **kwargs)

    return wrapped


def custom_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function to replace its automatic gradient by one that you compute.

    Equivalent to `tf.customGrad` in TensorFlow.js.

    Args:
        f: Function `f(*tensors, save)` that returns a dictionary with the keys `value`, the result
            as a tensor, and `grad_func`, the gradient function. `f` can call `save(tensors)` with a
            list of tensors that the gradient function needs. `grad_func(dy, saved)` takes the
            gradient of `value` and the list of saved tensors, and returns the gradient of each
            input.

    Returns:
        Function that takes the tensors and returns `value`. Its gradient is computed by
        `grad_func`.

    Raises:
        TypeError: If an argument of the returned function is not a tensor.

    Example:
        >>> import tfpy as tf
        >>> @tf.custom_grad
        ... def clipped(x, save):
        ...     save([x])
        ...     slope = lambda dy, saved: dy * tf.minimum(2 * saved[0], 1.0)
        ...     return {"value": x * x, "grad_func": slope}
        >>> tf.grad(clipped)(tf.constant(3.0)).numpy().tolist()
        1.0

    See also: `tf.custom_gradient`, `tf.grad`.
    """

    @custom_gradient
    def forward(*inputs: Any) -> Any:
        saved: list[Any] = []
        result: Mapping[str, Any] = f(*inputs, saved.extend)
        return result["value"], lambda dy: result["grad_func"](dense(dy), saved)

    def wrapped(*inputs: Any) -> Any:
        for x in inputs:
            if not is_operand(x):
                raise TypeError(f"custom_grad: inputs must be tensors, got {x!r}")
        return forward(*inputs)

    return wrapped


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that its gradient is the gradient of the identity.

    Gradients then pass through the function unchanged, which is useful for functions without a
    useful gradient, such as `tf.round`.

    Args:
        f: Function that takes tensors and returns as many tensors, of the same shapes.

    Returns:
        Function with the same arguments and results as `f`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant(1.7)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = tf.grad_pass_through(tf.round)(x)
        >>> y.numpy().tolist(), tape.gradient(y, x).numpy().tolist()
        (2.0, 1.0)

    See also: `tf.custom_gradient`, `tf.stop_gradient`.
    """

    @custom_gradient
    def passing(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Sequence[Variable] = ()) -> Any:
            return (upstream, [None] * len(variables)) if variables else upstream

        return f(*args, **kwargs), grad

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return passing(*args, **kwargs)

    return wrapped
