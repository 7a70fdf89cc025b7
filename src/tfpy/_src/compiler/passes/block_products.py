"""The rules for products with weights in block formats, and for rows of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tfpy._src.base.dtypes import float32, int32
from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.strides import dense_strides, merge
from tfpy._src.compiler.ops.blocks import dequantize_blocks, gather_blocks, multiply_blocks
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.elementwise import add
from tfpy._src.compiler.ops.indexing import gather
from tfpy._src.compiler.ops.movement import reshape, transpose
from tfpy._src.compiler.ops.sorting import argsort
from tfpy._src.compiler.passes.rewrite import Builder, rewrite


def multiply_by_blocks(graph: Graph) -> Graph:
    """Replace products and gathers, see :mod:`~tfpy._src.compiler.passes.block_weights`."""
    return rewrite(graph, _rule, (matmul, gather))


def _rule(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op is gather:
        return _rows(builder, eqn)
    if eqn.op is not matmul or dict(eqn.attrs)["transpose_a"]:
        return None
    x, w = eqn.inputs
    if len(builder.aval(w).shape) != 2 or builder.aval(x).dtype != float32:
        return None
    transpose_b = dict(eqn.attrs)["transpose_b"]
    found = _product(builder, x, w, transpose_b)
    return _sum(builder, x, w, transpose_b) if found is None else found


class _Moved(NamedTuple):
    """A value and the reshapes and transposes, the last one first, that produce another one."""

    value: int
    moves: list[Eqn]


def _source(builder: Builder, value: int) -> _Moved:
    moves = []
    while (eqn := builder.producer(value, reshape, transpose)) is not None:
        moves.append(eqn)
        (value,) = eqn.inputs
    return _Moved(value, moves)


class _Weights(NamedTuple):
    """Weights in blocks.

    Attributes:
        made: The equation that computes the values.
        columns: Values that contain the position of each column of the blocks in the matrix, and
            the column of the blocks for each position; None if the order is the same.
    """

    made: Eqn
    columns: tuple[int, int] | None

    def product(self, builder: Builder, x: int, transpose_b: bool) -> int:
        """Return the product of `x` and the matrix or its transpose."""
        if self.columns is not None and transpose_b:
            x = _reordered(builder, x, self.columns[0])
        attrs = {**dict(self.made.attrs), "transpose_b": transpose_b}
        found = builder.apply(multiply_blocks, x, self.made.inputs[0], **attrs)
        if self.columns is None or transpose_b:
            return found
        return _reordered(builder, found, self.columns[1])


def _reordered(builder: Builder, x: int, columns: int) -> int:
    axis = len(builder.aval(x).shape) - 1
    return builder.apply(gather, x, columns, axis=axis, batch_dims=0)


def _weights(builder: Builder, value: int) -> _Weights | None:
    """Return the weights in blocks that a value contains, perhaps with reordered columns. ::

    %2:float32[64,32] = dequantize_blocks(%0) …
    %3:int32[32] = argsort(%1) k=32 …
    %4:float32[64,32] = gather(%2, %3) axis=1 …
    """
    made = builder.producer(value, dequantize_blocks)
    if made is not None:
        return _Weights(made, None)
    moved = builder.producer(value, gather)
    if moved is None or dict(moved.attrs)["axis"] != 1 or dict(moved.attrs)["batch_dims"]:
        return None
    values, places = moved.inputs
    made, order = builder.producer(values, dequantize_blocks), builder.producer(places, argsort)
    if made is None or order is None:
        return None
    (columns,), count = order.inputs, builder.result(made).shape[1:]
    is_whole = builder.aval(columns).shape == builder.aval(places).shape == count
    if not is_whole or builder.aval(columns).dtype != int32 or dict(order.attrs)["descending"]:
        return None
    return _Weights(made, (columns, places))


def _product(builder: Builder, x: int, w: int, transpose_b: bool) -> int | None:
    """Return the product of `x` and weights in blocks, if `w` is their matrix or its transpose."""
    moved = _source(builder, w)
    weights = _weights(builder, moved.value)
    if weights is None:
        return None
    n, k = shape = builder.result(weights.made).shape
    view = _view(shape, moved.moves)
    if view is None:
        return None
    dims, strides = view
    if transpose_b:
        dims, strides = dims[::-1], strides[::-1]
    for size, steps, is_turned in (((n, k), (k, 1), False), ((k, n), (1, k), True)):
        pairs = zip(dims, strides, steps, strict=True)
        if tuple(dims) == size and all(d == 1 or one == step for d, one, step in pairs):
            return weights.product(builder, x, is_turned)
    return None


def _view(shape: Shape, moves: Sequence[Eqn]) -> tuple[Sequence[int], Sequence[int]] | None:
    """Return the shape and the strides of a matrix after moves, or None if it is not a view."""
    dims, strides = list(shape), dense_strides(shape)
    for move in reversed(moves):
        attrs = dict(move.attrs)
        if move.op is transpose:
            dims, strides = ([values[i] for i in attrs["perm"]] for values in (dims, strides))
            continue
        found = _reshaped(dims, strides, attrs["shape"])
        if found is None:
            return None
        dims, strides = list(attrs["shape"]), found
    return dims, strides


def _reshaped(dims: Sequence[int], strides: Sequence[int], shape: Shape) -> list[int] | None:
    """Return the strides of a view with another shape, or None if it needs a copy."""
    merged, (steps,) = merge(dims, [strides])
    found: list[int] = []
    size, step = merged.pop(), steps.pop()
    for n in reversed(shape):
        if size == 1 and n > 1 and merged:
            size, step = merged.pop(), steps.pop()
        if size % n:
            return None
        found.insert(0, step)
        size, step = size // n, step * n
    return found


def _sum(builder: Builder, x: int, w: int, transpose_b: bool) -> int | None:
    """Return the product of `x` and a sum with weights in blocks, as a sum of products."""
    moved = _source(builder, w)
    total = builder.producer(moved.value, add)
    if total is None or builder.aval(total.inputs[0]) != builder.aval(total.inputs[1]):
        return None
    for weights, other in (total.inputs, total.inputs[::-1]):
        if _weights(builder, _source(builder, weights).value) is None:
            continue
        product = _product(builder, x, _applied(builder, moved.moves, weights), transpose_b)
        if product is None:
            continue
        rest = _applied(builder, moved.moves, other)
        attrs = {"transpose_a": False, "transpose_b": transpose_b}
        return builder.apply(add, product, builder.apply(matmul, x, rest, **attrs))
    return None


def _applied(builder: Builder, moves: Sequence[Eqn], value: int) -> int:
    for move in reversed(moves):
        value = builder.add(move.op, (value,), move.attrs)
    return value


def _rows(builder: Builder, eqn: Eqn) -> int | None:
    """Return the rows of weights in blocks. ::

    %2:float32[90,64] = dequantize_blocks(%0) …
    %3:float32[5,64] = gather(%2, %1) axis=0    ->  %2:float32[5,64] = gather_blocks(%0, %1) …
    """
    attrs = dict(eqn.attrs)
    x, indices = eqn.inputs
    made = builder.producer(x, dequantize_blocks)
    if made is None or attrs["axis"] or attrs["batch_dims"]:
        return None
    if builder.aval(indices).dtype != int32:
        return None
    return builder.apply(gather_blocks, made.inputs[0], indices, **dict(made.attrs))
