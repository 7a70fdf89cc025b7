"""Elementwise ops on ragged tensors: the host matches rows, the device computes values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ir.op import Op
from tfpy._src.core.conversion import as_tensors, constant
from tfpy._src.core.operand import CompositeOperand, with_composites
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.rows import RaggedRows, row_count, take_rows

_PER_ELEMENT = ("elementwise", "text")


def apply(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Apply an elementwise op to inputs, at least one of them ragged.

    Raises:
        ValueError: If the op is not elementwise.
        InvalidArgumentError: If the rows do not match.
    """
    if op.family not in _PER_ELEMENT:
        raise ValueError(f"{op.name} does not support a RaggedTensor; convert it with to_tensor()")
    flat, like = matched(op, tuple(map(with_composites, inputs)))
    return like.with_flat_values(op(*flat, **attrs))


def matched(op: Op, inputs: tuple[Any, ...]) -> tuple[list[Any], RaggedRows]:
    """Convert the inputs of an op and match their rows, like `match`.

    Raises:
        InvalidArgumentError: If the rows do not match.
    """
    flat = as_tensors(op, [x.flat_values if isinstance(x, RaggedRows) else x for x in inputs])
    operands = [
        x.with_flat_values(v) if isinstance(x, RaggedRows) else v
        for x, v in zip(inputs, flat, strict=True)
    ]
    return match(operands)


