"""The reference evaluator: runs a Graph with NumPy. It defines what the IR means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.ir.graph import Graph

Array = np.ndarray[Any, Any]


def evaluate(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of ``graph`` for arrays of its inputs' shapes and dtypes.

    Raises:
        tf.errors.InvalidArgumentError: from ops whose values are out of range.
    """
    values: dict[int, Array] = dict(graph.constants)
    values.update(zip(graph.inputs, inputs, strict=True))
    with np.errstate(all="ignore"):
        for eqn in graph.eqns:
            result = eqn.op.ref(*(values[i] for i in eqn.inputs), **dict(eqn.attrs))
            results = result if eqn.op.multiple else (result,)
            for output, array in zip(eqn.outputs, results, strict=True):
                aval = graph.avals[output]
                array = np.asarray(array, aval.dtype.as_numpy_dtype, order="C")
                values[output] = array.reshape(aval.shape)
    return [values[i] for i in graph.outputs]
