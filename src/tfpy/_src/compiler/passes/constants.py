"""Constant folding: equations of constants are computed once, with NumPy."""

from __future__ import annotations

from tfpy._src.base.errors import OpError
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Eqn, Graph, single_equation
from tfpy._src.compiler.passes.rewrite import Builder, rewrite

FOLD_LIMIT = 64 * 1024
"""Largest size in bytes of a folded constant that is larger than its operands."""


def fold_constants(graph: Graph) -> Graph:
    """Compute equations that have only constant operands.

    A result larger than its operands and FOLD_LIMIT is left to the device, so that `zeros` and
    broadcasts stay small. An equation that raises an error is also left, so that it fails when it
    runs. ::

        graph(%0:float32[2])                    graph(%0:float32[2])
          %1:float32[2] = constant                %1:float32[2] = constant
          %2:float32[2] = exp(%1)          ->     %2:float32[2] = add(%0, %1)
          %3:float32[2] = add(%0, %2)             return %2
          return %3
    """
    return rewrite(graph, _fold) if graph.constants else graph


def _fold(builder: Builder, eqn: Eqn) -> int | None:
    arrays = [array for i in eqn.inputs if (array := builder.constant(i)) is not None]
    if not arrays or len(arrays) < len(eqn.inputs):
        return None
    aval = builder.result(eqn)
    if aval.nbytes > max(FOLD_LIMIT, *(array.nbytes for array in arrays)):
        return None
    try:
        (result,) = evaluate(
            single_equation(eqn.op, [builder.aval(i) for i in eqn.inputs], eqn.attrs), arrays
        )
    except OpError:
        return None
    return builder.add_constant(result, aval.dtype)
