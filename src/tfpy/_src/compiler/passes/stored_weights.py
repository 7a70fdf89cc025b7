"""Products with int8 and int4 weights, and rows of them, on devices that read stored bytes."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from tfpy._src.base.dtypes import float32, int8, int32
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.elementwise import multiply, real_div, subtract
from tfpy._src.compiler.ops.indexing import gather
from tfpy._src.compiler.ops.movement import reshape, transpose
from tfpy._src.compiler.ops.stored_bytes import (
    HALVES,
    gather_stored,
    multiply_stored,
    unpack_halves,
)
from tfpy._src.compiler.passes.common_subexpressions import merge_common_subexpressions
from tfpy._src.compiler.passes.halves import find_halves
from tfpy._src.compiler.passes.movement import keeps_order, reshaped
from tfpy._src.compiler.passes.prelude import WeightOnly
from tfpy._src.compiler.passes.rewrite import Builder, rewrite


def multiply_stored_weights(graph: Graph, target: Target, weights: Collection[int]) -> Graph:
    """Read int8 and int4 weights as they are stored, as in Keras's quantized layers.

    Products of integers are the same. Products of floats are equal except for rounding, because the
    scales are applied to sums. ::

        %2:int32[8,64] = cast(%0:int8[8,64])      %2:int32[8,64] = cast(%0:int8[8,64])
        %3:int32[64,96] = cast(%1:int8[64,96]) -> %3:int32[8,96] = multiply_stored(%2, %1) …
        %4:int32[8,96] = matmul(%2, %3)

    Args:
        weights: Positions in `graph.inputs`; see
            :class:`~tfpy._src.compiler.passes.prelude.WeightOnly`.
    """
    stored = (*graph.inputs, *graph.constants)
    if multiply_stored.name not in target.kernels or not any(
        graph.avals[value].dtype == int8 for value in stored
    ):
        return graph
    graph = find_halves(merge_common_subexpressions(graph))
    known: list[_Weights] = []

    def product(builder: Builder, eqn: Eqn) -> int | None:
        if not known:
            known.append(_Weights(builder, weights))
        return _product(known[0], eqn) if eqn.op is matmul else None

    graph = rewrite(graph, product, (matmul,))
    return rewrite(graph, _rows, (gather,))


class _Stored(NamedTuple):
    """The bytes of a matrix [k, n] of int8 numbers, or if `is_turned` of its transpose."""

    value: int
    is_turned: bool
    bits: int = 8
    width: int = 0
    """With 4 bits, the number of columns in the bytes."""


class _Weights:
    """The values of a Graph under construction that contain weights.

    Args:
        builder: The Graph.
        weights: As of :func:`multiply_stored_weights`.
    """

    def __init__(self, builder: Builder, weights: Collection[int]) -> None:
        self.builder = builder
        self._fixed = WeightOnly(builder.graph, weights)
        self._given = {*builder.graph.inputs, *builder.graph.constants}

    def source(self, value: int) -> int:
        """Return the first value with the same shape and the same elements."""
        shape, found = self.builder.aval(value).shape, value
        while (eqn := self.builder.producer(found, reshape, transpose)) is not None:
            (found,) = eqn.inputs
            before = self.builder.aval(found).shape
            if eqn.op is transpose and not keeps_order(before, dict(eqn.attrs)["perm"]):
                break
            if before == shape:
                value = found
        return value

    def is_stored(self, value: int) -> bool:
        """Return True if int8 values exist before the Graph runs, or are computed only once."""
        return self.builder.aval(value).dtype == int8 and (
            value in self._given or value in self._fixed
        )

    def unturned(self, value: int) -> tuple[int, bool]:
        """Return a matrix before it is transposed, and True if it is transposed."""
        is_turned, value = False, self.source(value)
        while (eqn := self.builder.producer(value, transpose)) is not None:
            if dict(eqn.attrs)["perm"] != (1, 0):
                break
            is_turned, value = not is_turned, self.source(eqn.inputs[0])
        return value, is_turned

    def bytes_of(self, value: int, bits: Collection[int] = (8, HALVES)) -> _Stored | None:
        """Return the bytes of an int8 matrix.

        Args:
            value: The matrix.
            bits: Supported numbers of bits. Other numbers are stored in 8.
        """
        value, is_turned = self.unturned(value)
        halves = self.builder.producer(value, unpack_halves)
        if HALVES in bits and halves is not None and dict(halves.attrs)["axis"] == 1:
            (value,) = halves.inputs
            stored = _Stored(value, is_turned, HALVES, dict(halves.attrs)["length"])
            return stored if self.is_stored(value) else None
        whole = value
        while (eqn := self.builder.producer(whole, reshape)) is not None:
            (whole,) = eqn.inputs
        value = whole if whole in self._given else value
        return _Stored(value, is_turned) if self.is_stored(value) else None

    def floats(self, value: int) -> int | None:
        """Return the values that are cast to float32."""
        eqn = self.builder.producer(self.source(value), cast)
        if eqn is None or self.builder.result(eqn).dtype != float32:
            return None
        return eqn.inputs[0]

    def numbers(self, value: int) -> _Stored | None:
        """Return the bytes of an int8 matrix that is cast to float32."""
        found = self.floats(value)
        return None if found is None else self.bytes_of(found)


class _Product(NamedTuple):
    """A product with a matrix that is computed from weights."""

    weights: _Weights
    eqn: Eqn
    made: Eqn
    """The equation that computes the matrix [k, n], or [n, k] if `is_turned`."""
    is_turned: bool

    @property
    def builder(self) -> Builder:
        return self.weights.builder

    def keeps_shape(self, *operands: int) -> bool:
        """Return True if the matrix is [k, n], and computed from operands of the same shape."""
        shape = self.builder.result(self.made).shape
        return not self.is_turned and all(self.builder.aval(v).shape == shape for v in operands)

    def by(self, stored: _Stored | None, *scales: int) -> int | None:
        """Return the product with the bytes of the matrix, if it has any."""
        (x, _), n = self.eqn.inputs, self.builder.result(self.eqn).shape[-1]
        shape = (self.builder.aval(x).shape[-1], n)
        if stored is None:
            return None
        transpose_b = stored.is_turned != self.is_turned
        if stored.bits == HALVES and shape[0 if transpose_b else 1] != stored.width:
            return None
        return self.builder.apply(
            multiply_stored,
            *(x, stored.value, *scales),
            shape=shape,
            transpose_b=transpose_b,
            bits=stored.bits,
        )


def _product(weights: _Weights, eqn: Eqn) -> int | None:
    builder, (x, w), attrs = weights.builder, eqn.inputs, dict(eqn.attrs)
    if attrs["transpose_a"] or len(builder.aval(w).shape) != 2 or not builder.aval(w).size:
        return None
    value, is_turned = weights.unturned(w)
    made = builder.producer(value)
    while made is not None and made.op is reshape:
        made = builder.producer(made.inputs[0])
    if made is None or (made.op is not cast and made.outputs[0] != value):
        return None
    product = _Product(weights, eqn, made, is_turned != attrs["transpose_b"])
    if builder.aval(x).dtype == int32:
        return _whole(product) if _was_int8(builder, x) else None
    rule = _FLOATS.get(made.op)
    return rule(product) if rule is not None and builder.aval(x).dtype == float32 else None


def _was_int8(builder: Builder, value: int) -> bool:
    """Return True if int32 values are cast from int8."""
    eqn = builder.producer(value, reshape, transpose, cast)
    while eqn is not None and eqn.op is not cast:
        eqn = builder.producer(eqn.inputs[0], reshape, transpose, cast)
    if eqn is None or builder.result(eqn).dtype != int32:
        return False
    return builder.aval(eqn.inputs[0]).dtype == int8


def _whole(product: _Product) -> int | None:
    """Multiply int32 by numbers without scales."""
    if product.made.op is not cast:
        return None
    return product.by(product.weights.bytes_of(product.made.inputs[0], (8,)))


def _plain(product: _Product) -> int | None:
    """Multiply by numbers without scales."""
    return product.by(product.weights.numbers(product.made.outputs[0]))


def _divided(product: _Product) -> int | None:
    """Multiply by numbers that are divided by one scale for each column."""
    builder, (numbers, scale) = product.builder, product.made.inputs
    n = builder.result(product.made).shape[-1]
    of_columns = builder.aval(scale).size == n and builder.aval(scale).shape[-1:] == (n,)
    if not (of_columns and product.keeps_shape(numbers)):
        return None
    found = product.by(product.weights.numbers(numbers))
    if found is None:
        return None
    return builder.apply(real_div, found, reshaped(builder, scale, (n,)))


def _scaled(product: _Product) -> int | None:
    """Multiply by numbers with a scale and a zero point for each group of a column."""
    weights, builder = product.weights, product.builder
    difference, scales = product.made.inputs
    shifted = builder.producer(difference, subtract)
    scale = builder.producer(scales, gather)
    if shifted is None or scale is None or not product.keeps_shape(scales, *shifted.inputs):
        return None
    numbers, points = shifted.inputs
    point = weights.floats(points)
    zero = None if point is None else builder.producer(point, gather)
    if zero is None or not weights.is_stored(zero.inputs[0]):
        return None
    groups = builder.aval(scale.inputs[1])
    alike = builder.aval(scale.inputs[0]).shape == builder.aval(zero.inputs[0]).shape
    same = scale.inputs[1] == zero.inputs[1] and groups.dtype == int32 and len(groups.shape) == 1
    if not (alike and same and _along_rows(scale) and _along_rows(zero)):
        return None
    stored = weights.numbers(numbers)
    return product.by(stored, scale.inputs[0], zero.inputs[0], scale.inputs[1])


_FLOATS = {cast: _plain, real_div: _divided, multiply: _scaled}
"""Rules for products of floats, by the op that computes the weights."""


def _along_rows(eqn: Eqn) -> bool:
    attrs = dict(eqn.attrs)
    return bool(attrs["axis"] == attrs["batch_dims"] == 0)


def _rows(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite a gather of rows of int8 inputs. ::

                                                %2:int32[5,64] = gather_stored(%0, %1) …
    %2:int8[5,64] = gather(%0:int8[90,64], %1) ->  %3:int8[5,64] = cast(%2)
    """
    if eqn.op is not gather or not _along_rows(eqn):
        return None
    x, indices = eqn.inputs
    out, bits = builder.result(eqn), 8
    halves = builder.producer(x, unpack_halves)
    if halves is not None and dict(halves.attrs)["axis"] == 1:
        (x,), bits = halves.inputs, HALVES
    given = x in builder.graph.inputs or x in builder.graph.constants
    if not given or builder.aval(x).dtype != int8 or builder.aval(indices).dtype != int32:
        return None
    width = builder.aval(eqn.inputs[0]).size // max(1, builder.aval(x).shape[0])
    found = builder.apply(gather_stored, x, indices, width=width, bits=bits)
    return builder.apply(cast, reshaped(builder, found, out.shape), dtype=int8)
