"""The backward slice of a Graph: the equations on which values depend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tfpy._src.compiler.ir.graph import Eqn


def slice_of(
    eqns: Sequence[Eqn],
    values: Iterable[int],
    effects: bool = False,
    reduced: Callable[[Eqn, set[int]], Eqn] = lambda eqn, needed: eqn,
) -> tuple[list[Eqn], set[int]]:
    """Return the equations on which values depend, in order, and all values of these.

    Args:
        effects: If True, include equations of stateful ops and their dependencies.
        reduced: Function that reduces such an equation, given the values that are needed after it.
    """
    needed = set(values)
    kept: list[Eqn] = []
    for eqn in reversed(eqns):
        if (effects and eqn.op.stateful) or not needed.isdisjoint(eqn.outputs):
            left = reduced(eqn, needed)
            kept.append(left)
            needed.update(left.inputs)
    return kept[::-1], needed
