"""The same elements in another order: functions under ``tf`` itself."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import indexing, logic, movement
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import concat, split
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import identity, reshape, transpose
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_ints


@dispatchable
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Elements in the opposite order along the axes.

    Args:
        axis: a list of axes, counted from the end when negative.

    Raises:
        InvalidArgumentError: for an axis out of range or given twice, or that is no list.

    Example:
        >>> import tfpy as tf
        >>> tf.reverse([[1, 2], [3, 4]], axis=[1]).numpy().tolist()
        [[2, 1], [4, 3]]
    """
    x = convert_to_tensor(tensor)
    if isinstance(axis, int):
        raise invalid("reverse", f"axis must be a list of axes, got {axis}; give [{axis}]")
    if not x.ndim:
        return x
    axes = [normalize_axis("reverse", a, x.ndim) for a in static_ints(axis)]
    if len(set(axes)) < len(axes):
        raise invalid("reverse", f"an axis is specified more than once in {axes}")
    flip = [i in axes for i in range(x.ndim)]
    return movement.strided_slice(
        x,
        begin=tuple(n - 1 if f and n else 0 for f, n in zip(flip, x.aval.shape, strict=True)),
        size=tuple(x.aval.shape),
        strides=tuple(-1 if f else 1 for f in flip),
    )


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Elements moved by ``shift`` along each axis; what leaves at the end comes in at the front.

    Raises:
        InvalidArgumentError: for a scalar, or when shifts and axes are not equally many.

    Example:
        >>> import tfpy as tf
        >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy().tolist()
        [4, 1, 2, 3]
    """
    given = x = convert_to_tensor(input)
    shifts, axes = static_ints(shift), static_ints(axis)
    if not x.ndim:
        raise invalid("roll", "input must be 1-D or higher, got a scalar")
    if len(shifts) != len(axes):
        raise invalid("roll", f"shift {shifts} and axis {axes} must have the same size")
    for by, along in zip(shifts, axes, strict=True):
        at = normalize_axis("roll", along, x.ndim)
        n = x.aval.shape[at]
        if n and by % n:
            x = concat(reversed(split(x, [n - by % n, by % n], at)), at)
    return identity(x) if x is given else x


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The first ``seq_lengths[i]`` elements along ``seq_axis`` reversed, for each batch entry i.

    Raises:
        InvalidArgumentError: when the axes are equal or the lengths are not one for each entry.

    Example:
        >>> import tfpy as tf
        >>> x = [[1, 2, 3, 0], [4, 5, 0, 0]]
        >>> tf.reverse_sequence(x, seq_lengths=[3, 2], seq_axis=1).numpy().tolist()
        [[3, 2, 1, 0], [5, 4, 0, 0]]
    """
    x, lengths = convert_to_tensor(input), convert_to_tensor(seq_lengths)
    if seq_axis is None:
        raise ValueError("reverse_sequence: seq_axis must be given")
    along = normalize_axis("reverse_sequence", seq_axis, x.ndim)
    batch = normalize_axis("reverse_sequence", batch_axis or 0, x.ndim)
    if along == batch or lengths.aval.shape != (x.aval.shape[batch],):
        raise invalid(
            "reverse_sequence",
            f"seq_axis {seq_axis} and batch_axis {batch_axis or 0} must differ, and seq_lengths "
            f"{list(lengths.shape)} must have one length for each batch entry of {list(x.shape)}",
        )
    order = [batch, along, *(i for i in range(x.ndim) if i not in (batch, along))]
    front = transpose(x, order)
    n = x.aval.shape[along]
    place = indexing.range_(start=0, delta=1, count=n, dtype=dtypes.int32)
    ends = reshape(cast(lengths, dtypes.int32), [lengths.aval.shape[0], 1])
    picks = logic.select(place < ends, ends - 1 - place, place)
    picks = logic.select(ends < 0, ends, picks)  # no place: an error on cpu and wasm
    turned = take(front, picks, axis=1, batch_dims=1)
    return transpose(turned, movement.inverse_permutation(order))
