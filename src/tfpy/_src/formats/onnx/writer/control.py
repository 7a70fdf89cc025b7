"""Writers of control flow and lists; the graphs of branches and bodies see outer names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.formats.graph_writing.control_parts import as_bool
from tfpy._src.formats.graph_writing.emitter import BOOL, NodeValue
from tfpy._src.formats.onnx.writer.arrays import padded, sliced
from tfpy._src.formats.onnx.writer.nodes import INT64, Nodes, record, refuse

refuse("it calls Python", "host_call")
refuse("it raises an error", "fail refuse")
refuse("it runs on several devices", "replicated replica_id all_reduce all_gather reduce_scatter")
refuse(
    "only compiler passes create it",
    "fusion quantized_matmul quantized_conv2d pack_bytes pack_nibbles packed_conv2d packed_rows "
    "unpack_halves multiply_stored gather_stored",
)
refuse(
    "the format has no blocks of weights. Load the model with `trainable=True`",
    "dequantize_blocks multiply_blocks gather_blocks",
)


@record("cond", "stateful_cond")
def _cond(w: Nodes, index: NodeValue, *values: NodeValue, branches: tuple[Graph, ...]) -> Any:
    made = [aval.dtype for aval in w.result]
    if index.dtype != BOOL:
        index, given, branches = as_bool(w, index, values, branches)
        values = tuple(given)
    otherwise, then = (_branch(w, b, values) for b in branches)
    graphs = {"then_branch": then, "else_branch": otherwise}
    return w.several("If", [index], made, graphs=graphs)


def _branch(w: Nodes, branch: Graph, values: Sequence[NodeValue]) -> Nodes:
    inner = w.inner(w.fresh("branch"))
    inner.give(inner.inline(branch, values))
    return inner


@record("while_loop", "stateful_while_loop")
def _while_loop(
    w: Nodes, *values: NodeValue, test: Graph, body: Graph, state: int, primal: Any = None
) -> Any:
    made = [aval.dtype for aval in w.result]
    fixed = values[state:]
    (begins,) = w.inline(test, values)
    inner = w.inner(w.fresh("body"))
    count = NodeValue(w.fresh("iteration"), INT64, Aval((), INT64))
    goes = NodeValue(w.fresh("goes_on"), BOOL, Aval((), BOOL))
    own = [NodeValue(w.fresh("state"), v.dtype, v.aval) for v in values[:state]]
    inner.inputs = [count, goes, *own]
    found = inner.inline(body, [*own, *fixed])
    (again,) = inner.inline(test, [*found, *fixed])
    inner.give([again, *found])
    most = w.constant(np.array((1 << 63) - 1, np.int64))
    return w.several("Loop", [most, begins, *values[:state]], made, graphs={"body": inner})


@record("relayout", "relayout_like")
def _relayout(w: Nodes, x: NodeValue, *like: NodeValue, **attrs: Any) -> list[NodeValue]:
    return [x]  # files do not specify devices


@record("custom_gradient")
def _custom_gradient(w: Nodes, *values: NodeValue, count: int, **attrs: Any) -> list[NodeValue]:
    return list(values[:count])


# A list is a tensor with one more axis.


def _put(w: Nodes, values: NodeValue, index: NodeValue, row: NodeValue) -> NodeValue:
    place = w.op("Reshape", w.cast(index, INT64), w.integers([1, 1]))
    return w.op("ScatterND", values, place, row)


@record("list_make")
def _list_make(w: Nodes, *items: NodeValue, places: Sequence[int], length: int) -> NodeValue:
    whole = w.result[0]
    zero = w.number(0, whole.dtype)
    if not items:
        return w.op("Expand", zero, w.sizes(whole.shape))
    missing = w.op("Expand", zero, w.sizes((1, *whole.shape[1:])))
    rows = [missing] * whole.shape[0]
    for place, item in zip(places, items, strict=True):
        rows[place] = w.op("Unsqueeze", item, w.integers([0]))
    return w.op("Concat", *rows, axis=0)


@record("list_set")
def _list_set(
    w: Nodes, values: NodeValue, index: NodeValue, item: NodeValue, *, limit: Any
) -> NodeValue:
    return _put(w, values, index, w.op("Unsqueeze", item, w.integers([0])))


@record("list_clear")
def _list_clear(w: Nodes, values: NodeValue, index: NodeValue) -> NodeValue:
    zeros = w.op("Expand", w.number(0, values), w.sizes((1, *values.shape[1:])))
    return _put(w, values, index, zeros)


@record("list_get")
def _list_get(w: Nodes, values: NodeValue, index: NodeValue, *, aval: Aval) -> NodeValue:
    return w.op("Gather", values, index, axis=0)


@record("list_add")
def _list_add(w: Nodes, a: NodeValue, b: NodeValue) -> NodeValue:
    return w.op("Add", a, b)


@record("list_stack")
def _list_stack(w: Nodes, values: NodeValue, *, count: int, aval: Aval) -> NodeValue:
    return values if count == values.shape[0] else sliced(w, values, [(0, count)], [1])


@record("list_unstack")
def _list_unstack(w: Nodes, x: NodeValue) -> NodeValue:
    rest = w.result[0].shape[0] - x.shape[0]
    return padded(w, x, [(0, rest), *[(0, 0)] * (x.rank - 1)], 0) if rest else x
