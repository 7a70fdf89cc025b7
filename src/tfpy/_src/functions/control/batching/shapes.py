"""Batching rules of elementwise ops, of movement ops, and of ops along an axis."""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ops.concatenation import concat
from tfpy._src.compiler.ops.movement import broadcast_to, pad, reshape, strided_slice, transpose
from tfpy._src.functions.control.batching.table import (
    BY_ROWS,
    BatchedRows,
    RowOperand,
    family,
    rule,
)


def _apply(name: str, *tensors: Any, **attrs: Any) -> Any:
    return OPS[name](*tensors, **attrs)


def _elementwise(name: str) -> None:
    @rule(name)
    def batched(rows: BatchedRows, *operands: RowOperand, **attrs: Any) -> Any:
        rank = max(len(x.shape) for x in operands)
        return _apply(name, *(rows.aligned(x, rank) for x in operands), **attrs)


def _of_one_shape(name: str) -> None:
    """Define the rule of an op on scalars and on operands with the result's shape."""

    @rule(name)
    def batched(rows: BatchedRows, *operands: RowOperand, **attrs: Any) -> Any:
        tensors = [
            rows.spread(x, rows.aval.shape) if x.is_batched or x.shape else x.tensor
            for x in operands
        ]
        return _apply(name, *tensors, **attrs)


def _with_leading_axes(name: str) -> None:
    """Define the rule of an op on operands that share any number of leading axes."""

    @rule(name)
    def batched(rows: BatchedRows, *operands: RowOperand, **attrs: Any) -> Any:
        return _apply(name, *map(rows.spread, operands), **attrs)


def _along_axis(name: str) -> None:
    @rule(name)
    def batched(rows: BatchedRows, *operands: RowOperand, axis: int, **attrs: Any) -> Any:
        return _apply(name, *map(rows.spread, operands), axis=axis + 1, **attrs)


def _along_axes(name: str) -> None:
    @rule(name)
    def batched(rows: BatchedRows, x: RowOperand, axes: tuple[int, ...], **attrs: Any) -> Any:
        return _apply(name, x.tensor, axes=tuple(axis + 1 for axis in axes), **attrs)


_TEXTS_OF_SEVERAL = ("reduce_join", *(n for n in family("text") if n in BY_ROWS))

for _name in family("elementwise"):
    _elementwise(_name)
for _name in family("gamma"):
    _of_one_shape(_name)
for _name in (*family("text", _TEXTS_OF_SEVERAL), *family("boxes")):
    _with_leading_axes(_name)
for _name in ("argsort", "largest", "permute", "searchsorted", "ravel_index"):
    _with_leading_axes(_name)
for _name in ("argmax", "argmin", *family("scan")):
    _along_axis(_name)
for _name in (*family("reduction"), "reduce_join"):
    _along_axes(_name)


@rule("dft")
def _dft(rows: BatchedRows, *parts: RowOperand, axis: int, inverse: bool) -> Any:
    """Move the axis of the real and imaginary parts, which is first in the result."""
    found = _apply("dft", *map(rows.spread, parts), axis=axis + 1, inverse=inverse)
    return transpose(found, perm=(1, 0, *range(2, found.aval.rank)))


@rule("resample")
def _resample(rows: BatchedRows, x: RowOperand, entries: RowOperand, axis: int, spec: Any) -> Any:
    if entries.is_batched:
        return NotImplemented
    return _apply("resample", x.tensor, entries.tensor, axis=axis + 1, spec=spec)


# Movement


@rule("reshape")
def _reshape(rows: BatchedRows, x: RowOperand, shape: tuple[int, ...]) -> Any:
    return reshape(x.tensor, shape=(rows.count, *shape))


@rule("broadcast_to")
def _broadcast_to(rows: BatchedRows, x: RowOperand, shape: tuple[int, ...]) -> Any:
    return broadcast_to(rows.aligned(x, len(shape)), shape=(rows.count, *shape))


@rule("transpose")
def _transpose(rows: BatchedRows, x: RowOperand, perm: tuple[int, ...]) -> Any:
    return transpose(x.tensor, perm=(0, *(p + 1 for p in perm)))


@rule("strided_slice")
def _strided_slice(rows: BatchedRows, x: RowOperand, begin: Any, size: Any, strides: Any) -> Any:
    size, strides = (rows.count, *size), (1, *strides)
    return strided_slice(x.tensor, begin=(0, *begin), size=size, strides=strides)


@rule("pad")
def _pad(rows: BatchedRows, x: RowOperand, padding: Any, interior: Any, value: Any) -> Any:
    padding, interior = ((0, 0), *padding), (0, *interior)
    return pad(x.tensor, padding=padding, interior=interior, value=value)


@rule("concat")
def _concat(rows: BatchedRows, *operands: RowOperand, axis: int) -> Any:
    return concat(*map(rows.spread, operands), axis=axis + 1)
