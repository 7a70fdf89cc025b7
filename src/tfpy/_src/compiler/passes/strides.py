"""The layout of an array that was reshaped, transposed and repeated, relative to its source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.strides import dense_strides
from tfpy._src.compiler.ops.indexing import gather
from tfpy._src.compiler.ops.movement import broadcast_to, reshape, transpose

Walk = tuple[tuple[int, int], ...]
"""Sizes and strides of the loops along a dimension, the outermost first."""


REARRANGING = (reshape, transpose)
"""Ops that a chain may contain in addition to ops that preserve shapes."""

REPEATING = (broadcast_to, gather)
"""Ops that a chain may also contain if elements may be repeated."""


def dense(shape: Shape) -> tuple[Walk, ...]:
    """Return the walk of each dimension of a dense array."""
    return regrouped(zip(shape, dense_strides(shape), strict=True), shape) or ()


def regrouped(loops: Iterable[tuple[int, int]], shape: Sequence[int]) -> tuple[Walk, ...] | None:
    """Regroup loops by the dimensions of `shape`, which has the same number of elements.

    Example: ``regrouped([(8, 64), (64, 1)], [8, 4, 16])`` is ``(((8, 64),), ((4, 16),), ((16,
    1),))``. The result is None if a loop would have to be cut unevenly.
    """
    rest = [loop for loop in loops if loop[0] != 1]
    found: list[Walk] = []
    for n in reversed(shape):
        own: list[tuple[int, int]] = []
        while n > 1:
            size, stride = rest.pop()
            taken = min(n, size)
            if n % taken or size % taken:
                return None
            own.insert(0, (taken, stride))
            if size > taken:
                rest.append((size // taken, stride * taken))
            n //= taken
        found.insert(0, _joined(own))
    return tuple(found)


def _joined(walk: Sequence[tuple[int, int]]) -> Walk:
    """Join consecutive contiguous loops."""
    found: list[tuple[int, int]] = []
    for size, stride in walk:
        if found and found[-1][1] == size * stride:
            size *= found.pop()[0]
        found.append((size, stride))
    return tuple(found)


def stride_of(walk: Walk) -> int | None:
    """Return the stride of a walk: 0 for a single element, None if it has several strides."""
    if len(walk) > 1:
        return None
    return walk[0][1] if walk else 0


def walks_within(graph: Graph, source: int, chain: Sequence[Eqn]) -> tuple[Walk, ...] | None:
    """Return the walk of each dimension of a chain's last value in `source`.

    Args:
        chain: Reshapes, transposes and repetitions of each other, in order. Its other ops preserve
            shapes.
    """
    walks = dense(graph.avals[source].shape)
    for eqn in chain:
        if eqn.op is transpose:
            walks = tuple(walks[axis] for axis in dict(eqn.attrs)["perm"])
        elif eqn.op is broadcast_to:
            before, after = (graph.avals[v].shape for v in (*eqn.inputs, *eqn.outputs))
            walks = spread(walks, before, after)
        elif eqn.op in (reshape, gather):
            shape = graph.avals[eqn.outputs[0]].shape
            found = (
                regrouped(_loops(walks), shape) if eqn.op is reshape else _taken(graph, eqn, walks)
            )
            if found is None:
                return None
            walks = found
    return walks


def spread(walks: Sequence[Walk], shape: Shape, target: Shape) -> tuple[Walk, ...]:
    """Return the walks of an array of a shape that is broadcast to another shape."""
    missing = len(target) - len(shape)
    pairs = zip(walks, shape, target[missing:], strict=True)
    own = (walk if n == size else ((size, 0),) for walk, n, size in pairs)
    return (*(((size, 0),) for size in target[:missing]), *own)


def _taken(graph: Graph, eqn: Eqn, walks: tuple[Walk, ...]) -> tuple[Walk, ...] | None:
    """Return the walks if each element along an axis was repeated equally often, else None."""
    attrs = dict(eqn.attrs)
    axis, indices = attrs["axis"], graph.constants.get(eqn.inputs[1])
    n = graph.avals[eqn.inputs[0]].shape[axis]
    if indices is None or attrs["batch_dims"] or not n or indices.size % n:
        return None
    times = indices.size // n
    if indices.shape != (n * times,) or (indices != np.repeat(np.arange(n), times)).any():
        return None
    return (*walks[:axis], (*walks[axis], (times, 0)), *walks[axis + 1 :])


def walks_into(graph: Graph, chain: Sequence[Eqn], result: int) -> tuple[Walk, ...] | None:
    """Return the walk of each dimension of a chain's first value in the last one.

    The chain consists of reshapes and transposes.
    """
    walks = dense(graph.avals[result].shape)
    for eqn in reversed(chain):
        if eqn.op is transpose:
            placed = dict(zip(dict(eqn.attrs)["perm"], walks, strict=True))
            walks = tuple(placed[axis] for axis in range(len(placed)))
        else:
            found = regrouped(_loops(walks), graph.avals[eqn.inputs[0]].shape)
            if found is None:
                return None
            walks = found
    return walks


def _loops(walks: Sequence[Walk]) -> list[tuple[int, int]]:
    return [loop for walk in walks for loop in walk]
