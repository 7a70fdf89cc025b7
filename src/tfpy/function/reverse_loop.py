"""The gradient of a loop: the loop that notes its state, and the loop that goes back."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy import dtypes
from tfpy.convert import constant
from tfpy.function import lists
from tfpy.function.branching import apply_loop
from tfpy.function.control import carries_gradient
from tfpy.function.derivative import derivative, pure, replay, zero
from tfpy.ir.graph import Aval, Graph
from tfpy.tensor import Tensor

COUNT = Aval((), dtypes.int32)


def noted_loop(
    inputs: Sequence[Tensor], test: Graph, body: Graph, state: int
) -> tuple[Tensor, list[Tensor]]:
    """Runs a loop; gives the number of iterations and a list of each state variable's values."""
    avals = [t.aval for t in inputs]
    added = [COUNT, *[lists.LIST] * state]

    def noting(values: list[Tensor]) -> list[Tensor]:
        count, notes, operands = values[0], values[1 : state + 1], values[state + 1 :]
        new = replay(body, operands)
        kept = [lists.set_(n, count, x) for n, x in zip(notes, operands[:state], strict=True)]
        return [count + 1, *kept, *new]

    new_body = pure([*added, *avals], noting)
    new_test = pure([*added, *avals], lambda values: replay(test, values[state + 1 :]))
    first = [constant(0), *[lists.empty() for _ in range(state)]]
    results = apply_loop([*first, *inputs], new_test, new_body, state + len(added))
    return results[0], results[1 : state + 1]


def reverse_loop(
    count: Tensor,
    notes: Sequence[Tensor],
    seeds: Sequence[Tensor | None],
    inputs: Sequence[Tensor],
    body: Graph,
    state: int,
) -> list[Tensor | None]:
    """The gradient of each of a loop's inputs.

    Args:
        count, notes: from :func:`noted_loop`.
        seeds: the gradient of each state variable after the loop.
    """
    fixed = inputs[state:]
    flows = [i for i, g in enumerate(seeds) if g is not None]
    wanted = [i for i, x in enumerate(inputs) if carries_gradient(x)]
    extra = [i for i in wanted if i >= state]
    back = derivative(body, flows, wanted)
    noted = [t.aval for t in inputs[:state]]

    def going_back(values: list[Tensor]) -> list[Tensor]:
        at = values[0] - 1
        rest = iter(values[1:])
        flowing = [next(rest) for _ in flows]
        totals = [next(rest) for _ in extra]
        written = [next(rest) for _ in range(state)]
        began = [lists.get(n, at, aval) for n, aval in zip(written, noted, strict=True)]
        found = replay(back, [*began, *rest, *flowing])
        new = [g for i, g in zip(wanted, found, strict=True) if i < state]
        more = [g for i, g in zip(wanted, found, strict=True) if i >= state]
        return [at, *new, *map(_sum, totals, more)]

    start = [count, *(g for g in seeds if g is not None), *(zero(inputs[i].aval) for i in extra)]
    given = [*start, *notes, *fixed]
    avals = [t.aval for t in given]
    test = pure(avals, lambda values: [values[0] > 0])
    results = apply_loop(given, test, pure(avals, going_back), len(start))
    out: list[Tensor | None] = [None] * len(inputs)
    for i, gradient in zip([*flows, *extra], results[1:], strict=True):
        out[i] = gradient
    return out


def _sum(total: Tensor, more: Tensor) -> Tensor:
    return lists.add(total, more) if total.aval == lists.LIST else total + more
