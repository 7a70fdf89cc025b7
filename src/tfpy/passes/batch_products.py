"""Products of many slices with the same matrix become slices of one product."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable

from tfpy.ir.graph import Eqn, Graph
from tfpy.ops.contraction import matmul
from tfpy.ops.movement import reshape, strided_slice
from tfpy.passes.movement import reshaped
from tfpy.passes.rewrite import Builder, rewrite

MAX_BYTES = 1 << 26
"""Size up to which the product of all slices is kept."""

Key = tuple[int, int, bool]
"""What is sliced, the matrix, and whether that is transposed."""


def batch_products(graph: Graph) -> Graph:
    """Multiplies a value once where all of its rows are multiplied slice by slice.

    A recurrence that is written as a loop in Python multiplies the input of each step with the
    same weights; all steps at once are one large product. ::

        %2:float32[4,1,8] = strided_slice(%0) begin=(0, 0, 0) …
        %3:float32[4,8] = reshape(%2) shape=(4, 8)
        %4:float32[4,16] = matmul(%3, %1) …
        (and so on, for each of 3 steps)
    ->
        %2:float32[12,8] = reshape(%0) shape=(12, 8)
        %3:float32[12,16] = matmul(%2, %1) …
        %4:float32[4,3,16] = reshape(%3) shape=(4, 3, 16)
        %5:float32[4,1,16] = strided_slice(%4) begin=(0, 0, 0) …
        %6:float32[4,16] = reshape(%5) shape=(4, 16)
        (the last two for each step)
    """
    producers = {value: eqn for eqn in graph.eqns for value in eqn.outputs}
    groups: defaultdict[Key, list[int]] = defaultdict(list)
    for eqn in graph.eqns:
        slice_ = _slice(graph, eqn, producers.get)
        if slice_ is not None:
            groups[_key(slice_, eqn)].append(eqn.outputs[0])
    products = {
        output: key
        for key, outputs in groups.items()
        if _pays(graph, key, outputs)
        for output in outputs
    }
    made: dict[Key, int] = {}

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        key = products.get(eqn.outputs[0])
        if key is None:
            return None
        slice_ = _slice(builder.graph, eqn, builder.producer)
        assert slice_ is not None
        if key not in made:
            made[key] = _product(builder, slice_.inputs[0], eqn)
        return _rows(builder, made[key], slice_, eqn)

    return rewrite(graph, rule)


def _slice(graph: Graph, eqn: Eqn, producer: Callable[[int], Eqn | None]) -> Eqn | None:
    """The slice of whole rows that the equation multiplies with a matrix."""
    if eqn.op is not matmul or graph.avals[eqn.inputs[1]].rank != 2:
        return None
    rows = graph.avals[eqn.inputs[0]].shape
    found = producer(eqn.inputs[0])
    if found is not None and found.op is reshape:
        found = producer(found.inputs[0])
    if found is None or found.op is not strided_slice or dict(eqn.attrs)["transpose_a"]:
        return None
    whole = graph.avals[found.inputs[0]].shape[-1:]
    slice_ = dict(found.attrs)
    is_of_rows = slice_["size"][-1:] == whole == rows[-1:] and slice_["strides"][-1:] == (1,)
    return found if is_of_rows else None


def _key(slice_: Eqn, eqn: Eqn) -> Key:
    return slice_.inputs[0], eqn.inputs[1], dict(eqn.attrs)["transpose_b"]


def _pays(graph: Graph, key: Key, outputs: list[int]) -> bool:
    """Whether these products of slices have as many rows as the product of all."""
    shapes = [graph.avals[output].shape for output in outputs]
    rows = sum(math.prod(shape[:-1]) for shape in shapes)
    nbytes = sum(graph.avals[output].nbytes for output in outputs)
    everything = math.prod(graph.avals[key[0]].shape[:-1])
    return len(outputs) > 1 and rows == everything and nbytes <= MAX_BYTES


def _product(builder: Builder, source: int, eqn: Eqn) -> int:
    """The product of all rows, in the shape of the source but for the last dimension."""
    shape = builder.aval(source).shape
    rows = reshaped(builder, source, (math.prod(shape[:-1]), shape[-1]))
    product = builder.add(matmul, [rows, eqn.inputs[1]], eqn.attrs)
    return reshaped(builder, product, (*shape[:-1], builder.result(eqn).shape[-1]))


def _rows(builder: Builder, product: int, slice_: Eqn, eqn: Eqn) -> int:
    """What the equation gave, as a slice of the product."""
    shape, attrs = builder.result(eqn).shape, dict(slice_.attrs)
    begin, size = (*attrs["begin"][:-1], 0), (*attrs["size"][:-1], shape[-1])
    part = builder.apply(strided_slice, product, begin=begin, size=size, strides=attrs["strides"])
    return reshaped(builder, part, shape)
