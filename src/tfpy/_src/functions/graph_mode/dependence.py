"""Dependences of tensors of a graph on each other, for gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.core.sizes import Sizes
from tfpy._src.functions.graph_mode.operation import Operation

_STOPS = frozenset(("stop_gradient", "argmax", "argmin", "one_hot", "gradients_of"))


def reaches(
    operations: Sequence[Operation], x: Any, ys: Sequence[Any], stops: Sequence[Any]
) -> bool:
    """Return True if a gradient flows from one of `ys` to `x`."""
    reached, stopped = {id(x)}, set(map(id, stops))
    for op in operations:
        if op.assigned or getattr(op.function, "__name__", "") in _STOPS:
            continue
        if any(id(source) in reached for source in (*op.sources, *op.captured)):
            reached |= {
                id(t) for t in op.outputs if t.dtype.is_differentiable and id(t) not in stopped
            }
    return any(id(y) in reached for y in ys)


def dependents(operations: Sequence[Operation], xs: Sequence[Any]) -> set[int]:
    """Return the numbers of the operations that depend on tensors or Variables."""
    reached = set(map(id, xs))
    found = set()
    for op in operations:
        if any(id(source) in reached for source in (*op.sources, *op.captured)):
            found.add(op.number)
            reached |= set(map(id, op.outputs))
    return found


def compute_from(operations: Sequence[Operation], xs: Sequence[Any]) -> None:
    """Let runs compute the tensors that depend on `xs`, even if their values are known."""
    found = dependents(operations, xs)
    for op in operations:
        if op.number in found:
            for output in op.outputs:
                output.known = output.known if isinstance(output.known, Sizes) else None
