"""Helpers of the tests of fusion passes: Graphs, targets, and a check that values are unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tfpy as tf
from tfpy import dtypes
from tfpy._src.base.dtypes import DEVICE_DTYPES, DType
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.fusion import fusion
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower import wasm, webgl
from tfpy._src.compiler.lower.program import Program, verify as verify_program
from tfpy._src.compiler.passes.pipeline import simplify


class Greedy:
    """A target that accepts everything that a pass offers, except nested kernels."""

    fuses_loops = True
    fuses_prologues = True
    dtypes = DEVICE_DTYPES
    max_inputs = 16
    kernels = frozenset({"softmax", "log_softmax", "layer_norm", "attention"})

    def takes_epilogue(self, call: KernelCall, arrays: int) -> bool:
        return True

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        return call.maker is None

    def takes(self, call: KernelCall) -> bool:
        return True


class Builder:
    """A concise builder of Graphs: ``b.op("add", x, 1.0)``. Python numbers become constants."""

    def __init__(self) -> None:
        self.graph = Graph()

    def input(self, *shape: int, dtype: DType = dtypes.float32) -> int:
        return self.graph.add_input(Aval(shape, dtype))

    def constant(self, value: Any) -> int:
        array = np.asarray(value, np.float32)
        return self.graph.add_constant(array, Aval(array.shape, dtypes.float32))

    def op(self, name: str, *operands: int | float, **attrs: Any) -> int:
        values = [v if isinstance(v, int) else self.constant(v) for v in operands]
        return self.graph.add_eqn(OPS[name], values, tuple(attrs.items()))

    def returns(self, *values: int) -> Graph:
        self.graph.outputs = list(values)
        return self.graph


def traced(function: Callable[..., Any], *given: tuple[int, ...] | tf.TensorSpec) -> Graph:
    """Return the simplified Graph of a function of tensors, float32 where only a shape is given."""
    specs = [one if isinstance(one, tf.TensorSpec) else tf.TensorSpec(one) for one in given]
    return simplify(tf.function(function).get_concrete_function(*specs).traced.graph)


def kinds(graph: Graph) -> list[str]:
    """Return the names of ops, and of fusions with their contents."""
    found = []
    for eqn in graph.eqns:
        attrs = dict(eqn.attrs)
        inner = "(" + " ".join(kinds(attrs["body"])) + ")" if eqn.op is fusion else ""
        found.append(attrs["kind"] + inner if eqn.op is fusion else eqn.op.name)
    return found


def random_inputs(graph: Graph, seed: int = 0) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    avals = [graph.avals[v] for v in graph.inputs]
    return [rng.uniform(-2, 2, a.shape).astype(a.dtype.as_numpy_dtype) for a in avals]


LOWERINGS = (wasm.lower, webgl.lower)


def check_same(
    before: Graph,
    after: Graph,
    lowerings: Sequence[Callable[[Graph], Program]] = LOWERINGS,
    tolerance: float = 1e-6,
) -> None:
    """Check that a pass keeps the Graph's results, and that these backends can lower its result."""
    verify(after)
    inputs = random_inputs(before)
    for got, wanted in zip(evaluate(after, inputs), evaluate(before, inputs), strict=True):
        np.testing.assert_allclose(got, wanted, tolerance, tolerance)
    for lower in lowerings:
        verify_program(lower(after))


def fused_body(graph: Graph, number: int = 0) -> Sequence[str]:
    """Return the lines of a fusion's body, by the number of the fusion."""
    eqns = [eqn for eqn in graph.eqns if eqn.op is fusion]
    return [line.strip() for line in str(dict(eqns[number].attrs)["body"]).splitlines()]
