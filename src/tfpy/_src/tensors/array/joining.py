"""Functions of `tf` that join, repeat, pad and split tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from tfpy._src.core.typing import IntLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.paddings import pairs_of_paddings
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, identity, reshape, squeeze
from tfpy._src.tensors.array.slicing import slice, take
from tfpy._src.tensors.array.static import repeated, sized, static_int, static_ints


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
def concat(values: Iterable[TensorLike], axis: IntLike, name: str = "concat") -> Tensor:
    """Concatenate tensors along an axis.

    Args:
        values: Tensors of the same dtype and rank. Their shapes may differ only along `axis`.
        axis: Axis to join along. Negative values count from the end. The axis must exist; use
            `tf.stack` to add one.

    Returns:
        Tensor with the dtype and rank of the values. Its size along `axis` is the sum of theirs.

    Raises:
        tf.errors.InvalidArgumentError: If `values` is empty or contains scalars, the axis is out of
            range, or the shapes differ along an axis other than `axis`.
        TypeError: If `axis` is not a single integer.

    Example:
        >>> import tfpy as tf
        >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy().tolist()
        [[1, 2], [3, 4], [5, 6]]

    See also: `tf.stack`, `tf.split`, `tf.tile`.
    """
    given: Any = values
    tensors = of_one_dtype([given] if is_operand(given) else list(given))
    if not tensors:
        raise invalid("concat", "values is empty; pass at least one tensor")
    if tensors[0].ndim == 0:
        raise invalid(
            "concat",
            "Expected concatenating dimensions in the range [0, 0), but got 0: "
            "use tf.stack to join scalars",
        )
    if isinstance(axis, list | tuple) and len(axis) == 1 < len(tensors):
        axis = axis[0]
    at = normalize_axis("concat", static_int(axis), tensors[0].ndim)
    if len(tensors) == 1:
        return identity(tensors[0])
    return concatenation.concat(*tensors, axis=at)


def _axis(op: str, axis: int, rank: int) -> int:
    """Return the axis counted from the front. TensorFlow checks it in Python (ValueError)."""
    axis = size_of(axis)
    if not -rank <= axis < rank:
        raise ValueError(f"{op}: Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return axis % rank


@dispatchable
def stack(values: Sequence[TensorLike], axis: int = 0, name: str = "stack") -> Tensor:
    """Stack tensors of the same shape along a new axis.

    Args:
        values: Tensors of the same shape and dtype.
        axis: Position of the new axis in the result. Negative values count from the end.

    Returns:
        Tensor with the dtype of the values and a new dimension of size `len(values)`.

    Raises:
        ValueError: If the axis is out of range.
        tf.errors.InvalidArgumentError: If the shapes differ.

    Example:
        >>> import tfpy as tf
        >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
        [[1, 3], [2, 4]]

    See also: `tf.unstack`, `tf.concat`.
    """
    if axis == 0 and not any(is_operand(v) for v in values):
        with suppress(ValueError):  # for ragged values, an error below reports the shapes
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
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """Unpack a tensor into a list of its slices along an axis.

    Args:
        value: Tensor of rank 1 or more.
        num: Expected number of slices. Default: the size of the axis.
        axis: Axis to unpack. Negative values count from the end. Default: 0.

    Returns:
        List of tensors with the dtype of `value` and its shape without `axis`.

    Raises:
        ValueError: If the axis is out of range, or `num` is None and the size of the axis is
            unknown (None).
        tf.errors.InvalidArgumentError: If `num` differs from the size of the axis.

    Example:
        >>> import tfpy as tf
        >>> [row.numpy().tolist() for row in tf.unstack([[1, 2], [3, 4]])]
        [[1, 2], [3, 4]]

    See also: `tf.stack`, `tf.split`.
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
    """Return the slices along an axis, without that axis."""
    n = x.aval.shape[axis]
    return [squeeze(part, axis) for part in split(x, n, axis)] if n else []


