"""Sequences (lists of values) and optionals."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import NodeGraph
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.formats.onnx.reader.values import ints, positive, shape_of, tensor
from tfpy._src.tensors.array.joining import concat, split, stack
from tfpy._src.tensors.array.reshaping import reshape


class Absent:
    """The value of an empty optional."""


def _sequence(value: Any, op: str) -> list[Any]:
    if not isinstance(value, list):
        raise invalid(op, "the input is not a sequence")
    return value


def _place(position: Array | None, size: int, op: str, last: int) -> int:
    at = last if position is None else ints(position)[0]
    if not -size <= at <= last:
        raise invalid(op, f"position {at} is out of range for a sequence of length {size}")
    return at + size if at < 0 else at


@operation("SequenceConstruct")
def sequence_construct(*inputs: Any) -> Any:
    return (list(inputs),)


@operation("SequenceEmpty")
def sequence_empty(*, dtype: int = 1) -> Any:
    return ([],)


@operation("SequenceInsert")
def sequence_insert(sequence: Any, value: Any, position: Array | None = None) -> Any:
    found = _sequence(sequence, "SequenceInsert")
    at = _place(position, len(found), "SequenceInsert", len(found))
    return ([*found[:at], value, *found[at:]],)


@operation("SequenceErase")
def sequence_erase(sequence: Any, position: Array | None = None) -> Any:
    found = _sequence(sequence, "SequenceErase")
    at = _place(position, len(found), "SequenceErase", len(found) - 1)
    return ([*found[:at], *found[at + 1 :]],)


@operation("SequenceAt")
def sequence_at(sequence: Any, position: Array) -> Any:
    found = _sequence(sequence, "SequenceAt")
    return found[_place(position, len(found), "SequenceAt", len(found) - 1)]


@operation("SequenceLength")
def sequence_length(sequence: Any) -> Any:
    return np.array(len(_sequence(sequence, "SequenceLength")), np.int64)


@operation("ConcatFromSequence")
def concat_from_sequence(sequence: Any, *, axis: int, new_axis: int = 0) -> Any:
    found = [tensor(x) for x in _sequence(sequence, "ConcatFromSequence")]
    if not found:
        raise invalid("ConcatFromSequence", "the sequence is empty")
    return stack(found, axis) if new_axis else concat(found, axis)


@operation("SplitToSequence")
def split_to_sequence(
    data: Tensor, sizes: Array | None = None, *, axis: int = 0, keepdims: int = 1
) -> Any:
    axis = positive(axis, data.ndim, "SplitToSequence")
    length = shape_of(data)[axis]
    if sizes is None:
        each = [1] * length
    elif sizes.ndim:
        each = list(ints(sizes))
    else:
        size = ints(sizes)[0]
        if size < 1:
            raise invalid("SplitToSequence", f"the size of parts must be positive, got {size}")
        each = [min(size, length - i) for i in range(0, length, size)]
    parts = split(data, each, axis)
    if sizes is None and not keepdims:
        left = [n for i, n in enumerate(shape_of(data)) if i != axis]
        parts = [reshape(part, left) for part in parts]
    return (list(parts),)


@operation("SequenceMap")
def sequence_map(sequence: Any, *more: Any, body: NodeGraph, scope: Scope) -> Any:
    made = []
    for i, value in enumerate(_sequence(sequence, "SequenceMap")):
        others = [x[i] if isinstance(x, list) else x for x in more]
        made.append(scope.call_inside(body, [value, *others]))
    if not made:
        return tuple([] for _ in body.outputs)
    return tuple(list(one) for one in zip(*made, strict=True))


@operation("Optional")
def optional(value: Any = None, *, type: dict[str, Any] | None = None) -> Any:
    return (Absent() if value is None else value,)


@operation("OptionalHasElement")
def optional_has_element(value: Any = None) -> Any:
    return np.array(value is not None and not isinstance(value, Absent))


@operation("OptionalGetElement")
def optional_get_element(value: Any) -> Any:
    if isinstance(value, Absent):
        raise invalid("OptionalGetElement", "the optional has no value")
    return (value,)
