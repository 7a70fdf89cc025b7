"""Loops that are counted before they run: by NumPy, from constants."""

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
    """What is known of a loop."""

    last: dict[int, Array]
    """What some of its state is after it, by position; nothing if it may end earlier."""
    largest: dict[int, int]
    """The largest that some values of its body may become, -1 without an iteration."""


def counted(
    operands: Sequence[Any], test: Graph, body: Graph, state: int, wanted: Sequence[int]
) -> CountedLoop | None:
    """What follows of a loop from those of its operands that are constants, if they end it: alone,
    or with values that may end it earlier, as where ``maximum_iterations`` bounds a loop.

    Args:
        wanted: numbers of the body, of which :attr:`CountedLoop.largest` tells.
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
    except OpError:  # it is raised, or not, where the loop runs
        return None
    is_exact = len(bounds) == len(conditions)
    return found if found is None or is_exact else found._replace(last={})


def _conditions(test: Graph) -> list[int]:
    """Values that are all true where a loop goes on."""
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
    """Runs the loop on ``values``; ``step`` gives what changes and then what is watched."""
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
    """Whether a value depends on these inputs alone, by a few equations."""
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
