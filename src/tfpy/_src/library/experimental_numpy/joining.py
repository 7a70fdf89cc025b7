"""Joining, splitting, repeating and selecting (`tf.experimental.numpy`)."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.promotion import as_array, promoted
from tfpy._src.library.experimental_numpy.shaping import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    ravel,
    swapaxes,
)
from tfpy._src.tensors.array import joining, making, reshaping, slicing
from tfpy._src.tensors.array.static import static_ints

_JOINED = "Tensor with the promoted dtype."


@documented(
    "Join tensors along an existing axis.",
    "concatenate([[1, 2], [3.5]])",
    "[1.0, 2.0, 3.5]",
    _JOINED,
    arys="Sequence of tensors, arrays or nested lists.",
    axis="Axis along which the tensors are joined. Default: 0.",
)
def concatenate(arys: Sequence[TensorLike], axis: int = 0) -> Tensor:
    values = list(arys) if isinstance(arys, list | tuple) else [arys]
    if not values:
        raise ValueError(f"Need at least one array to concatenate. Received empty input: {arys=}")
    return joining.concat(promoted(*values), axis)


@documented(
    "Join tensors along a new axis.",
    "stack([[1, 2], [3, 4]])",
    "[[1, 2], [3, 4]]",
    _JOINED,
    axis="Position of the new axis. Default: 0.",
)
def stack(arrays: TensorLike | Sequence[TensorLike], axis: int = 0) -> Tensor:
    if isinstance(arrays, Tensor):
        return arrays if axis == 0 else swapaxes(arrays, 0, axis)
    return joining.stack(promoted(*arrays), axis)  # type: ignore[misc]


@documented("Join tensors horizontally.", "hstack([[1, 2], [3]])", "[1, 2, 3]", _JOINED)
def hstack(tup: Sequence[TensorLike]) -> Tensor:
    values = promoted(*(atleast_1d(x) for x in tup))
    return joining.concat(values, 0 if values[0].ndim == 1 else 1)


@documented(
    "Join tensors vertically, as rows.", "vstack([[1, 2], [3, 4]])", "[[1, 2], [3, 4]]", _JOINED
)
def vstack(tup: Sequence[TensorLike]) -> Tensor:
    return joining.concat(promoted(*(atleast_2d(x) for x in tup)), 0)


@documented(
    "Join tensors along the third axis.", "dstack([[1, 2], [3, 4]])", "[[[1, 3], [2, 4]]]", _JOINED
)
def dstack(tup: Sequence[TensorLike]) -> Tensor:
    return joining.concat(promoted(*(atleast_3d(x) for x in tup)), 2)


@documented(
    "Append values to a tensor.",
    "append([1, 2], [[3], [4]])",
    "[1, 2, 3, 4]",
    _JOINED,
    values="Values to append.",
    axis="Axis along which the values are appended. Default: both tensors are flattened first.",
)
def append(arr: TensorLike, values: TensorLike, axis: int | None = None) -> Tensor:
    if axis is None:
        return concatenate([ravel(arr), ravel(values)], 0)
    return concatenate([arr, values], axis)


def _sizes(x: Tensor, boundaries: Sequence[int], axis: int) -> list[int]:
    """Return the sizes of the parts between boundaries."""
    if axis >= x.ndim:
        raise ValueError(f"axis {axis} is out of bound for shape {x.shape}")
    total = x.aval.shape[axis]
    sizes: list[int] = []
    before = 0
    for i, boundary in enumerate(boundaries):
        if boundary < before:
            raise ValueError(
                f"The {i}-th boundary {boundary} is smaller than the previous boundary {before}"
            )
        sizes.append(min(boundary - before, builtins.max(0, total - sum(sizes))))
        before = boundary
    return [*sizes, builtins.max(0, total - sum(sizes))]


@documented(
    "Split a tensor into parts along an axis.",
    "tnp.split([1, 2, 3], [1])[1].numpy().tolist()",
    "[2, 3]",
    "List of tensors.",
    indices_or_sections="Number of equal parts, or a sequence of the positions between them.",
    axis="Axis to split. Default: 0.",
)
def split(ary: TensorLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Tensor]:
    x = as_array(ary)
    if isinstance(indices_or_sections, int):
        return joining.split(x, indices_or_sections, axis)
    return joining.split(x, _sizes(x, static_ints(indices_or_sections), axis), axis)


def _split(ary: TensorLike, parts: int | Sequence[int], axis: int) -> list[Tensor]:
    x = as_array(ary)
    if isinstance(parts, int) and x.aval.shape[axis] % parts:
        raise ValueError(
            f"array split does not result in an equal division: {x.aval.shape[axis]} elements, "
            f"{parts} parts"
        )
    return split(x, parts, axis)


_PARTS = "Number of equal parts, or a sequence of the positions between them."


@documented(
    "Split a tensor vertically.",
    "tnp.vsplit(tf.constant([[1], [2]]), 2)[1].numpy().tolist()",
    "[[2]]",
    "List of tensors.",
    indices_or_sections=_PARTS,
)
def vsplit(ary: TensorLike, indices_or_sections: int | Sequence[int]) -> list[Tensor]:
    return _split(ary, indices_or_sections, 0)


@documented(
    "Split a tensor horizontally.",
    "tnp.hsplit(tf.constant([[1, 2]]), 2)[1].numpy().tolist()",
    "[[2]]",
    "List of tensors.",
    indices_or_sections=_PARTS,
)
def hsplit(ary: TensorLike, indices_or_sections: int | Sequence[int]) -> list[Tensor]:
    return _split(ary, indices_or_sections, 0 if as_array(ary).ndim == 1 else 1)


@documented(
    "Split a tensor along the third axis.",
    "tnp.dsplit(tf.constant([[[1, 2]]]), 2)[1].numpy().tolist()",
    "[[[2]]]",
    "List of tensors.",
    indices_or_sections=_PARTS,
)
def dsplit(ary: TensorLike, indices_or_sections: int | Sequence[int]) -> list[Tensor]:
    return _split(ary, indices_or_sections, 2)


@documented(
    "Repeat a tensor as a whole.",
    "tile([1, 2], 2)",
    "[1, 2, 1, 2]",
    "Tensor with the dtype of `a`.",
    reps="Number of copies along each axis, the last ones if there are fewer numbers than axes.",
)
def tile(a: TensorLike, reps: TensorLike) -> Tensor:
    x = as_array(a)
    counts = [*static_ints(as_array(reps, dtypes.int32))]
    counts = [1] * (x.ndim - len(counts)) + counts
    sizes = [1] * (len(counts) - x.ndim) + [*x.aval.shape]
    return joining.tile(reshaping.reshape(x, sizes), counts)


@documented(
    "Repeat each element.",
    "repeat([1, 2], 2)",
    "[1, 1, 2, 2]",
    "Tensor with the dtype of `a`.",
    repeats="Number of copies of each element, or of all elements.",
    axis="Axis along which the elements are repeated. Default: the tensor is flattened first.",
)
def repeat(a: TensorLike, repeats: TensorLike, axis: int | None = None) -> Tensor:
    return joining.repeat(as_array(a), as_array(repeats), axis)


@documented(
    "Select elements along an axis.",
    "take([1, 2, 3], [0, 2])",
    "[1, 3]",
    "Tensor with the dtype of `a`.",
    indices="Positions of the elements.",
    axis="Axis along which the elements are selected. Default: the tensor is flattened first.",
    mode='`"clip"` (default) for indices in range, or `"wrap"` for indices modulo the size.',
)
def take(
    a: TensorLike,
    indices: TensorLike,
    axis: int | None = None,
    out: None = None,
    mode: str = "clip",
) -> Tensor:
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    if mode == "raise":
        raise ValueError("The 'raise' mode to take is not supported.")
    x, at = as_array(a), as_array(indices)
    if axis is None:
        x, axis = reshaping.reshape(x, [-1]), 0
    n = x.aval.shape[axis]
    if mode == "wrap":
        at = primitives.floormod(at, n)
    else:
        at = primitives.maximum(primitives.minimum(at, n - 1), 0)
    return slicing.take(x, at, axis)


@documented(
    "Select one element of each row, column or other line.",
    "take_along_axis([[10, 20], [30, 40]], [[1], [0]], 1)",
    "[[20], [30]]",
    "Tensor with the dtype of `arr`.",
    indices="Positions of the elements along `axis`. The other axes broadcast with `arr`.",
)
def take_along_axis(arr: TensorLike, indices: TensorLike, axis: int | None) -> Tensor:
    x, at = as_array(arr), as_array(indices)
    if axis is None:
        return take_along_axis(ravel(x), at, 0)
    along = axis + x.ndim if axis < 0 else axis
    if x.ndim != at.ndim:
        raise ValueError(f"`arr` and `indices` must have the same rank, got {x.shape}, {at.shape}.")
    sides = []
    for side, other in ((x, at), (at, x)):
        sizes = [
            n if i == along or n != 1 else m
            for i, (n, m) in enumerate(zip(side.aval.shape, other.aval.shape, strict=True))
        ]
        moved = reshaping.broadcast_to(side, sizes)
        sides.append(swapaxes(moved, along, x.ndim - 1))
    n = x.aval.shape[along]
    places = slicing.where(primitives.less(sides[1], 0), primitives.add(sides[1], n), sides[1])
    found = slicing.gather(sides[0], places, axis=x.ndim - 1, batch_dims=x.ndim - 1)
    return swapaxes(found, along, x.ndim - 1)


@documented(
    "Select the slices for which a condition is true.",
    "compress([True, False, True], [1, 2, 3])",
    "[1, 3]",
    "Tensor with the dtype of `a`.",
    condition="Vector of booleans. Missing ones are False.",
    axis="Axis of the slices. Default: the tensor is flattened first.",
)
def compress(condition: TensorLike, a: TensorLike, axis: int | None = None) -> Tensor:
    mask, x = as_array(condition, dtypes.bool), as_array(a)
    if mask.ndim != 1:
        raise ValueError(f"condition must be a 1-d array, got shape {mask.shape}.")
    if axis is None or not x.ndim:
        x, axis = ravel(x), 0
    along = axis + x.ndim if axis < 0 else axis
    missing = x.aval.shape[along] - mask.aval.shape[0]
    if missing > 0:
        mask = joining.concat([mask, making.zeros([missing], dtypes.bool)], 0)
    return slicing.boolean_mask(x, mask, axis=along)


@documented(
    "Return the positions of elements that are not 0.",
    "tnp.nonzero([3, 0, 4])[0].numpy().tolist()",
    "[0, 2]",
    "List of int64 tensors, one for each axis.",
)
def nonzero(a: TensorLike) -> list[Tensor]:
    x = as_array(a)
    x = reshaping.reshape(x, [1]) if not x.ndim else x
    return joining.unstack(slicing.where(making.cast(x, dtypes.bool)), x.ndim, axis=1)


@documented(
    "Select elements from two tensors, or return the positions of true elements.",
    "where([True, False], 1, 0.5)",
    "[1.0, 0.5]",
    "Tensor of the broadcast shape. Without `x` and `y`, a list of tensors as from `nonzero`.",
    condition="Tensor of booleans.",
    x="Elements where the condition is true.",
    y="Elements where the condition is false.",
)
def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None
) -> Tensor | list[Tensor]:
    mask = as_array(condition, dtypes.bool)
    if x is None and y is None:
        return nonzero(mask)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    first, second = promoted(x, y)
    return slicing.where(mask, first, second)


@documented(
    "Select each element from the first tensor in `choicelist` for which the condition is True.",
    "select([[True, False], [True, True]], [[1, 2], [3, 4]])",
    "[1, 4]",
    "Tensor of the broadcast shape, with the promoted dtype of the choices and of `default`.",
    condlist="List of boolean tensors, which are broadcast with the choices.",
    choicelist="List of tensors to choose from, one for each condition.",
    default="Tensor of the elements to select where no condition is True. Default: 0.",
)
def select(
    condlist: Sequence[TensorLike], choicelist: Sequence[TensorLike], default: TensorLike = 0
) -> Tensor:
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})"
        )
    if not condlist:
        raise ValueError("condlist must be non-empty")
    found, *choices = promoted(default, *choicelist)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        found = slicing.where(as_array(condition, dtypes.bool), choice, found)
    return found
