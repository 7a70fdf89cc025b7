"""Initial values of Variables made by a function: their equations are lifted out of the trace."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.base import tracing
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.slices import slice_of
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.traced import Traced
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.tensors.variables.variable import Variable


def initialize(variable: Variable, traced: Traced, given: Sequence[Tensor | TensorSpec]) -> None:
    """Assign the initial value of a Variable that a trace made, if it is a tensor of the trace.

    The value is computed immediately. Within another function's trace it may depend on tensors of
    that trace, and is then a symbolic tensor.

    Args:
        variable: The Variable.
        traced: The trace that made it.
        given: Arguments of the call, or their specs.

    Raises:
        ValueError: If the value depends on an argument that is known only by its spec.
    """
    with tracing.init_scope():
        first = variable.value()
    if not isinstance(first, SymbolicTensor):
        return
    trace, graph = traced.trace, traced.trace.graph
    if first.trace is not trace:
        raise ValueError(
            f"{variable.name} is made in a branch or loop from a tensor that is only known there; "
            "pass tf.Variable a function that makes its initial value"
        )
    value = trace.value_of(first)
    eqns, needed = slice_of(graph.eqns, [value])
    with tracing.init_scope():
        extras = [e for e in traced.extras if trace.value_of(e.tensor) in needed]
        operands: list[Tensor | TensorSpec] = [e.fetch() for e in extras]
    inputs = [trace.value_of(e.tensor) for e in extras]
    for argument, tensor in zip(traced.arguments, given, strict=True):
        if trace.value_of(argument) in needed:
            inputs.append(trace.value_of(argument))
            operands.append(tensor)
    known = [t for t in operands if isinstance(t, Tensor)]
    if len(known) < len(operands):
        raise ValueError(
            f"the initial value of {variable.name} depends on an argument of '{trace.name}', which "
            "has no value while get_concrete_function traces; call the function first, or pass "
            "tf.Variable a function that makes its initial value"
        )
    constants = {v: a for v, a in graph.constants.items() if v in needed}
    made = Executable(Graph(graph.avals, inputs, constants, eqns, [value]))
    outer = tracing.current()
    if outer is not None and any(isinstance(t, SymbolicTensor) for t in known):
        _hold(variable, made.run(known)[0])
        outer.on_variable_made(variable)
    else:
        with tracing.init_scope():
            _hold(variable, made.run(known)[0])


def _hold(variable: Variable, value: Tensor) -> None:
    own = value.alias()
    with tracing.init_scope():
        variable.hold(own)