def per_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """Extend an elementwise function to ragged tensors: apply it to flat values in common rows."""

    def mapped(*args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(a, CompositeOperand) for a in args):
            return map_flat_values(function, *args, **kwargs)
        places = [i for i, a in enumerate(args) if isinstance(a, CompositeOperand | Tensor)]
        flat, like = match([args[i] for i in places])
        operands = list(args)
        for i, value in zip(places, flat, strict=True):
            operands[i] = value
        return like.with_flat_values(function(*operands, **kwargs))

    return mapped


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Apply a function to the values of ragged tensors and keep their rows.

    Args:
        op: Function that is called once with `args` and `kwargs`, in which each ragged tensor is
            replaced by its `flat_values`. It must return a tensor with the same first dimension.
        args: Positional arguments of `op`. Ragged tensors among them, also in lists and tuples,
            must have the same row splits.
        kwargs: Keyword arguments of `op`, in which ragged tensors are replaced as in `args`.

    Returns:
        A `tf.RaggedTensor` with the rows of the arguments. If there are no ragged tensors among the
        arguments, the result of `op`.

    Raises:
        tf.errors.InvalidArgumentError: If the row splits of the arguments differ.
        ValueError: If the result of `op` has a different first dimension.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ragged.constant([[1, 2], [], [3]])
        >>> tf.ragged.map_flat_values(tf.square, x).to_list()
        [[1, 4], [], [9]]

    See also: `tf.RaggedTensor.with_flat_values`.
    """
    found: list[RaggedRows] = []

    def flat(value: Any) -> Any:
        if isinstance(value, RaggedRows):
            found.append(value)
            return value.flat_values
        if isinstance(value, list | tuple) and any(isinstance(v, RaggedRows) for v in value):
            return type(value)(flat(v) for v in value)
        return value

    given = [flat(a) for a in args]
    named = {k: flat(v) for k, v in kwargs.items()}
    result = op(*given, **named)
    if not found:
        return result
    for other in found[1:]:
        same = len(other.nested_splits) == len(found[0].nested_splits) and all(
            map(np.array_equal, other.nested_splits, found[0].nested_splits)
        )
        if not same:
            raise invalid_value(
                "map_flat_values",
                "Inputs must have identical ragged splits, but the rows of the arguments differ",
            )
    if row_count(result) != row_count(found[0].flat_values):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-"
            f"dimension size as flat_values of any ragged inputs. (output shape: {result.shape}; "
            f"expected outer dimension size: {row_count(found[0].flat_values)})"
        )
    return found[0].with_flat_values(result)


def match(operands: list[Any]) -> tuple[list[Any], RaggedRows]:
    """Broadcast operands to common rows.

    Returns:
        The flat values of each operand, and a ragged tensor with the common rows.
    """
    ragged = [x for x in operands if isinstance(x, RaggedRows)]
    first = ragged[0]
    scalars = [not isinstance(x, RaggedRows) and x.ndim == 0 for x in operands]
    if all(s or (isinstance(x, RaggedRows) and same_rows(x, first))
           for s, x in zip(scalars, operands, strict=True)):  # fmt: skip
        flat = [x.flat_values if isinstance(x, RaggedRows) else x for x in operands]
        return flat, first
    rank = max(x.ndim for x in operands)
    depth = max(x.ragged_rank + rank - x.ndim for x in ragged)
    kind = type(first)
    lifted = [
        x if s else _lift(kind, x, rank, depth) for s, x in zip(scalars, operands, strict=True)
    ]
    levels = [x for x in lifted if isinstance(x, RaggedRows)]
    splits, rows = _common_rows([x.nested_splits for x in levels], [_uniform(x) for x in levels])
    picked = iter([take_rows(x.flat_values, r) for x, r in zip(levels, rows, strict=True)])
    flat = [next(picked) if isinstance(x, RaggedRows) else x for x in lifted]
    widths = [max(w, key=lambda n: n != 1) if None not in w else None
              for w in zip(*map(_uniform, levels), strict=True)]  # fmt: skip
    result: Any = constant(np.arange(splits[-1][-1], dtype=np.int32))
    for s, w in zip(reversed(splits), reversed(widths), strict=True):
        result = kind(result, s, w)
    return flat, result


def same_rows(x: RaggedRows, y: RaggedRows) -> bool:
    """Return True if two ragged tensors have the same rank and row splits."""
    a, b = x.nested_splits, y.nested_splits
    return x.ndim == y.ndim and len(a) == len(b) and all(map(np.array_equal, a, b))


def _lift(kind: type[RaggedRows], x: Any, rank: int, depth: int) -> Any:
    """Add leading axes of size 1, and partition the first `depth + 1` axes."""
    if isinstance(x, RaggedRows):
        for _ in range(depth - x.ragged_rank - (rank - x.ndim)):
            rows, width, *rest = x.flat_values.aval.shape
            merged = reshape(x.flat_values, [rows * width, *rest])
            x = x.with_flat_values(kind.from_uniform_row_length(merged, width, rows))
        for _ in range(rank - x.ndim):
            x = kind.from_uniform_row_length(x, x.splits.size - 1, 1)
        return x
    shape = [1] * (rank - x.ndim) + list(x.aval.shape)
    result: Any = reshape(x, [math.prod(shape[: depth + 1]), *shape[depth + 1 :]])
    for level in range(depth, 0, -1):
        rows = math.prod(shape[:level])
        result = kind.from_uniform_row_length(result, shape[level], rows)
    return result


def _uniform(x: Any) -> list[int | None]:
    """Return the row length of each partitioned axis, None for ragged axes."""
    widths = []
    while isinstance(x, RaggedRows):
        widths.append(x.uniform_row_length)
        x = x.values
    return widths


def _common_rows(
    nested: list[tuple[Ints, ...]], widths: list[list[int | None]]
) -> tuple[list[Ints], list[Ints]]:
    """Return the row splits after broadcasting, and the flat positions in each operand."""
    counts = [splits[0].size - 1 for splits in nested]
    n = max(counts, key=lambda c: c != 1)
    if any(c not in (1, n) for c in counts):
        raise _mismatch(f"{counts} rows")
    rows = [np.arange(n) if c == n else np.zeros(n, np.int64) for c in counts]
    result = []
    for level in range(len(nested[0])):
        lengths = [np.diff(s[level])[r] for s, r in zip(nested, rows, strict=True)]
        repeats = [w[level] == 1 for w in widths]
        wanted = next((v for v, one in zip(lengths, repeats, strict=True) if not one), lengths[0])
        splits = partition.from_lengths(wanted)
        for i, (s, one) in enumerate(zip(nested, repeats, strict=True)):
            if not one and not np.array_equal(lengths[i], wanted):
                raise _mismatch(f"row lengths {lengths[i].tolist()} and {wanted.tolist()}")
            starts = np.repeat(s[level][:-1][rows[i]], wanted)
            rows[i] = starts if one else starts + partition.positions(splits)
        result.append(splits)
    return result, rows


def _mismatch(what: str) -> Exception:
    return invalid_value(
        "ragged broadcast", f"Incompatible shapes: {what} of one axis do not match"
    )
