"""Joining tensors, repeating them and taking them apart: functions under ``tf`` itself."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import is_open, size_of
from tfpy._src.compiler.ops import concatenation, movement
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, identity, reshape, squeeze
from tfpy._src.tensors.array.slicing import slice, take
from tfpy._src.tensors.array.static import sized, static_int, static_ints


def of_one_dtype(values: Sequence[Any]) -> list[Tensor]:
    """Return values as tensors.

    Lists and arrays take the dtype of the first tensor or, without tensors, of the first value.
    """
    kind = next((v.dtype for v in values if is_operand(v)), None)
    tensors: list[Tensor] = []
    for v in values:
        tensors.append(convert_to_tensor(v, None if is_operand(v) else kind))
        kind = kind or tensors[0].dtype
    return tensors


@dispatchable
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Tensors one after the other along an axis.

    Args:
        axis: an axis that there is, counted from the end when negative.

    Raises:
        InvalidArgumentError: without values, for scalars, an axis out of range, or other
            dimensions that differ.
        TypeError: for an axis that is not one number.

    Example:
        >>> import tfpy as tf
        >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy().tolist()
        [[1, 2], [3, 4], [5, 6]]
    """
    values = [values] if is_operand(values) else list(values)
    tensors = of_one_dtype(values)
    if not tensors:
        raise invalid("concat", "values is empty; give at least one tensor")
    if tensors[0].ndim == 0:
        raise invalid(
            "concat",
            "Expected concatenating dimensions in the range [0, 0), but got 0: "
            "scalars are joined by tf.stack",
        )
    if isinstance(axis, list | tuple) and len(axis) == 1 < len(tensors):
        axis = axis[0]
    at = normalize_axis("concat", static_int(axis), tensors[0].ndim)
    if len(tensors) == 1:
        return identity(tensors[0])
    return concatenation.concat(*tensors, axis=at)


