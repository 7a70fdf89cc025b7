"""Functions of `tf` that change the order of the elements."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import indexing, logic, movement
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.tensors.array.joining import concat, split
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import identity, reshape, transpose
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_ints


@dispatchable
def reverse(tensor: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """Reverse the order of the elements along the given axes.

    Args:
        tensor: Tensor of any dtype.
        axis: Vector of the axes to reverse. Negative values count from the end.

    Returns:
        Tensor with the shape and dtype of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice, or `axis` is an
            integer instead of a vector.

    Example:
        >>> import tfpy as tf
        >>> tf.reverse([[1, 2], [3, 4]], axis=[1]).numpy().tolist()
        [[2, 1], [4, 3]]

    See also: `tf.roll`, `tf.reverse_sequence`.
    """
    x = convert_to_tensor(tensor)
    if isinstance(axis, int):
        raise invalid("reverse", f"axis must be a list of axes, got {axis}; use [{axis}]")
    if not x.ndim:
        return x
    axes = [normalize_axis("reverse", a, x.ndim) for a in static_ints(axis)]
    if len(set(axes)) < len(axes):
        twice = next(a for a in axes if axes.count(a) > 1)
        raise invalid("reverse", f"axis {twice} specified more than once in {axes}")
    flip = [i in axes for i in range(x.ndim)]
    return movement.strided_slice(
        x,
        begin=tuple(n - 1 if f and n else 0 for f, n in zip(flip, x.aval.shape, strict=True)),
        size=tuple(x.aval.shape),
        strides=tuple(-1 if f else 1 for f in flip),
    )


def roll(
    input: TensorLike,
    shift: IntLike | Sequence[int],
    axis: IntLike | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """Shift elements along the given axes. Elements that leave at one end enter at the other.

    Args:
        input: Tensor of rank 1 or more.
        shift: Number of positions by which elements move toward the end, or one number for each
            axis. Negative numbers move elements toward the start.
        axis: Axis to shift along, or one axis for each number in `shift`. Negative values count
            from the end.

    Returns:
        Tensor with the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `input` is a scalar, an axis is out of range, or `shift`
            and `axis` have different lengths.

    Example:
        >>> import tfpy as tf
        >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy().tolist()
        [4, 1, 2, 3]

    See also: `tf.reverse`.
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
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Reverse the first `seq_lengths[i]` elements of each sequence i in a batch.

    Args:
        input: Tensor of rank 2 or more.
        seq_lengths: Integer vector with the number of elements to reverse in each sequence.
        seq_axis: Axis of the positions within a sequence. Negative values count from the end. This
            argument is required.
        batch_axis: Axis of the sequences in the batch. Negative values count from the end. Default:
            0.

    Returns:
        Tensor with the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the axes are equal or out of range, or the number of
            lengths differs from the number of sequences.
        tf.errors.InvalidArgumentError: If a length is negative or exceeds the size of `seq_axis`
            (on the cpu and wasm backends).
        ValueError: If `seq_axis` is None.

    Example:
        >>> import tfpy as tf
        >>> x = [[1, 2, 3, 0], [4, 5, 0, 0]]
        >>> tf.reverse_sequence(x, seq_lengths=[3, 2], seq_axis=1).numpy().tolist()
        [[3, 2, 1, 0], [5, 4, 0, 0]]

    See also: `tf.reverse`.
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
    picks = logic.select(ends < 0, ends, picks)  # out of range: an error on cpu and wasm
    turned = take(front, picks, axis=1, batch_dims=1)
    return transpose(turned, movement.inverse_permutation(order))
