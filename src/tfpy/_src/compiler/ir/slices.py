"""What of a Graph some of its values depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tfpy._src.compiler.ir.graph import Eqn


def slice_of(
    eqns: Sequence[Eqn],
    values: Iterable[int],
    effects: bool = False,
    reduced: Callable[[Eqn, set[int]], Eqn] = lambda eqn, needed: eqn,
) -> tuple[list[Eqn], set[int]]:
    """The equations that values depend on, in order, and all values among them.

    Args:
        effects: takes equations of stateful ops, too, and what these depend on.
        reduced: gives what is left of such an equation, from the values that are needed after it.
    """
    needed = set(values)
    kept: list[Eqn] = []
    for eqn in reversed(eqns):
        if (effects and eqn.op.stateful) or not needed.isdisjoint(eqn.outputs):
            left = reduced(eqn, needed)
            kept.append(left)
            needed.update(left.inputs)
    return kept[::-1], needed
