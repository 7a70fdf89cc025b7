"""`tf.gradients` and `tf.hessians`: derivatives of the ops that a function has traced so far."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core import nest, tape as tapes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tape import Entry, backpropagate
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import ones_like, zeros, zeros_like
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.autodiff.nests import held, leaves, map_leaves
from tfpy._src.tensors.autodiff.unconnected import UnconnectedGradients
from tfpy._src.tensors.variables.variable import Variable


class AggregationMethod:
    """The ways in which TensorFlow adds gradients of a tensor that is used several times.

    In tfpy the choice has no effect: the gradients are added when they are computed.

    Attributes:
        ADD_N: Add all gradients at once.
        DEFAULT: The default, `ADD_N`.
        EXPERIMENTAL_TREE: Add pairs of gradients.
        EXPERIMENTAL_ACCUMULATE_N: The same as `EXPERIMENTAL_TREE`.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def slope(x):
        ...     y = x * x + x
        ...     method = tf.AggregationMethod.EXPERIMENTAL_TREE
        ...     return tf.gradients(y, x, aggregation_method=method)
        >>> slope(tf.constant(3.0))[0].numpy().tolist()
        7.0

    See also: `tf.gradients`.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def gradients(
    ys: Nest,
    xs: Nest,
    grad_ys: Nest = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Nest = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """Compute the gradients of the sum of `ys` with respect to each of `xs` in a `tf.function`.

    Args:
        ys: Tensor, or nested structure (list, tuple or dict) of tensors.
        xs: Tensor, Variable, or nested structure of them.
        grad_ys: Weights by which the gradients of `ys` are multiplied, in the structure and shapes
            of `ys`. Default: ones.
        gate_gradients, aggregation_method: Has no effect.
        stop_gradients: Tensors that are treated as constants. Default: none.
        unconnected_gradients: Gradient of a source that `ys` do not depend on. `"none"` (default)
            returns None for it, and `"zero"` returns zeros.

    Returns:
        List of gradients, one for each of `xs`. Each gradient is a tensor with the shape and dtype
        of its source, or None. If the source was only used by `tf.gather` along axis 0 or
        `tf.nn.embedding_lookup`, its gradient is a `tf.IndexedSlices` instead.

    Raises:
        RuntimeError: If the call is not inside a `tf.function`. Use `tf.GradientTape` outside.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def slope(x):
        ...     return tf.gradients(x * x, x)
        >>> [g.numpy().tolist() for g in slope(tf.constant(3.0))]
        [6.0]

    See also: `tf.GradientTape`, `tf.hessians`.
    """
    graph = tracing.active_graph()
    if graph is not None:
        found: list[Any] = graph.gradients(
            gradients, ys, xs, grad_ys, stop_gradients, unconnected_gradients, name
        )
        return found
    sources = [_source(x) for x in nest.flatten(xs)]
    targets = [convert_to_tensor(y) for y in nest.flatten(ys)]
    given = [None] * len(targets) if grad_ys is None else nest.flatten(grad_ys)
    seeds = [
        (y, ones_like(y) if g is None else convert_to_tensor(g))
        for y, g in zip(targets, given, strict=True)
    ]
    stops = [convert_to_tensor(t) for t in nest.flatten(stop_gradients or [])]
    entries, watched = _dependent(_entries("gradients"), sources, {t.identity for t in stops})
    slopes = backpropagate(entries, watched, seeds)
    kind = UnconnectedGradients(getattr(unconnected_gradients, "value", unconnected_gradients))
    filled = kind is UnconnectedGradients.ZERO
    return [
        slopes.get(x.identity, zeros(x.aval.shape, x.dtype) if filled else None) for x in sources
    ]


def in_graph(
    target: Any,
    sources: Any,
    output_gradients: Any,
    unconnected: UnconnectedGradients,
    watches: Callable[[Any], bool],
) -> Any:
    """Return the gradients of a tape in a graph of TensorFlow 1, whose operations are the record.

    Args:
        target: Tensor of the graph, or a nest.
        sources: Tensor, Variable, or a nest.
        output_gradients: Weights of the gradients of the targets, or None.
        unconnected: Gradient of a source that the target does not depend on.
        watches: Function that returns True for a source that the tape watches.
    """
    flat = [s for s in leaves(sources) if watches(s)]
    found = iter(
        gradients(target, flat, output_gradients, unconnected_gradients=unconnected) if flat else ()
    )
    fill = unconnected is UnconnectedGradients.ZERO
    return map_leaves(
        sources, lambda s: next(found) if watches(s) else (zeros_like(s) if fill else None)
    )


def hessians(
    ys: Nest,
    xs: Nest,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Tensor]:
    """Compute the second derivatives of the sum of `ys` with respect to each of `xs`.

    The call must be inside a `tf.function` or a `tf.Graph`.

    Args:
        ys: Tensor, or nested structure (list, tuple or dict) of tensors.
        xs: Tensor, Variable, or nested structure of them. In a graph their shapes must be known.
        gate_gradients, aggregation_method: Has no effect.

    Returns:
        List of tensors, one of shape `[*x.shape, *x.shape]` for each of `xs`.

    Raises:
        RuntimeError: If the call is not inside a `tf.function`. Use two nested `tf.GradientTape`
            objects outside.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def curvature(x):
        ...     return tf.hessians(tf.reduce_sum(x**3), x)
        >>> curvature(tf.constant([1.0, 2.0]))[0].numpy().tolist()
        [[6.0, 0.0], [0.0, 12.0]]

    See also: `tf.gradients`, `tf.GradientTape`.
    """
    graph = tracing.active_graph()
    if graph is None:
        _entries("hessians")
        return [_hessian(ys, _source(x), operator.call) for x in nest.flatten(xs)]

    def record(function: Callable[..., Tensor], *args: Any) -> Any:
        return graph.record(function, args, {}, name)

    return [_hessian(ys, x, record) for x in nest.flatten(xs)]


def _hessian(ys: Any, x: Any, call: Callable[..., Any]) -> Tensor:
    """Return one matrix of second derivatives. `call` calls a function, or records it."""
    shape = x.shape.as_list()
    (slope,) = gradients(ys, x, unconnected_gradients="zero")
    rows = []
    for i in range(math.prod(shape)):
        element = call(lambda slope, i: take(reshape(slope, [-1]), i), slope, i)
        rows += gradients(element, x, unconnected_gradients="zero")
    return call(lambda *rows: reshape(stack(rows), [*shape, *shape]), *rows)


def _source(x: Any) -> Tensor:
    """Return the tensor to differentiate with respect to.

    For a Variable this is its first value in the trace, which all its readings share.
    """
    leaf, trace = held(x), tracing.current()
    if trace is not None and isinstance(leaf, Variable):
        first: Tensor = trace.first_value(leaf.origin)
        return first
    return convert_to_tensor(leaf)


def _entries(function: str) -> Sequence[Entry]:
    """Return the entries that the active trace has recorded."""
    trace = tracing.current()
    if trace is None and tapes.local.active and tapes.local.active[-1].is_complete:
        return tapes.local.active[-1].entries[:]
    if trace is None:
        raise RuntimeError(
            f"tf.{function} is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead."
        )
    return trace.recorder.entries[:]


def _dependent(
    entries: Sequence[Entry], sources: Sequence[Tensor], stops: set[int]
) -> tuple[list[Entry], set[int]]:
    """Return the entries that depend on the sources, and the identities of the dependent tensors.

    Dependences through `stops` do not count.
    """
    watched = {t.identity for t in sources}
    found = []
    for entry in entries:
        if stops.isdisjoint(t.identity for t in entry.outputs) and any(
            t.identity in watched for t in entry.inputs
        ):
            watched.update(t.identity for t in entry.outputs)
            found.append(entry)
    return found, watched
