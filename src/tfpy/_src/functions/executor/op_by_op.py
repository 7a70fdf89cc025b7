"""Compiled functions run op by op, so that who watches ops sees each of theirs."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.backends.storage import host_storage
from tfpy._src.base.source_locations import add_note, local as lines
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.passes.pipeline import strip
from tfpy._src.core import eager, tape as tapes
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.control_op import ControlOp
from tfpy._src.functions.executor.execution_hints import UNKNOWN

watching: list[eager.Observer] = []
"""Those for whom compiled functions run op by op."""


def watch(observer: eager.Observer) -> None:
    """Tells ``observer`` of each op from now on, those of compiled functions included."""
    if observer not in watching:
        watching.append(observer)
        eager.observers.append(observer)


def forget(observer: eager.Observer) -> None:
    """Ends :func:`watch`."""
    if observer in watching:
        watching.remove(observer)
        eager.observers.remove(observer)


def run(graph: Graph, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The outputs of a Graph, whose equations are run as if the program called their ops.

    No tape sees them: as of any other run, the caller records what it is.
    """
    graph = strip(graph, spreads=True)
    values = dict(zip(graph.inputs, inputs, strict=True))
    for value, array in graph.constants.items():
        aval = graph.avals[value]
        values[value] = Tensor(aval, host_storage(array, aval))
    around, recording = lines.running, tapes.local.active[:]
    tapes.local.active.clear()
    try:
        for eqn in graph.eqns:
            lines.running = eqn.line
            outputs = _run(eqn, [values[v] for v in eqn.inputs])
            values.update(zip(eqn.outputs, outputs, strict=True))
    finally:
        lines.running = around
        tapes.local.active[:] = recording
    return [values[v].alias() for v in graph.outputs]


def _run(eqn: Eqn, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    op, attrs = eqn.op, dict(eqn.attrs)
    try:
        if isinstance(op, ControlOp):
            return op.runner(UNKNOWN, eqn.inputs, **attrs)(*inputs)
        return [eager.apply(op, *inputs, **attrs)]
    except Exception as error:
        add_note(error, eqn.line)
        raise
