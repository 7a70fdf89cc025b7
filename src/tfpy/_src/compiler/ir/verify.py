"""The verifier of Graphs, which tests run after each pass."""

from __future__ import annotations

from tfpy._src.compiler.ir.graph import Graph


def verify(graph: Graph) -> None:
    """Check single assignment, the order of definition, and every equation's shape rule.

    Raises:
        ValueError: If an equation violates a rule. The error names it.
    """
    defined: set[int] = set()

    def define(value: int, what: str) -> None:
        if not 0 <= value < len(graph.avals):
            raise ValueError(f"graph: {what} defines unknown value %{value}")
        if value in defined:
            raise ValueError(f"graph: {what} defines %{value} a second time")
        defined.add(value)

    for i in graph.inputs:
        define(i, "inputs")
    for i, array in graph.constants.items():
        define(i, "constants")
        if array.shape != graph.avals[i].shape:
            raise ValueError(f"graph: constant %{i} is {array.shape}, not {graph.avals[i]}")
    for eqn in graph.eqns:
        for i in eqn.inputs:
            if i not in defined:
                raise ValueError(f"graph: {eqn.op.name} reads %{i} before it is defined")
        inferred = eqn.op.infer_all(*(graph.avals[i] for i in eqn.inputs), **dict(eqn.attrs))
        if len(inferred) != len(eqn.outputs):
            raise ValueError(
                f"graph: {eqn.op.name} has {len(inferred)} outputs, not {len(eqn.outputs)}"
            )
        for i, aval in zip(eqn.outputs, inferred, strict=True):
            define(i, eqn.op.name)
            if graph.avals[i] != aval:
                raise ValueError(
                    f"graph: {eqn.op.name} returns {aval}, but %{i} is {graph.avals[i]}"
                )
    for i in graph.outputs:
        if i not in defined:
            raise ValueError(f"graph: output %{i} is never defined")
