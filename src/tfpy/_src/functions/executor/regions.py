"""The regions of a Graph: equations that run as one Program, and equations of the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from enum import Enum

from tfpy._src.base.errors import InternalError
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.functions.executor.host_shadow import Mirror


class Place(Enum):
    """The place where an equation is computed."""

    DEVICE = "in a Program"
    HOST = "by NumPy"
    CONTROL = "by the host, on tensors wherever they are"


@dataclass(frozen=True)
class Region:
    """A part of a Graph, with the value numbers of the whole."""

    graph: Graph
    place: Place
    mirrors: tuple[Mirror, ...] = ()
    """Small values that the host computes itself for the control flow in the region."""

    @property
    def inputs(self) -> list[int]:
        return self.graph.inputs

    @property
    def outputs(self) -> list[int]:
        return self.graph.outputs


def cut(
    graph: Graph,
    place: Callable[[Eqn], Place],
    lasts: Callable[[int], bool] = lambda value: False,
) -> list[Region]:
    """Cut a Graph into regions, in an order in which they can run.

    Equations of the device come as early as possible, so that there are few regions. Equations with
    stateful ops keep their order.

    Args:
        graph: The Graph.
        place: Function that returns the place of an equation.
        lasts: Function that returns True for values that are computed only once. Those of the host
            are computed first, so that they do not divide the equations of the device.

    Raises:
        InternalError: If some equations can never run.
    """
    ready = {*graph.inputs, *graph.constants}

    def early(eqn: Eqn) -> Place | None:
        return place(eqn) if eqn.outputs and lasts(eqn.outputs[0]) else None

    first, pending = _takeable(graph.eqns, ready, Place.HOST, early)
    groups = [(Place.HOST, first)] if first else []
    while pending:
        before = len(groups)
        for turn in Place:
            taken, pending = _takeable(pending, ready, turn, place)
            if taken:
                groups.append((turn, taken))
        if len(groups) == before:
            raise _stuck(pending, ready)
    needed = set(graph.outputs)
    regions: list[Region] = []
    for turn, eqns in reversed(groups):
        regions.append(Region(_part(graph, eqns, needed), turn))
        needed.update(regions[-1].inputs)
    return regions[::-1]


def _stuck(pending: Sequence[Eqn], ready: Set[int]) -> InternalError:
    eqn = pending[0]
    missing = ", ".join(f"%{v}" for v in eqn.inputs if v not in ready)
    return InternalError(
        None,
        eqn.op.name,
        f"{len(pending)} equations of a compiled function can never run: {eqn.op.name} needs "
        f"{missing}, which no earlier equation produces; please report this",
    )


def _takeable(
    pending: Sequence[Eqn], ready: set[int], turn: Place, place: Callable[[Eqn], Place | None]
) -> tuple[list[Eqn], list[Eqn]]:
    """Take the pending equations of one place that can run, and add their outputs to `ready`."""
    taken: list[Eqn] = []
    left: list[Eqn] = []
    blocked = False  # True after an equation with side effects that cannot run yet
    for eqn in pending:
        runs = ready.issuperset(eqn.inputs) and place(eqn) is turn
        if runs and not (eqn.op.stateful and blocked):
            taken.append(eqn)
            ready.update(eqn.outputs)
        else:
            left.append(eqn)
            blocked = blocked or eqn.op.stateful
    return taken, left


def _part(graph: Graph, eqns: Sequence[Eqn], needed: set[int]) -> Graph:
    """Return the Graph of some equations, with the values that are needed elsewhere as outputs.

    Outputs of the whole Graph come first, in its order. A single region can then be used unchanged.
    """
    made = [v for eqn in eqns for v in eqn.outputs]
    inside = set(made)
    read = dict.fromkeys(v for eqn in eqns for v in eqn.inputs if v not in inside)
    return Graph(
        graph.avals,
        [v for v in read if v not in graph.constants],
        {v: graph.constants[v] for v in read if v in graph.constants},
        list(eqns),
        [v for v in dict.fromkeys([*graph.outputs, *made]) if v in inside and v in needed],
    )
