"""Loops that NumPy counts before they run, from constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import OpError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.evaluate import Evaluator
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import CONTROL
from tfpy._src.compiler.ir.slices import slice_of

_MOST_ITERATIONS = 4096
_MOST_EQUATIONS = 32
_MOST_ELEMENTS = 16


_Function = Callable[[Sequence[Array]], list[Array]]


class CountedLoop(NamedTuple):
    """Facts of a loop."""

    last: dict[int, Array]
    """Final values of state by position. Empty if the loop may end earlier."""
    largest: dict[int, int]
    """Largest values of some values of the body, -1 without an iteration."""


def counted(
    operands: Sequence[Any], test: Graph, body: Graph, state: int, wanted: Sequence[int]
) -> CountedLoop | None:
    """Return facts of a loop that follow from its constant operands, or None.

    The constants must end the loop, alone or together with values that may end it earlier, as with
    `maximum_iterations`.

    Args:
        wanted: Values of the body to be reported in :attr:`CountedLoop.largest`.
    """
    known = {
        p for p, x in enumerate(operands) if type(x) is np.ndarray and x.size <= _MOST_ELEMENTS
    }
    while True:
        left = {p for p in known if p >= state or _follows(body, body.outputs[p], known)}
        if left == known:
            break
        known = left
    conditions = _conditions(test)
    bounds = [v for v in conditions if _follows(test, v, known)]
    if not bounds:
        return None
    places = sorted(known)
    changing = [p for p in places if p < state]
    watched = [v for v in dict.fromkeys(wanted) if _follows(body, v, known)]
    goes_on = _function(test, places, bounds)
    step = _function(body, places, [*(body.outputs[p] for p in changing), *watched])
    values = {p: operands[p] for p in places}
    largest = dict.fromkeys(watched, -1)
    try:
        found = _run(goes_on, step, values, changing, largest)
    except OpError:  # it is raised, if at all, where the loop runs
        return None
    is_exact = len(bounds) == len(conditions)
    return found if found is None or is_exact else found._replace(last={})


def _conditions(test: Graph) -> list[int]:
    """Return values that are all true while a loop continues."""
    ands = {e.outputs[0]: e.inputs for e in test.eqns if e.op.name == "logical_and"}
    found, todo = [], [test.outputs[0]]
    while todo:
        value = todo.pop()
        if value in ands:
            todo.extend(ands[value])
        else:
            found.append(value)
    return found


def _run(
    goes_on: _Function,
    step: _Function,
    values: dict[int, Array],
    changing: Sequence[int],
    largest: dict[int, int],
) -> CountedLoop | None:
    """Run the loop on `values`. `step` returns the changed values, then the watched values."""
    for _ in range(_MOST_ITERATIONS):
        given = list(values.values())
        if not all(goes_on(given)):
            return CountedLoop({p: values[p] for p in changing}, largest)
        found = step(given)
        values.update(zip(changing, found, strict=False))
        for v, number in zip(largest, found[len(changing) :], strict=True):
            largest[v] = max(largest[v], int(number))
    return None


def _follows(graph: Graph, value: int, known: Set[int]) -> bool:
    """Return True if a value depends on these inputs only, through a few equations."""
    eqns, needed = slice_of(graph.eqns, [value])
    return (
        len(eqns) <= _MOST_EQUATIONS
        and all(p in known for p, v in enumerate(graph.inputs) if v in needed)
        and all(eqn.op.family != CONTROL and not eqn.op.stateful for eqn in eqns)
    )


def _function(graph: Graph, places: Sequence[int], values: Sequence[int]) -> _Function:
    eqns, _ = slice_of(graph.eqns, values)
    inputs = [graph.inputs[p] for p in places]
    return Evaluator(Graph(graph.avals, inputs, graph.constants, eqns, [*values]))