@dispatchable
def split(
    value: TensorLike,
    num_or_size_splits: ShapeLike,
    axis: int = 0,
    num: int | None = None,
    name: str = "split",
) -> list[Tensor]:
    """Split a tensor into parts along an axis.

    Args:
        value: Tensor of rank 1 or more.
        num_or_size_splits: Number of equal parts, or a vector with the size of each part. One size
            may be -1, which stands for the remaining elements.
        axis: Axis to split. Negative values count from the end. Default: 0.
        num: Expected number of sizes in `num_or_size_splits`. Default: not checked.

    Returns:
        List of tensors with the dtype of `value`, one for each part.

    Raises:
        tf.errors.InvalidArgumentError: If the parts do not fill the axis exactly, `num` differs
            from the number of sizes, or the axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4, 5], [2, 3])]
        [[1, 2], [3, 4, 5]]

    See also: `tf.concat`, `tf.unstack`.
    """
    x = convert_to_tensor(value)
    sections: Any = num_or_size_splits
    at = normalize_axis("split", static_int(axis), x.ndim)
    whole = x.aval.shape[at]
    if np.ndim(sections) == 0:
        count = static_int(sections)
        if count < 1 or whole % count:
            raise invalid(
                "split",
                "Number of ways to split should evenly divide the split dimension: "
                f"axis {at} of shape {list(x.aval.shape)} by {count}",
            )
        sizes = [whole // count] * count
    else:
        sizes = list(static_ints(sections))
        if num is not None and num != len(sizes):
            raise invalid("split", f"num is {num}, but there are {len(sizes)} sizes: {sizes}")
        if -1 in sizes:
            sizes[sizes.index(-1)] = whole - sum(n for n in sizes if n != -1)
        if sum(sizes) != whole or min(sizes, default=0) < 0:
            raise invalid(
                "split",
                f"sizes {list(static_ints(sections))} do not add up to {whole} along "
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
def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """Create a tensor by repeating a given tensor along each axis.

    Args:
        input: Tensor of any dtype.
        multiples: Vector with the number of repetitions along each axis.

    Returns:
        Tensor with the dtype of `input`. Its size along axis i is `input.shape[i] * multiples[i]`.

    Raises:
        tf.errors.InvalidArgumentError: If `multiples` does not consist of one non-negative integer
            for each axis.

    Example:
        >>> import tfpy as tf
        >>> tf.tile([1, 2], [2]).numpy().tolist()
        [1, 2, 1, 2]

    See also: `tf.repeat`, `tf.broadcast_to`, `tf.concat`.
    """
    x = convert_to_tensor(input)
    times = static_ints(multiples)
    if len(times) != x.ndim or min(times, default=0) < 0:
        raise invalid(
            "tile",
            f"Expected multiples argument to be a vector of length {x.ndim} of non-negative "
            f"integers, but got {list(times)} of length {len(times)}",
        )
    spread = reshape(x, [v for n in x.aval.shape for v in (1, n)])
    repeated = broadcast_to(
        spread, [v for n, t in zip(x.aval.shape, times, strict=True) for v in (t, n)]
    )
    return reshape(repeated, [n * t for n, t in zip(x.aval.shape, times, strict=True)])


def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Repeat each element along an axis, or each element of the flattened tensor.

    Args:
        input: Tensor of any dtype.
        repeats: Number of repetitions, one integer or a vector with one integer for each element
            along `axis`. Negative integers in a vector count as 0.
        axis: Axis along which elements are repeated. Negative values count from the end. Default:
            flatten `input` first.

    Returns:
        Tensor with the dtype of `input`. Its size along `axis` is the total number of repetitions.

    Raises:
        tf.errors.InvalidArgumentError: If `repeats` is a single negative integer.
        ValueError: If the length of the vector `repeats` differs from the size of the axis, or the
            axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.repeat([1, 2], [2, 1]).numpy().tolist()
        [1, 1, 2]

    See also: `tf.tile`.
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
            f"repeat: repeats must be one integer, or {n} integers for the elements along axis "
            f"{axis} of shape {list(x.aval.shape)}, got {len(counts)} integers"
        )
    return take(x, sized(repeated("repeat", n, counts), (total,)), axis=at)


@dispatchable
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """Pad a tensor with a constant or with its mirrored values.

    Args:
        tensor: Tensor of rank n and any dtype.
        paddings: Integers of shape `[n, 2]` with a pair `[before, after]` for each axis, the
            numbers of elements to add.
        mode: `"CONSTANT"` (default), `"REFLECT"`, which mirrors the values without repeating the
            edge, or `"SYMMETRIC"`, which also repeats the edge.
        constant_values: Scalar that fills the padding in mode `"CONSTANT"`. Default: 0 or an empty
            string.

    Returns:
        Tensor with the dtype of `tensor` and the padded shape.

    Raises:
        tf.errors.InvalidArgumentError: If `paddings` does not contain one pair for each axis, a
            padding is negative, or a padding exceeds the number of elements that can be mirrored.
        ValueError: If `mode` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.pad([[1, 2]], [[1, 0], [0, 1]]).numpy().tolist()
        [[0, 0, 0], [1, 2, 0]]

    See also: `tf.slice`, `tf.concat`.
    """
    x = convert_to_tensor(tensor)
    pairs = tuple(pairs_of_paddings(paddings, x))
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
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {kind}"
        )
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
