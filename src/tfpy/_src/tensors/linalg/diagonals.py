"""Diagonals and bands of matrices: functions of `tf.linalg`.

A diagonal of a matrix is a strided run of its flat elements. A strided slice reads it, and padding
with interior elements writes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew, indexing, logic, movement
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor, host_values
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import ones
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.array.static import static_int, static_ints

_ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _length(k: int, rows: int, columns: int) -> int:
    """Return the length of diagonal `k`."""
    return min(rows + min(k, 0), columns - max(k, 0))


def _read(x: Tensor, k: int) -> Tensor:
    """Return diagonal `k` of matrices of shape `[..., rows, columns]`."""
    *lead, rows, columns = x.aval.shape
    size = _length(k, rows, columns)
    flat = reshape(x, [math.prod(lead), rows * columns])
    found = movement.strided_slice(
        flat,
        begin=(0, (k if k >= 0 else -k * columns) if size else 0),
        size=(math.prod(lead), size),
        strides=(1, columns + 1),
    )
    return reshape(found, [*lead, size])


def _written(diagonal: Tensor, k: int, rows: int, columns: int, fill: Any) -> Tensor:
    """Return matrices of shape `[..., rows, columns]` with diagonal `k`, filled with `fill`."""
    *lead, size = diagonal.aval.shape
    flat = reshape(diagonal, [math.prod(lead), size])
    start = k if k >= 0 else -k * columns
    used = start + (size - 1) * (columns + 1) + 1
    ends = (start, rows * columns - used) if size else (0, rows * columns)
    padded = movement.pad(flat, padding=((0, 0), ends), interior=(0, columns), value=fill)
    return reshape(padded, [*lead, rows, columns])


def _band(op: str, k: Any) -> tuple[int, int]:
    """Return the lowest and uppermost diagonal of `k`."""
    numbers = static_ints(k)
    lower, upper = numbers[0], numbers[-1]
    if len(numbers) not in (1, 2) or lower > upper:
        raise invalid(
            op,
            "lower_diag_index must not be larger than upper_diag_index: "
            f"k must be one integer or an ascending pair, got {list(numbers)}",
        )
    return lower, upper


def _check_align(op: str, align: str) -> None:
    if align not in _ALIGNS:
        raise invalid(op, f"align must be one of {', '.join(_ALIGNS)}, got {align!r}")


def _check_inside(op: str, band: tuple[int, int], rows: int, columns: int) -> None:
    for k in band:
        if not -rows < k < columns and (rows, columns) != (0, 0) and k != 0:
            raise invalid(
                op,
                f"diag index is out of bound: {k}. It must be between {-rows + 1} and "
                f"{columns - 1} for matrices of {rows} by {columns}",
            )


def _lines(
    band: tuple[int, int], align: str, width: int, rows: int, columns: int
) -> Iterator[tuple[int, int, int]]:
    """Yield the number, length and offset in a line of each diagonal, from the uppermost one."""
    above, below = align.split("_")
    for k in range(band[1], band[0] - 1, -1):
        size = _length(k, rows, columns)
        left = (k >= 0 and above == "LEFT") or (k <= 0 and below == "LEFT")
        yield k, size, 0 if left else width - size


def _padding(op: str, x: Tensor, value: Any) -> Any:
    """Return the number that pads matrices of the dtype of `x`."""
    if x.dtype.is_bool:
        return bool(host_values(value).item())
    try:
        fill = convert_to_tensor(value, x.dtype).host_view()
    except TypeError as error:
        raise TypeError(f"{op}: padding_value: {error}") from None
    if fill.ndim:
        raise invalid(op, f"padding_value must be a scalar, got shape {list(fill.shape)}")
    return fill.item()


def diag(
    diagonal: TensorLike,
    name: str = "diag",
    k: IntLike | Sequence[int] = 0,
    num_rows: IntLike = -1,
    num_cols: IntLike = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Create matrices with the given diagonals.

    Args:
        diagonal: Tensor of shape `[..., length]`, or `[..., diagonals, length]` if `k` is a pair,
            with the uppermost diagonal first.
        k: Number of the diagonal (0 is the main one, positive numbers are above it), or a pair of
            the lowest and the highest number of adjacent diagonals. Default: 0.
        num_rows: Number of rows of the matrices. Default (-1): as few as possible, or the smallest
            square matrices if `num_cols` is also -1.
        num_cols: Number of columns of the matrices, in the same way.
        padding_value: Value of all other elements, a scalar. Default: 0. Required for strings.
        align: Sides to which shorter diagonals above and below the main one are aligned, if `k` is
            a pair. `"RIGHT_LEFT"` (default), `"LEFT_RIGHT"`, `"LEFT_LEFT"` or `"RIGHT_RIGHT"`.

    Returns:
        Tensor of shape `[..., num_rows, num_cols]`, with the dtype of `diagonal`.

    Raises:
        tf.errors.InvalidArgumentError: If `num_rows` or `num_cols` does not match the diagonals.
        TypeError: If `padding_value` cannot be converted to the dtype of `diagonal`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.diag([1, 2]).numpy().tolist()
        [[1, 0], [0, 2]]
        >>> tf.linalg.diag([1, 2], k=1).numpy().tolist()
        [[0, 1, 0], [0, 0, 2], [0, 0, 0]]

    See also: `tf.linalg.diag_part`, `tf.linalg.set_diag`, `tf.eye`.
    """
    _check_align("diag", align)
    x, band = convert_to_tensor(diagonal), _band("diag", k)
    many = band[0] != band[1]
    if x.ndim < 1 + many or (many and x.aval.shape[-2] != band[1] - band[0] + 1):
        raise invalid(
            "diag",
            f"diagonal {list(x.shape)} must end in {band[1] - band[0] + 1} diagonals for k {band}",
        )
    width = x.aval.shape[-1]
    least_rows, least_columns = width - min(band[1], 0), width + max(band[0], 0)
    rows, columns = static_int(num_rows), static_int(num_cols)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    exact = rows == least_rows or columns == least_columns
    if rows < least_rows or columns < least_columns or not exact:
        raise invalid(
            "diag",
            f"num_rows {num_rows} and num_cols {num_cols} do not match diagonals {list(x.shape)} "
            f"for k {band}: the matrices must have at least {least_rows} rows and "
            f"{least_columns} columns, and exactly one of these numbers",
        )
    fill = _padding("diag", x, padding_value)
    if not many:
        return _written(x, band[0], rows, columns, fill)
    base = constant(fill, x.dtype, shape=[1] * (x.ndim - 2) + [1, 1])
    return _with_diagonals(broadcast_to(base, [*x.aval.shape[:-2], rows, columns]), x, band, align)


