"""The derivative of a Graph as a Graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.core.indexed_slices import dense
from tfpy._src.core.tape import backpropagate, dependent
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control import lists
from tfpy._src.functions.control.equations import has_effects
from tfpy._src.functions.executor.control_op import ControlOp
from tfpy._src.functions.trace.trace import Trace


class PureTrace(Trace):
    """The trace of a function of tensors only. Captured values become constants."""

    def capture(self, tensor: Tensor) -> int:
        return self.value_of(self.constant(tensor.host_view(), tensor.aval))


def pure(avals: Sequence[Aval], function: Callable[[list[Tensor]], Sequence[Tensor]]) -> Graph:
    """Return the Graph of a function of tensors."""
    trace = PureTrace("pure")
    with trace.taken():
        arguments: list[Tensor] = [trace.argument(a, "x") for a in avals]
        trace.graph.outputs = [trace.value_of(t) for t in function(arguments)]
    return trace.graph


def derivative(graph: Graph, flows: Sequence[int], wanted: Sequence[int]) -> Graph:
    """Return the Graph of a derivative.

    Its inputs are the inputs of `graph` and the gradients that flow into the outputs.

    Args:
        graph: Graph to differentiate.
        flows: Numbers of the outputs with gradients.
        wanted: Numbers of the inputs to differentiate by. Their gradients are the outputs, zeros
            for inputs without influence.
    """
    count = len(graph.inputs)

    def backward(values: list[Tensor]) -> list[Tensor]:
        inputs, seeds = values[:count], values[count:]
        outputs = replay(graph, inputs)
        entries, watched = dependent(current().recorder.entries, [inputs[i] for i in wanted])
        pairs = [(outputs[i], seed) for i, seed in zip(flows, seeds, strict=True)]
        grads = backpropagate(entries, watched, pairs)
        found = [(inputs[i], grads.get(inputs[i].identity)) for i in wanted]
        return [zero(x.aval) if g is None else dense(g) for x, g in found]

    avals = [graph.avals[v] for v in (*graph.inputs, *(graph.outputs[i] for i in flows))]
    return pure(avals, backward)


def zero(aval: Aval) -> Tensor:
    """Return a gradient of zeros."""
    if aval == lists.LIST:
        return lists.empty()
    trace = current()
    nothing = trace.constant(np.zeros((), aval.dtype.as_numpy_dtype), Aval((), aval.dtype))
    return trace.apply(OPS["broadcast_to"], [nothing], {"shape": aval.shape})


def current() -> Trace:
    """Return the active trace."""
    trace = tracing.current()
    assert trace is not None
    return trace


def replay(graph: Graph, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Apply a Graph's equations again in the active trace, so that tapes record them.

    Equations with side effects only are left out, because they have already run.
    """
    return applied(without_effects(graph), inputs)


def applied(graph: Graph, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Apply a Graph's equations in the active trace, so that tapes record them."""
    trace = current()
    values: dict[int, Tensor] = dict(zip(graph.inputs, inputs, strict=True))
    for value, array in graph.constants.items():
        values[value] = trace.constant(array, graph.avals[value])
    for eqn in graph.eqns:
        operands = [values[v] for v in eqn.inputs]
        attrs: dict[str, Any] = dict(eqn.attrs)
        if isinstance(eqn.op, ControlOp):
            made = eqn.op.apply(operands, **attrs)
        else:
            made = [trace.apply(eqn.op, operands, attrs)]
        values.update(zip(eqn.outputs, made, strict=True))
    return [values[v] for v in graph.outputs]


def without_effects(graph: Graph) -> Graph:
    """Return the Graph without equations that have no outputs, at any depth."""
    eqns = [_quiet(eqn) for eqn in graph.eqns if eqn.outputs]
    if eqns == graph.eqns:
        return graph
    return Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs)


def _quiet(eqn: Eqn) -> Eqn:
    attrs = tuple((name, _quiet_attribute(value)) for name, value in eqn.attrs)
    if attrs == eqn.attrs:
        return eqn
    graphs = [g for _, v in attrs for g in (v if isinstance(v, tuple) else (v,))]
    op = eqn.op
    if not has_effects(*(g for g in graphs if isinstance(g, Graph))) and isinstance(op, ControlOp):
        op = op.pure or op
    return eqn._replace(op=op, attrs=attrs)


def _quiet_attribute(value: Any) -> Any:
    if isinstance(value, Graph):
        return without_effects(value)
    return tuple(map(_quiet_attribute, value)) if isinstance(value, tuple) else value
