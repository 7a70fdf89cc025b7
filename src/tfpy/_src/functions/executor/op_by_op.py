"""Execution of compiled functions op by op, so that observers receive each op."""

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
"""Observers that require compiled functions to run op by op."""


def watch(observer: eager.Observer) -> None:
    """Notify an observer of each op from now on, also within compiled functions."""
    if observer not in watching:
        watching.append(observer)
        eager.observers.append(observer)


def forget(observer: eager.Observer) -> None:
    """Stop notifying an observer."""
    if observer in watching:
        watching.remove(observer)
        eager.observers.remove(observer)


def run(graph: Graph, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Run the equations of a Graph as if the program called their ops, and return the outputs.

    Tapes do not record the ops. As for any other run, the caller records the whole Graph.
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
    op = eqn.op
    try:
        if isinstance(op, ControlOp):
            return op.runner(UNKNOWN, eqn)(*inputs)
        return [eager.apply(op, *inputs, **dict(eqn.attrs))]
    except Exception as error:
        add_note(error, eqn.line)
        raise