def _axis(op: str, axis: int, rank: int) -> int:
    """The axis from the front; TensorFlow's stack and unstack look at it in Python."""
    axis = size_of(axis)
    if not -rank <= axis < rank:
        raise ValueError(f"{op}: Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return axis % rank


@dispatchable
def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape along a new axis.

    Args:
        axis: the place of the new axis in the result, counted from the end when negative.

    Raises:
        ValueError: when the axis is out of range.
        InvalidArgumentError: when the shapes differ.

    Example:
        >>> import tfpy as tf
        >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
        [[1, 3], [2, 4]]
    """
    if axis == 0 and not any(is_operand(v) for v in values):
        with suppress(ValueError):  # ragged: the shapes are named below
            return convert_to_tensor(values)
    tensors = of_one_dtype(values)
    shapes = {t.aval.closed.shape for t in tensors}
    if len(shapes) > 1:
        raise invalid(
            "stack", f"Shapes of all inputs must match: {[list(t.aval.shape) for t in tensors]}"
        )
    at = _axis("stack", axis, tensors[0].ndim + 1)
    return concat([expand_dims(t, at) for t in tensors], at)


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """The slices along an axis, without it.

    Args:
        axis: which one, counted from the end when negative.

    Raises:
        ValueError: when the axis is out of range, and without ``num`` when its size is open.
        InvalidArgumentError: when there are not ``num`` of them.

    Example:
        >>> import tfpy as tf
        >>> [row.numpy().tolist() for row in tf.unstack([[1, 2], [3, 4]])]
        [[1, 2], [3, 4]]
    """
    x = convert_to_tensor(value)
    at = _axis("unstack", axis, x.ndim)
    n = x.aval.shape[at]
    if num is None and is_open(n):
        raise ValueError(f"Cannot infer argument `num` from shape {x.shape}")
    if num is not None and num != n:
        raise invalid(
            "unstack",
            f"Input shape axis {at} must equal {num}, got shape {list(x.aval.shape)}",
        )
    return rows_of(x, at)


def rows_of(x: Tensor, axis: int = 0) -> list[Tensor]:
    """The slices along an axis, without it."""
    n = x.aval.shape[axis]
    return [squeeze(part, axis) for part in split(x, n, axis)] if n else []


@dispatchable
def split(
    value: Any, num_or_size_splits: Any, axis: int = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Parts along an axis: a number of equal ones, or of the given sizes (one may be -1).

    Args:
        num_or_size_splits: how many equal parts, or the size of each.
        axis: which one, counted from the end when negative.
        num: Number of sizes. It is not needed, and must be right where it is given.

    Raises:
        InvalidArgumentError: when the parts do not add up to the dimension.

    Example:
        >>> import tfpy as tf
        >>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4, 5], [2, 3])]
        [[1, 2], [3, 4, 5]]
    """
    x = convert_to_tensor(value)
    at = normalize_axis("split", static_int(axis), x.ndim)
    whole = x.aval.shape[at]
    if np.ndim(num_or_size_splits) == 0:
        count = static_int(num_or_size_splits)
        if count < 1 or whole % count:
            raise invalid(
                "split",
                "Number of ways to split should evenly divide the split dimension: "
                f"axis {at} of shape {list(x.aval.shape)} by {count}",
            )
        sizes = [whole // count] * count
    else:
        sizes = list(static_ints(num_or_size_splits))
        if num is not None and num != len(sizes):
            raise invalid("split", f"num is {num}, but there are {len(sizes)} sizes: {sizes}")
        if -1 in sizes:
            sizes[sizes.index(-1)] = whole - sum(n for n in sizes if n != -1)
        if sum(sizes) != whole or min(sizes, default=0) < 0:
            raise invalid(
                "split",
                f"sizes {list(static_ints(num_or_size_splits))} do not add up to {whole} along "
                f"axis {at} of shape {list(x.aval.shape)}",
            )
    parts, start = [], 0
    for n in sizes:
        begin = [0] * x.ndim
        begin[at] = start
        extent = list(x.aval.shape)
        extent[at] = n
        parts.append(slice(x, begin, extent))
        start += n
    return parts


@dispatchable
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """``input`` repeated ``multiples[i]`` times along each axis.

    Raises:
        InvalidArgumentError: when ``multiples`` is not one number, 0 or more, for each axis.

    Example:
        >>> import tfpy as tf
        >>> tf.tile([1, 2], [2]).numpy().tolist()
        [1, 2, 1, 2]
    """
    x = convert_to_tensor(input)
    times = static_ints(multiples)
    if len(times) != x.ndim or min(times, default=0) < 0:
        raise invalid(
            "tile",
            f"Expected multiples argument to be a vector of length {x.ndim} of numbers that are "
            f"not negative, but got {list(times)} of length {len(times)}",
        )
    spread = reshape(x, [v for n in x.aval.shape for v in (1, n)])
    repeated = broadcast_to(
        spread, [v for n, t in zip(x.aval.shape, times, strict=True) for v in (t, n)]
    )
    return reshape(repeated, [n * t for n, t in zip(x.aval.shape, times, strict=True)])


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element ``repeats`` times along an axis (of the flat tensor by default).

    Of several numbers negative ones count as 0.

    Raises:
        InvalidArgumentError: for one negative number.
        ValueError: for numbers that are not one for each element.

    Example:
        >>> import tfpy as tf
        >>> tf.repeat([1, 2], [2, 1]).numpy().tolist()
        [1, 1, 2]
    """
    x = convert_to_tensor(input)
    if axis is None:
        x, axis = reshape(x, [-1]), 0
    elif not x.ndim:
        x = reshape(x, [1])
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"repeat: axis {axis} is out of range for shape {list(x.aval.shape)}")
    at, counts = axis % x.ndim, static_ints(repeats)
    n = x.aval.shape[at]
    if len(counts) == 1:
        if counts[0] < 0:
            raise invalid("repeat", f"repeats must not be negative, got {counts[0]}")
        total, counts = n * counts[0], counts * n
    else:
        counts = tuple(max(c, 0) for c in counts)
        total = sum(counts)
    if len(counts) != n:
        raise ValueError(
            f"repeat: repeats must be one number, or {n} for the elements of axis {axis} of shape "
            f"{list(x.aval.shape)}, got {len(counts)}"
        )
    order = np.repeat(np.arange(n, dtype=np.int32), counts)
    return take(x, sized(order, (total,)), axis=at)


def _paddings(paddings: Any) -> tuple[int, ...]:
    """The numbers one after the other."""
    if isinstance(paddings, list | tuple) and all(isinstance(p, list | tuple) for p in paddings):
        return tuple(static_int(n) for pair in paddings for n in pair)
    return static_ints(convert_to_tensor(paddings))


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``paddings[i] = (before, after)`` elements added along each axis.

    Args:
        mode: "CONSTANT", "REFLECT" (edge not repeated) or "SYMMETRIC" (edge repeated).

    Raises:
        InvalidArgumentError: when there is not one pair for each axis, one is negative, or it is
            larger than what is mirrored.
        ValueError: for another mode.

    Example:
        >>> import tfpy as tf
        >>> tf.pad([[1, 2]], [[1, 0], [0, 1]]).numpy().tolist()
        [[0, 0, 0], [1, 2, 0]]
    """
    x = convert_to_tensor(tensor)
    flat = _paddings(paddings)
    pairs = tuple(zip(flat[::2], flat[1::2], strict=True))
    if len(pairs) != x.ndim or any(v < 0 for v in flat):
        raise invalid(
            "pad",
            f"paddings must be {x.ndim} pairs of non-negative integers for shape "
            f"{list(x.aval.shape)}, got {list(pairs)}",
        )
    if not pairs:
        return x
    kind = mode.upper()
    if kind == "CONSTANT":
        zero = isinstance(constant_values, int | float) and constant_values == 0
        nothing = b"" if x.dtype == dtypes.string else 0
        value = nothing if zero else convert_to_tensor(constant_values, x.dtype).host_view().item()
        return movement.pad(x, padding=pairs, interior=(0,) * x.ndim, value=value)
    modes: dict[str, Literal["reflect", "symmetric"]]
    modes = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}
    if kind not in modes:
        raise ValueError(f"Unknown padding mode: {mode!r}; use CONSTANT, REFLECT or SYMMETRIC")
    for axis, (n, pair) in enumerate(zip(x.aval.shape, pairs, strict=True)):
        if max(pair) > n - (kind == "REFLECT"):
            padded = [size + sum(ends) for size, ends in zip(x.aval.shape, pairs, strict=True)]
            padded[:axis] = x.aval.shape[:axis]
            return failing(
                "pad",
                f"paddings {pair} must be no greater than the dimension size {n} of axis {axis} "
                f"in mode {kind}",
                (x,),
                padded,
                x.dtype,
            )
        if any(pair):
            rows = np.pad(np.arange(n, dtype=np.int32), pair, mode=modes[kind])
            x = take(x, rows, axis=axis)
    return x
