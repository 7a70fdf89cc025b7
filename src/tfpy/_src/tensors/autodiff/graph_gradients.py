"""``tf.gradients`` and ``tf.hessians``: derivatives of what a function has traced so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tape import Entry, backpropagate
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import ones_like, zeros
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.autodiff.gradient_tape import UnconnectedGradients
from tfpy._src.tensors.autodiff.nests import held
from tfpy._src.tensors.variables.variable import Variable


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradients of the (summed) ``ys`` with respect to each of ``xs``, within ``tf.function``.

    Args:
        grad_ys: what flows into each of ``ys`` instead of ones.
        stop_gradients: tensors that count as constants.
        unconnected_gradients: None or zeros for those without influence.
        gate_gradients, aggregation_method: of no effect.

    Raises:
        RuntimeError: outside of ``tf.function``; use GradientTape there.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def slope(x):
        ...     return tf.gradients(x * x, x)
        >>> [g.numpy().tolist() for g in slope(tf.constant(3.0))]
        [6.0]
    """
    sources = [_source(x) for x in nest.flatten(xs)]
    targets = [convert_to_tensor(y) for y in nest.flatten(ys)]
    given = [None] * len(targets) if grad_ys is None else nest.flatten(grad_ys)
    seeds = [
        (y, ones_like(y) if g is None else convert_to_tensor(g))
        for y, g in zip(targets, given, strict=True)
    ]
    stops = [convert_to_tensor(t) for t in nest.flatten(stop_gradients or [])]
    entries, watched = _dependent(_entries("gradients"), sources, {t.identity for t in stops})
    found = backpropagate(entries, watched, seeds)
    kind = UnconnectedGradients(getattr(unconnected_gradients, "value", unconnected_gradients))
    filled = kind is UnconnectedGradients.ZERO
    return [
        found.get(x.identity, zeros(x.aval.shape, x.dtype) if filled else None) for x in sources
    ]


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Tensor]:
    """The second derivatives of the (summed) ``ys`` by each of ``xs``, within ``tf.function``.

    Returns:
        For each ``x`` a tensor ``[*x.shape, *x.shape]``.

    Raises:
        RuntimeError: outside of ``tf.function``; use two GradientTapes there.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def curvature(x):
        ...     return tf.hessians(tf.reduce_sum(x**3), x)
        >>> curvature(tf.constant([1.0, 2.0]))[0].numpy().tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """
    _entries("hessians")
    return [_hessian(ys, _source(x)) for x in nest.flatten(xs)]


def _hessian(ys: Any, x: Tensor) -> Tensor:
    (slope,) = gradients(ys, x, unconnected_gradients="zero")
    flat = reshape(slope, [-1])
    rows = [gradients(take(flat, i), x, unconnected_gradients="zero")[0] for i in range(x.size)]
    return reshape(stack(rows), [*x.shape, *x.shape])


def _source(x: Any) -> Tensor:
    """Return the tensor to differentiate with respect to: all readings of a Variable are its first
    value's."""
    leaf, trace = held(x), tracing.current()
    if trace is not None and isinstance(leaf, Variable):
        first: Tensor = trace.first_value(leaf.origin)
        return first
    return convert_to_tensor(leaf)


def _entries(function: str) -> Sequence[Entry]:
    """What the trace that is being taken has recorded."""
    trace = tracing.current()
    if trace is None:
        raise RuntimeError(
            f"tf.{function} is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead."
        )
    return trace.recorder.entries[:]


def _dependent(
    entries: Sequence[Entry], sources: Sequence[Tensor], stops: set[int]
) -> tuple[list[Entry], set[int]]:
    """The entries that depend on sources other than through ``stops``, and what does, too."""
    watched = {t.identity for t in sources}
    found = []
    for entry in entries:
        if stops.isdisjoint(t.identity for t in entry.outputs) and any(
            t.identity in watched for t in entry.inputs
        ):
            watched.update(t.identity for t in entry.outputs)
            found.append(entry)
    return found, watched
