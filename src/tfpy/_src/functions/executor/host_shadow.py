"""Small values that decide control flow, which the host computes in parallel to the device.

A loop's counter and its bound are a few numbers. NumPy computes them from numbers that the host
already has, so that no iteration waits for the device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.slices import slice_of
from tfpy._src.functions.executor.control_op import ControlOp

_MAX_SIZE = 16  # maximum number of elements of a mirrored value
_MAX_EQUATIONS = 32


class Mirror:
    """The part of a Graph that computes some small values.

    Args:
        graph: The Graph.
        values: Numbers of values for which :func:`can_mirror` returns True.
    """

    def __init__(self, graph: Graph, values: Sequence[int]) -> None:
        eqns, needed = slice_of(graph.eqns, values)
        self.inputs = [v for v in graph.inputs if v in needed]
        constants = {v: a for v, a in graph.constants.items() if v in needed}
        self.values = list(values)
        self.graph = Graph(graph.avals, self.inputs, constants, eqns, self.values)

    def aval(self, value: int) -> Aval:
        return self.graph.avals[value]

    def compute(self, known: Mapping[int, Array]) -> list[Array]:
        """Compute the values from arrays for :attr:`inputs`."""
        return evaluate(self.graph, [known[v] for v in self.inputs])


def can_mirror(graph: Graph, value: int) -> bool:
    """Return True if a value depends only on a few small values of the Graph."""
    eqns, needed = slice_of(graph.eqns, [value])
    return (
        len(eqns) <= _MAX_EQUATIONS
        and all(graph.avals[v].size <= _MAX_SIZE for v in needed)
        and not any(e.op.stateful or isinstance(e.op, ControlOp) for e in eqns)
    )


def host_operands(graph: Graph) -> list[int]:
    """Return the values of a Graph that the host needs for its control flow."""
    found: dict[int, None] = {}
    for eqn in graph.eqns:
        if isinstance(eqn.op, ControlOp):
            places = eqn.op.host_operands(**dict(eqn.attrs))
            found.update(dict.fromkeys(eqn.inputs[i] for i in places))
    return list(found)


class LoopMirror:
    """The part of a loop that the host can compute itself.

    Args:
        test: Graph of the test.
        body: Graph of the body.
        state: Number of the first inputs of both Graphs that change.
    """

    def __init__(self, test: Graph, body: Graph, state: int) -> None:
        possible = _mirrored_state(body, state)
        self.test = _mirror_within(test, test.outputs, state, possible)
        wanted = set() if self.test is None else _positions(test, self.test.inputs)
        for value in host_operands(body):
            mirror = _mirror_within(body, [value], state, possible)
            if mirror is not None:
                wanted |= _positions(body, mirror.inputs)
        self.state = sorted(_closure(body, state, {p for p in wanted if p < state}))
        self.step = Mirror(body, [body.outputs[p] for p in self.state])
        """Computes the mirrored state after an iteration."""
        self.needed = sorted(wanted | _positions(body, self.step.inputs))
        """Positions of the inputs from which the mirror starts."""


def _positions(graph: Graph, values: Sequence[int]) -> set[int]:
    return {graph.inputs.index(v) for v in values}


def _mirrored_state(body: Graph, state: int) -> set[int]:
    """Return the positions of the state that depend only on small mirrored values."""
    inputs = {
        p: _positions(body, Mirror(body, [body.outputs[p]]).inputs)
        for p in range(state)
        if can_mirror(body, body.outputs[p])
    }
    possible = set(inputs)
    while True:
        left = {p for p in possible if all(i in possible or i >= state for i in inputs[p])}
        if left == possible:
            return possible
        possible = left


def _mirror_within(
    graph: Graph, values: Sequence[int], state: int, possible: set[int]
) -> Mirror | None:
    """Return the mirror of values, or None if it needs changing values that are not mirrored."""
    if not all(can_mirror(graph, v) for v in values):
        return None
    mirror = Mirror(graph, values)
    positions = _positions(graph, mirror.inputs)
    return mirror if all(p in possible or p >= state for p in positions) else None


def _closure(body: Graph, state: int, wanted: set[int]) -> set[int]:
    """Return the positions together with all positions on which their next values depend."""
    while True:
        mirror = Mirror(body, [body.outputs[p] for p in sorted(wanted)])
        grown = wanted | {p for p in _positions(body, mirror.inputs) if p < state}
        if grown == wanted:
            return wanted
        wanted = grown
