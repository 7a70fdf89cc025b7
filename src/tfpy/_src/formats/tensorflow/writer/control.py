"""Control flow and lists as nodes and library functions of TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.formats.graph_writing.control_parts import as_bool, with_fixed
from tfpy._src.formats.graph_writing.emitter import BOOL, INT, NodeValue
from tfpy._src.formats.tensorflow.writer.arrays import sliced
from tfpy._src.formats.tensorflow.writer.nodes import Nodes, record, refuse

refuse("it calls Python", "host_call")
refuse("it raises an error", "fail refuse")
refuse("it runs on several devices", "replicated replica_id all_reduce all_gather reduce_scatter")
refuse(
    "only passes of the compiler create it",
    "fusion quantized_matmul quantized_conv2d pack_bytes pack_nibbles packed_conv2d packed_rows "
    "unpack_halves multiply_stored gather_stored",
)
refuse(
    "the format has no blocks of weights. Load the model with `trainable=True`",
    "dequantize_blocks multiply_blocks gather_blocks",
)


@record("cond", "stateful_cond")
def _cond(w: Nodes, index: NodeValue, *values: NodeValue, branches: tuple[Graph, ...]) -> Any:
    if index.dtype != BOOL:
        index, given, branches = as_bool(w, index, values, branches)
        values = tuple(given)
    otherwise, then = (w.function(b, values, "branch") for b in branches)
    made = [aval.dtype for aval in w.result]
    return w.several(
        "StatelessIf", [index, *values], made, Tcond=BOOL, Tin=[v.dtype for v in values],
        Tout=made, then_branch=then, else_branch=otherwise,
    )  # fmt: skip


@record("while_loop", "stateful_while_loop")
def _while_loop(
    w: Nodes, *values: NodeValue, test: Graph, body: Graph, state: int, primal: Any = None
) -> Any:
    # Values that the loop only reads become loop variables.
    whole = with_fixed(w, body, state)
    types = [v.dtype for v in values]
    found = w.several(
        "StatelessWhile", values, types, T=types, cond=w.function(test, values, "test"),
        body=w.function(whole, values, "body"),
    )  # fmt: skip
    return found[:state]


@record("relayout", "relayout_like")
def _relayout(w: Nodes, x: NodeValue, *like: NodeValue, **attrs: Any) -> list[NodeValue]:
    return [x]  # files do not specify devices


@record("custom_gradient")
def _custom_gradient(w: Nodes, *values: NodeValue, count: int, **attrs: Any) -> list[NodeValue]:
    return list(values[:count])


# Lists are tensors with one more axis.


def _one(w: Nodes, index: NodeValue) -> NodeValue:
    return w.op("Reshape", index, w.integers([1, 1]))


@record("list_make")
def _list_make(w: Nodes, *items: NodeValue, places: Sequence[int], length: int) -> NodeValue:
    whole = w.result[0]
    if not items:
        zero = w.number(0, whole.dtype)
        return w.op("BroadcastTo", zero, w.sizes(whole.shape), Tidx=INT)
    by_place = dict(zip(places, items, strict=True))
    missing = None
    if len(by_place) < whole.shape[0]:
        missing = w.op("ZerosLike", items[0])
    rows = [by_place.get(i, missing) for i in range(whole.shape[0])]
    return w.op("Pack", *rows, N=len(rows), axis=0)


@record("list_set")
def _list_set(
    w: Nodes, values: NodeValue, index: NodeValue, item: NodeValue, *, limit: Any
) -> NodeValue:
    row = w.reshape(item, (1, *item.shape))
    return w.op("TensorScatterUpdate", values, _one(w, index), row)


@record("list_clear")
def _list_clear(w: Nodes, values: NodeValue, index: NodeValue) -> NodeValue:
    zeros = w.op("BroadcastTo", w.number(0, values), w.sizes((1, *values.shape[1:])), Tidx=INT)
    return w.op("TensorScatterUpdate", values, _one(w, index), zeros)


@record("list_get")
def _list_get(w: Nodes, values: NodeValue, index: NodeValue, *, aval: Aval) -> NodeValue:
    return w.op("GatherV2", values, index, np.int32(0), batch_dims=0)


@record("list_add")
def _list_add(w: Nodes, a: NodeValue, b: NodeValue) -> NodeValue:
    return w.op("AddV2", a, b)


@record("list_stack")
def _list_stack(w: Nodes, values: NodeValue, *, count: int, aval: Aval) -> NodeValue:
    if count == values.shape[0]:
        return values
    return sliced(w, values, [(0, count), *[(0, None)] * aval.rank], [1] * values.rank)


@record("list_unstack")
def _list_unstack(w: Nodes, x: NodeValue) -> NodeValue:
    if w.result[0].shape[0] == x.shape[0]:
        return x
    rest = w.result[0].shape[0] - x.shape[0]
    pads = np.array([[0, rest], *[[0, 0]] * (x.rank - 1)], np.int32)
    return w.op("PadV2", x, pads, w.number(0, x))
