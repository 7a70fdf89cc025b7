"""Fusions after lowering, evaluated with NumPy on random Graphs.

The tests use the expressions and views that devices receive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given, settings, strategies as st
from ops.scalar_numpy import evaluate as evaluate_expression
from passes.fusing import Greedy
from passes.sketch import assert_same_bits, draw_inputs, random_graph

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.fusion import LOOP, fusion, is_elementwise
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.strides import View, dense_view
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower.calls import kernel_call, loop_call
from tfpy._src.compiler.passes.fuse.elementwise import fuse_elementwise
from tfpy._src.compiler.passes.fuse.epilogue import fuse_epilogue
from tfpy._src.compiler.passes.fuse.prologue import fuse_prologue

Array = np.ndarray[Any, Any]


def computed(root: ex.Expr, views: Sequence[View], arrays: Sequence[Array], out: Aval) -> Array:
    """Evaluate an expression over arrays that are read through views."""
    grid = np.indices(out.shape).reshape(len(out.shape), out.size)
    read = []
    for view, array in zip(views, arrays, strict=True):
        at = view.offset + np.array(view.strides, int) @ grid
        read.append(array.reshape(-1)[at].reshape(out.shape))
    return evaluate_expression(root, read, out.shape)


def innermost(eqn: Eqn, graph: Graph) -> tuple[Eqn, Graph]:
    """Return the equation that has the kernel, and its Graph."""
    while eqn.op is fusion:
        graph = dict(eqn.attrs)["body"]
        (eqn,) = (e for e in graph.eqns if not is_elementwise(e.op))
    return eqn, graph


def run_equation(graph: Graph, eqn: Eqn, values: dict[int, Array]) -> Array:
    """Run one equation as lowering sees it."""
    if eqn.op.expr is not None:
        dtypes = [graph.avals[v].dtype for v in eqn.inputs]
        operands = [ex.input_(i, dtype) for i, dtype in enumerate(dtypes)]
        root, shape = eqn.op.expr(*operands, **dict(eqn.attrs)), graph.avals[eqn.outputs[0]].shape
        return evaluate_expression(root, [values[v] for v in eqn.inputs], shape)
    if eqn.op is not fusion:
        return np.asarray(eqn.op.ref(*(values[v] for v in eqn.inputs), **dict(eqn.attrs)))
    if dict(eqn.attrs)["kind"] == LOOP:
        loop, read = loop_call(eqn)
        return computed(loop.root, loop.views, [values[v] for v in read], loop.out)
    call, read = kernel_call(graph, eqn)
    arrays = [values[v] for v in read]
    kernel, body = innermost(eqn, graph)
    if call.prologue is not None:
        count = len(call.prologue.views)
        made = computed(call.prologue.root, call.prologue.views, arrays[:count], call.prologue.out)
        arrays = [made.reshape(body.avals[kernel.inputs[0]].shape), *arrays[count:]]
    count = len(kernel.inputs)
    result = np.asarray(kernel.op.ref(*arrays[:count], **dict(kernel.attrs)))
    if call.epilogue is None:
        return result
    tail = call.epilogue
    views = [dense_view(tail.out.shape), *tail.views]
    return computed(tail.root, views, [result, *arrays[count:]], tail.out)


def run(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    values = {**graph.constants, **dict(zip(graph.inputs, inputs, strict=True))}
    with np.errstate(all="ignore"):
        for eqn in graph.eqns:
            (out,) = eqn.outputs
            values[out] = run_equation(graph, eqn, values).reshape(graph.avals[out].shape)
    return [values[v] for v in graph.outputs]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_graphs(seed: int) -> None:
    graph = random_graph(seed)
    after = graph
    for fusing in (fuse_epilogue, fuse_prologue, fuse_elementwise):
        after = fusing(after, Greedy())
        verify(after)
    inputs = draw_inputs(graph, np.random.default_rng(seed))
    for got, wanted in zip(run(after, inputs), run(graph, inputs), strict=True):
        assert_same_bits(wanted, got)


def test_fusions_are_made() -> None:
    """Check that the random Graphs produce every kind of fusion."""
    kinds = set()
    for seed in range(20):
        after = random_graph(seed)
        for fusing in (fuse_epilogue, fuse_prologue, fuse_elementwise):
            after = fusing(after, Greedy())
        kinds |= {dict(e.attrs)["kind"] for e in after.eqns if e.op is fusion}
    assert kinds == {"loop", "epilogue", "prologue"}
