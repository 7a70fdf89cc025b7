"""Shapes, axes and diagonals (`tf.experimental.numpy`)."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import Axis, IntLike, ShapeLike, TensorLike
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.making import full
from tfpy._src.library.experimental_numpy.promotion import as_array
from tfpy._src.tensors.array import joining, making, reordering, reshaping, slicing
from tfpy._src.tensors.array.static import static_int, static_ints
from tfpy._src.tensors.linalg.diagonals import diag as with_diagonal, diag_part

_VIEW = "Tensor with the elements and dtype of `a`."


@documented(
    "Return the shape of a value.",
    "tnp.shape([[1, 2]])",
    "TensorShape([1, 2])",
    "A `tf.TensorShape`.",
)
def shape(a: TensorLike) -> TensorShape:
    return as_array(a).shape


@documented("Return the number of dimensions.", "tnp.ndim([[1, 2]])", "2", "An integer.")
def ndim(a: TensorLike) -> int:
    return as_array(a).ndim


@documented("Return True if a value has rank 0.", "tnp.isscalar(1.5)", "True", "A bool.")
def isscalar(num: TensorLike) -> bool:
    return ndim(num) == 0


@documented(
    "Return the number of elements.",
    "tnp.size([[1, 2]]).item()",
    "2",
    "An integer, or a tensor if a dimension is unknown in a trace.",
    axis="Must be None.",
)
def size(x: TensorLike, axis: None = None) -> int | Tensor:
    if axis is not None:
        raise NotImplementedError(f"size: `axis` must be None, got {axis!r}.")
    if isinstance(x, int | float | np.int32 | np.int64 | np.float32 | np.float64):
        return 1
    found = as_array(x)
    if found.shape.is_fully_defined():
        return np.int64(found.aval.size)  # type: ignore[return-value]
    return reshaping.size(found)


@documented(
    "Change the shape of a tensor.",
    "reshape([[1, 2], [3, 4]], -1)",
    "[1, 2, 3, 4]",
    "Tensor with the elements of `a`.",
    newshape="New shape. One dimension may be -1, which is computed.",
    order='`"C"` (default) for row-major or `"F"` for column-major order of the elements.',
)
def reshape(a: TensorLike, newshape: ShapeLike, order: str = "C") -> Tensor:
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    x = as_array(a)
    sizes = [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return reshaping.reshape(x, sizes)
    rows = reshaping.reshape(reshaping.transpose(x), static_ints(sizes)[::-1])
    return reshaping.transpose(rows)


@documented("Return the elements as a vector.", "ravel([[1, 2], [3, 4]])", "[1, 2, 3, 4]", _VIEW)
def ravel(a: TensorLike) -> Tensor:
    return reshaping.reshape(as_array(a), [-1])


@documented(
    "Return the elements as a vector.",
    "flatten([[1, 2], [3, 4]], order='F')",
    "[1, 3, 2, 4]",
    _VIEW,
    see="`numpy.ravel`",
    order='`"C"`, `"A"` or `"K"` for row-major, or `"F"` for column-major order. Default: `"C"`.',
)
def flatten(a: TensorLike, order: str = "C") -> Tensor:
    x = as_array(a)
    if order not in ("C", "A", "K", "F"):
        raise ValueError(
            f"order can only be C, A, K (all row major) or F (column major), got {order!r}."
        )
    return reshaping.reshape(reshaping.transpose(x) if order == "F" else x, [-1])


@documented(
    "Permute the axes.",
    "transpose([[1, 2], [3, 4]])",
    "[[1, 3], [2, 4]]",
    _VIEW,
    axes="Order of the axes. Default: the reverse order.",
)
def transpose(a: TensorLike, axes: TensorLike | None = None) -> Tensor:
    return reshaping.transpose(as_array(a), None if axes is None else static_ints(axes))


@documented("Exchange two axes.", "swapaxes([[1, 2], [3, 4]], 0, 1)", "[[1, 3], [2, 4]]", _VIEW)
def swapaxes(a: TensorLike, axis1: IntLike, axis2: IntLike) -> Tensor:
    x = as_array(a)
    order = [*range(x.ndim)]
    first, second = (i + x.ndim if i < 0 else i for i in (static_int(axis1), static_int(axis2)))
    order[first], order[second] = second, first
    return reshaping.transpose(x, order)


@documented(
    "Move axes to other positions.",
    "tnp.moveaxis(tf.zeros([2, 3, 4]), 0, -1).shape",
    "TensorShape([3, 4, 2])",
    _VIEW,
    source="Axis, or a sequence of axes.",
    destination="New position of each axis.",
)
def moveaxis(
    a: TensorLike, source: int | Sequence[int], destination: int | Sequence[int]
) -> Tensor:
    x = as_array(a)
    sources, places = (
        [i + x.ndim if i < 0 else i for i in ([axes] if isinstance(axes, int) else axes)]
        for axes in (source, destination)
    )
    if len(sources) != len(places):
        raise ValueError(
            f"The lengths of source and destination must equal, got {source} and {destination}."
        )
    order = [i for i in range(x.ndim) if i not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return reshaping.transpose(x, order)


@documented(
    "Insert an axis of size 1.",
    "expand_dims([1, 2], 1)",
    "[[1], [2]]",
    _VIEW,
    axis="Position of the new axis. Negative values count from the end.",
)
def expand_dims(a: TensorLike, axis: IntLike) -> Tensor:
    return reshaping.expand_dims(as_array(a), axis)


@documented(
    "Remove axes of size 1.",
    "squeeze([[1, 2]])",
    "[1, 2]",
    _VIEW,
    axis="Axis or axes to remove. Default: all axes of size 1.",
)
def squeeze(a: TensorLike, axis: Axis = None) -> Tensor:
    return reshaping.squeeze(as_array(a), axis)


@documented(
    "Repeat a tensor along new or existing axes of size 1.",
    "broadcast_to([1, 2], [2, 2])",
    "[[1, 2], [1, 2]]",
    "Tensor of shape `shape`.",
    array="Tensor, array, number or nested list.",
)
def broadcast_to(array: TensorLike, shape: ShapeLike) -> Tensor:
    return full(shape, array)


@documented(
    "Broadcast values to a common shape.",
    "tnp.broadcast_arrays([1, 2], 3)[1].numpy().tolist()",
    "[3, 3]",
    "List of tensors of the same shape.",
    args="Tensors, arrays, numbers or nested lists.",
    kwargs="`subok`, which must be False.",
)
def broadcast_arrays(*args: TensorLike, **kwargs: bool) -> Sequence[Tensor]:
    if kwargs.pop("subok", False):
        raise ValueError("broadcast_arrays: subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {kwargs.keys()}")
    arrays = [as_array(x) for x in args]
    if len(arrays) < 2:
        return tuple(arrays)
    common = np.broadcast_shapes(*(x.aval.shape for x in arrays))
    return [reshaping.broadcast_to(x, common) for x in arrays]


def _each(arys: Sequence[TensorLike], rank: int) -> Tensor | list[Tensor]:
    """Convert values to tensors of at least `rank` dimensions."""
    found = [_of_rank(as_array(x), rank) for x in arys]
    return found[0] if len(found) == 1 else found


def _of_rank(x: Tensor, rank: int) -> Tensor:
    sizes = [*x.aval.shape]
    if len(sizes) >= rank:
        return x
    if rank == 3 and sizes:
        sizes = [1, *sizes, 1] if len(sizes) == 1 else [*sizes, 1]
    return reshaping.reshape(x, [1] * (rank - len(sizes)) + sizes)


_AT_LEAST = "Tensor, or a list of tensors if there are several values."


@documented("Convert values to tensors of at least 1 dimension.", "atleast_1d(1)", "[1]", _AT_LEAST)
def atleast_1d(*arys: TensorLike) -> Tensor | list[Tensor]:
    return _each(arys, 1)


@documented(
    "Convert values to tensors of at least 2 dimensions.", "atleast_2d(1)", "[[1]]", _AT_LEAST
)
def atleast_2d(*arys: TensorLike) -> Tensor | list[Tensor]:
    return _each(arys, 2)


@documented(
    "Convert values to tensors of at least 3 dimensions.", "atleast_3d(1)", "[[[1]]]", _AT_LEAST
)
def atleast_3d(*arys: TensorLike) -> Tensor | list[Tensor]:
    return _each(arys, 3)


def _axis(axis: int, rank: int) -> int:
    return axis + rank if axis < 0 else axis


@documented(
    "Reverse the elements along an axis.",
    "flip([1, 2, 3])",
    "[3, 2, 1]",
    "Tensor of the shape and dtype of `m`.",
    axis="Axis. Negative values count from the end. Default: all axes.",
)
def flip(m: TensorLike, axis: int | None = None) -> Tensor:
    x = as_array(m)
    axes = range(x.ndim) if axis is None else [_axis(axis, x.ndim)]
    return reordering.reverse(x, np.array([*axes], np.int32))


@documented(
    "Reverse the rows.", "flipud([[1], [2]])", "[[2], [1]]", "Tensor of the shape and dtype of `m`."
)
def flipud(m: TensorLike) -> Tensor:
    return flip(m, 0)


@documented(
    "Reverse the columns.", "fliplr([[1, 2]])", "[[2, 1]]", "Tensor of the shape and dtype of `m`."
)
def fliplr(m: TensorLike) -> Tensor:
    return flip(m, 1)


@documented(
    "Shift elements cyclically.",
    "roll([1, 2, 3], 1)",
    "[3, 1, 2]",
    "Tensor of the shape and dtype of `a`.",
    shift="Number of places, or a sequence of numbers for several axes.",
    axis="Axis or axes. Default: the elements are shifted as a vector.",
)
def roll(a: TensorLike, shift: TensorLike, axis: Axis = None) -> Tensor:
    x = as_array(a)
    if axis is not None:
        return reordering.roll(x, shift, axis)  # type: ignore[arg-type]
    moved = reordering.roll(reshaping.reshape(x, [-1]), shift, 0)  # type: ignore[arg-type]
    return reshaping.reshape(moved, reshaping.shape(x))


@documented(
    "Rotate by 90 degrees in the plane of two axes.",
    "rot90([[1, 2], [3, 4]])",
    "[[2, 4], [1, 3]]",
    _VIEW.replace("`a`", "`m`"),
    k="Number of rotations from the first towards the second axis. Default: 1.",
    axes="The two axes. Default: (0, 1).",
)
def rot90(m: TensorLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    x = as_array(m)
    first, second = (_axis(axis, x.ndim) for axis in axes)
    if k % 4 == 0:
        return x
    if k % 4 == 2:
        return flip(flip(x, first), second)
    if k % 4 == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


@documented(
    "Pad a tensor at both ends of its axes.",
    "pad([1, 2], [[1, 0]], 'constant')",
    "[0, 1, 2]",
    "Tensor with the dtype of `array`.",
    array="Tensor, array or nested list.",
    pad_width="Numbers of elements before and after, of shape [rank, 2].",
    mode='`"constant"`, `"reflect"` or `"symmetric"`.',
    kwargs="`constant_values`: value of the new elements. Default: 0.",
)
def pad(array: TensorLike, pad_width: TensorLike, mode: str, **kwargs: TensorLike) -> Tensor:
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    value = kwargs.get("constant_values", 0)
    return joining.pad(as_array(array), as_array(pad_width, dtypes.int32), mode.upper(), value)


@documented(
    "Return a diagonal of the matrices that two axes span.",
    "diagonal([[1, 2], [3, 4]])",
    "[1, 4]",
    "Tensor with the dtype of `a`, without the two axes and with the diagonal as its last axis.",
    offset="Number of the diagonal. 0 is the main diagonal, and positive numbers are above it.",
)
def diagonal(a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    x = moveaxis(as_array(a), (axis1, axis2), (-2, -1))
    rows, columns = x.aval.shape[-2:]
    if not -rows < offset < columns:
        return making.zeros([*x.aval.shape[:-2], 0], x.dtype)
    return diag_part(x, k=offset)


@documented(
    "Make a matrix with the given diagonal, or return a diagonal of a matrix.",
    "diag([1, 2])",
    "[[1, 0], [0, 2]]",
    "Tensor of rank 2 if `v` has rank 1, and of rank 1 if `v` has rank 2.",
)
def diag(v: TensorLike, k: int = 0) -> Tensor:
    x = as_array(v)
    if x.ndim not in (1, 2):
        raise ValueError(f"diag: `v` must have rank 1 or 2, got shape {x.shape}.")
    if x.ndim == 2:
        return diagonal(x, k)
    if not x.aval.shape[0]:
        return making.zeros([builtins.abs(k), builtins.abs(k)], x.dtype)
    return with_diagonal(x, k=k)


@documented(
    "Make a matrix whose diagonal has the elements of a tensor.",
    "diagflat([[1], [2]])",
    "[[1, 0], [0, 2]]",
    "Tensor of rank 2.",
)
def diagflat(v: TensorLike, k: int = 0) -> Tensor:
    return diag(reshaping.reshape(as_array(v), [-1]), k)


@documented(
    "Return index tensors that select the elements at all combinations of positions.",
    "tnp.ix_([0, 1], [2, 3])[0].shape",
    "TensorShape([2, 1])",
    "List of integer tensors, one for each vector.",
    args="Vectors of integers or booleans.",
)
def ix_(*args: TensorLike) -> list[Tensor]:
    found = []
    for i, values in enumerate(args):
        x = as_array(values)
        if x.ndim != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {i} of rank {x.ndim}")
        if x.dtype.is_bool:
            x = reshaping.reshape(slicing.where(x), [-1])
        elif not x.dtype.is_integer:
            raise ValueError(f"Only integer and bool dtypes are supported, got {x.dtype}")
        found.append(reshaping.reshape(x, [-1 if j == i else 1 for j in range(len(args))]))
    return found