def _with_diagonals(x: Tensor, lines: Tensor, band: tuple[int, int], align: str) -> Tensor:
    """Replace the diagonals of `band` by `lines` of shape `[..., diagonals, width]`."""
    *lead, count, width = lines.aval.shape
    rows, columns = x.aval.shape[-2:]
    flat = reshape(lines, [math.prod(lead), count, width])
    for i, (k, size, offset) in enumerate(_lines(band, align, width, rows, columns)):
        line = movement.strided_slice(
            flat, begin=(0, i, offset), size=(flat.aval.shape[0], 1, size), strides=(1, 1, 1)
        )
        matrix = _written(reshape(line, [*lead, size]), k, rows, columns, False)
        hit = _written(ones([size], dtypes.bool), k, rows, columns, False)
        x = logic.select(hit, matrix, x)
    return x


@dispatchable
def diag_part(
    input: TensorLike,
    name: str = "diag_part",
    k: IntLike | Sequence[int] = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Return diagonals of matrices.

    Args:
        input: Tensor of shape `[..., rows, columns]`.
        k: Number of the diagonal (0 is the main one, positive numbers are above it), or a pair of
            the lowest and the highest number of adjacent diagonals. Default: 0.
        padding_value: Value that fills up shorter diagonals if `k` is a pair. Default: 0.
        align: Sides to which shorter diagonals above and below the main one are aligned, if `k` is
            a pair. `"RIGHT_LEFT"` (default), `"LEFT_RIGHT"`, `"LEFT_LEFT"` or `"RIGHT_RIGHT"`.

    Returns:
        Tensor of shape `[..., length]`, or `[..., diagonals, length]` if `k` is a pair, with the
        uppermost diagonal first.

    Raises:
        tf.errors.InvalidArgumentError: If the matrices do not have a diagonal `k`.
        TypeError: If `padding_value` cannot be converted to the dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.diag_part([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
        [1, 5]

    See also: `tf.linalg.diag`, `tf.linalg.trace`.
    """
    x = _matrices("diag_part", input)
    fill = _padding("diag_part", x, padding_value)
    _check_align("diag_part", align)
    band, (rows, columns) = _band("diag_part", k), x.aval.shape[-2:]
    _check_inside("diag_part", band, rows, columns)
    if band[0] == band[1]:
        return _read(x, band[0])
    width = max(_length(i, rows, columns) for i in range(band[0], band[1] + 1))
    lines = []
    for i, size, offset in _lines(band, align, width, rows, columns):
        line = _read(x, i)
        margin = ((0, 0),) * (line.ndim - 1) + ((offset, width - size - offset),)
        lines.append(movement.pad(line, padding=margin, interior=(0,) * line.ndim, value=fill))
    return stack(lines, axis=-2)


def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str = "set_diag",
    k: IntLike | Sequence[int] = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Return a copy of matrices in which diagonals are replaced.

    Args:
        input: Tensor of shape `[..., rows, columns]`.
        diagonal: Tensor of shape `[..., length]`, or `[..., diagonals, length]` if `k` is a pair,
            with the uppermost diagonal first.
        k: Number of the diagonal (0 is the main one, positive numbers are above it), or a pair of
            the lowest and the highest number of adjacent diagonals. Default: 0.
        align: Sides to which shorter diagonals above and below the main one are aligned, if `k` is
            a pair. `"RIGHT_LEFT"` (default), `"LEFT_RIGHT"`, `"LEFT_LEFT"` or `"RIGHT_RIGHT"`.

    Returns:
        Tensor with the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape of `diagonal` does not match `input` and `k`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 9]).numpy().tolist()
        [[0, 2], [3, 9]]

    See also: `tf.linalg.diag`, `tf.linalg.diag_part`.
    """
    x, lines = as_tensors(ew.add, (_matrices("set_diag", input), diagonal))
    _check_align("set_diag", align)
    band, (rows, columns) = _band("set_diag", k), x.aval.shape[-2:]
    _check_inside("set_diag", band, rows, columns)
    width = max(_length(i, rows, columns) for i in range(band[0], band[1] + 1))
    count = band[1] - band[0] + 1
    wanted = (*x.aval.shape[:-2], *([count] if count > 1 else []), width)
    if lines.aval.shape != wanted:
        raise invalid(
            "set_diag",
            f"diagonal must have shape {list(wanted)} for k {band} and input "
            f"{list(x.aval.shape)}, got {list(lines.aval.shape)}",
        )
    return _with_diagonals(x, reshape(lines, [*x.aval.shape[:-2], count, width]), band, align)


def _matrices(op: str, input: Any) -> Tensor:
    """Return a tensor, after checking that it has at least two dimensions."""
    x = convert_to_tensor(input)
    if x.ndim < 2:
        raise invalid(op, f"input must be at least 2-dim, received shape: {list(x.aval.shape)}")
    return x


def band_part(
    input: TensorLike, num_lower: IntLike, num_upper: IntLike, name: str | None = None
) -> Tensor:
    """Set the elements of matrices outside a band around the main diagonal to 0.

    Args:
        input: Tensor of shape `[..., rows, columns]`.
        num_lower: Number of diagonals to keep below the main one. A negative number keeps all.
        num_upper: Number of diagonals to keep above the main one. A negative number keeps all.

    Returns:
        Tensor with the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the matrices have fewer rows than `num_lower`, or fewer
            columns than `num_upper`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
        >>> tf.linalg.band_part(x, num_lower=0, num_upper=-1).numpy().tolist()
        [[1, 2, 3], [0, 5, 6], [0, 0, 9]]

    See also: `tf.linalg.diag`, `tf.linalg.set_diag`.
    """
    x = _matrices("band_part", input)
    rows, columns = x.aval.shape[-2:]
    lower, upper = static_int(num_lower), static_int(num_upper)
    for what, number, size in (("num_lower", lower, rows), ("num_upper", upper, columns)):
        if number > size:
            return failing(
                "band_part",
                f"{what} must be negative or less or equal to number of rows or columns ({size}) "
                f"got: {number}",
                (x,),
                x.aval.shape,
                x.dtype,
            )
    row = indexing.range_(start=0, delta=1, count=rows, dtype=dtypes.int32)
    column = indexing.range_(start=0, delta=1, count=columns, dtype=dtypes.int32)
    above = column - reshape(row, [rows, 1])
    inside = logic.logical_and(
        above >= -(rows if lower < 0 else lower), above <= (columns if upper < 0 else upper)
    )
    return logic.select(inside, x, False if x.dtype.is_bool else 0)


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """Create a tensor of shape `[*s, *s]` with the given diagonal, a tensor of shape `s`.

    Args:
        diagonal: Tensor of any shape `s`, except a scalar.

    Returns:
        Tensor of shape `[*s, *s]` with the dtype of `diagonal`, which is zero elsewhere.

    Raises:
        tf.errors.InvalidArgumentError: If `diagonal` is a scalar or a string tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
        [[1, 0], [0, 2]]

    See also: `tf.linalg.tensor_diag_part`, `tf.linalg.diag`.
    """
    x = convert_to_tensor(diagonal)
    infer.check_dtype("tensor_diag", x.aval, infer.ANY - {dtypes.string}, "diagonal")
    if not x.ndim:
        raise invalid("tensor_diag", "Input must be at least rank 1, got 0")
    return reshape(diag(reshape(x, [x.size])), [*x.aval.shape, *x.aval.shape])


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the diagonal of a tensor of shape `[*s, *s]`, which has the shape `s`.

    Args:
        input: Tensor of shape `[*s, *s]`. A scalar is returned unchanged.

    Returns:
        Tensor of shape `s`, with the dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape does not consist of two equal halves, or
            `input` is a string tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
        [1, 4]

    See also: `tf.linalg.tensor_diag`, `tf.linalg.diag_part`.
    """
    x = convert_to_tensor(input)
    infer.check_dtype("tensor_diag_part", x.aval, infer.ANY - {dtypes.string})
    half = x.ndim // 2
    side = x.aval.shape[:half]
    if x.ndim % 2 or side != x.aval.shape[half:]:
        text = f"input must have even rank and equal halves of its shape, got {list(x.aval.shape)}"
        raise invalid("tensor_diag_part", text)
    return reshape(_read(reshape(x, [math.prod(side)] * 2), 0), side)
