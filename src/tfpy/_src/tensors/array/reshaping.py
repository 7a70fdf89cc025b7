"""What shape a tensor has, and its elements in another one: functions under ``tf`` itself."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import UnrankedSize
from tfpy._src.compiler.ops import complex as complex_ops, movement
from tfpy._src.compiler.ops.families.infer import broadcast_shapes, normalize_axis
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable, per_value
from tfpy._src.core.sizes import as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.tensors.array.static import static_ints


@dispatchable
def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The shape as a tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.shape(tf.zeros([2, 3])).numpy().tolist()
        [2, 3]
    """
    return as_tensor(convert_to_tensor(input).aval.shape, as_dtype(out_type))


@dispatchable
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions as an int32 scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.rank(tf.zeros([2, 3, 4])).numpy().tolist()
        3
    """
    return constant(convert_to_tensor(input).ndim)


@dispatchable
def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The number of elements as a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.size(tf.zeros([2, 3])).numpy().tolist()
        6
    """
    return as_tensor(convert_to_tensor(input).aval.size, as_dtype(out_type))


@dispatchable
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape; one size may be -1.

    Raises:
        InvalidArgumentError: when the numbers of elements differ.

    Example:
        >>> import tfpy as tf
        >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy().tolist()
        [[1, 2, 3], [4, 5, 6]]
    """
    x = convert_to_tensor(tensor)
    sizes = list(static_ints(shape))
    if sizes.count(-1) > 1:
        raise invalid("reshape", f"Only one input size may be -1, got {sizes}")
    if -1 in sizes:
        at = sizes.index(-1)
        # With a size of 0 the open one is what is left of the sizes that are not 0.
        empty = 0 in sizes and 0 in x.aval.shape
        whole, known = (math.prod(n for n in s if n > 0) for s in (x.aval.shape, sizes))
        if not empty:
            whole, known = x.size, -math.prod(sizes)
        if known == 0 or (whole % known and not empty):
            raise invalid(
                "reshape",
                f"Input to reshape is a tensor with {x.size} values of shape {list(x.aval.shape)}, "
                f"but the requested shape {sizes} requires a multiple of {known}",
            )
        sizes[at] = whole // known
    if any(n < 0 for n in sizes):
        raise invalid("reshape", f"Size must be non-negative, got {sizes}")
    return movement.reshape(x, shape=tuple(sizes))


@dispatchable
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Without the dimensions of size 1 (all of them, or those of ``axis``).

    Raises:
        InvalidArgumentError: when a named dimension has another size.

    Example:
        >>> import tfpy as tf
        >>> tf.squeeze([[[1], [2]]]).numpy().tolist()
        [1, 2]
    """
    x = convert_to_tensor(input)
    if axis is None or not (named := static_ints(axis)):
        drop = {i for i, n in enumerate(x.aval.shape) if n == 1}
        if x.aval.is_open:  # of an open size nobody knows whether it is 1
            return reshape(
                x, [UnrankedSize(n) for i, n in enumerate(x.aval.shape) if i not in drop]
            )
    else:
        drop = {normalize_axis("squeeze", a, x.ndim) for a in named}
    for i in drop:
        if x.aval.shape[i] != 1:
            raise invalid(
                "squeeze",
                f"Can not squeeze dim[{i}], expected a dimension of 1, got {x.aval.shape[i]} "
                f"in shape {list(x.aval.shape)}",
            )
    return reshape(x, [n for i, n in enumerate(x.aval.shape) if i not in drop])


@dispatchable
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """With a dimension of size 1 put in at ``axis``.

    Args:
        axis: the place of the new dimension in the result, counted from the end when negative.

    Example:
        >>> import tfpy as tf
        >>> tf.expand_dims([1, 2], axis=-1).numpy().tolist()
        [[1], [2]]
    """
    x = convert_to_tensor(input)
    axes = static_ints(axis)
    if len(axes) != 1:
        raise invalid("expand_dims", f"axis must be one number, got {list(axes)}")
    at = normalize_axis("expand_dims", axes[0], x.ndim + 1)
    return reshape(x, [*x.aval.shape[:at], 1, *x.aval.shape[at:]])


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor of the same values, whose shape must match (None matches any size, or any shape).

    Raises:
        InvalidArgumentError: when it does not.

    Example:
        >>> import tfpy as tf
        >>> tf.ensure_shape(tf.zeros([2, 3]), [None, 3]).shape
        TensorShape([2, 3])
    """
    tensor = convert_to_tensor(x)
    if shape is None:
        return identity(tensor)
    wanted = tuple(shape)
    fits = len(wanted) == tensor.ndim and all(
        w is None or w == n for w, n in zip(wanted, tensor.aval.shape, strict=True)
    )
    if not fits:
        raise invalid(
            "ensure_shape",
            f"Shape of tensor x {list(tensor.aval.shape)} is not compatible with expected shape "
            f"{list(wanted)}",
        )
    sizes = (n if w is None else w for w, n in zip(wanted, tensor.aval.shape, strict=True))
    ensured: Tensor = movement.reshape(tensor, shape=tuple(sizes))
    tracing.declare_shape(ensured, shape)
    return ensured


@dispatchable
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """``input`` repeated to ``shape`` by NumPy's broadcasting.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
        [[1, 2], [1, 2]]
    """
    return movement.broadcast_to(input, shape=static_ints(shape))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that arrays of two shapes broadcast to.

    Raises:
        ValueError: when they do not.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([1, 4]))
        TensorShape([3, 4])
    """
    try:
        return TensorShape(np.broadcast_shapes(tuple(shape_x), tuple(shape_y)))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {tuple(shape_x)} and {tuple(shape_y)}; each "
            "dimension pair must be equal or one of them 1"
        ) from None


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """:func:`broadcast_static_shape` of shapes that are int32 vectors, as one.

    Raises:
        InvalidArgumentError: when they do not broadcast.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_dynamic_shape([3, 1], [1, 4]).numpy().tolist()
        [3, 4]
    """
    shapes = static_ints(shape_x), static_ints(shape_y)
    return constant(np.array(broadcast_shapes("broadcast_dynamic_shape", *shapes), np.int32))


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """Dimensions in the order ``perm``; reversed by default.

    Args:
        perm: which dimension of ``a`` comes at each place.
        conjugate: whether complex numbers are conjugated, too.

    Example:
        >>> import tfpy as tf
        >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
        [[1, 4], [2, 5], [3, 6]]
    """
    x = convert_to_tensor(a)
    order = (
        tuple(reversed(tuple(builtins.range(x.ndim))))
        if perm is None
        else tuple(p % x.ndim if -x.ndim <= p < 0 else p for p in static_ints(perm))
    )
    moved = movement.transpose(x, perm=order)
    if conjugate and x.dtype.is_complex:
        return complex_ops.conj(moved)
    return moved


@per_value
def identity(input: Any, name: str | None = None) -> Tensor:
    """A tensor of the same values.

    Example:
        >>> import tfpy as tf
        >>> tf.identity([1, 2]).numpy().tolist()
        [1, 2]
    """
    x = convert_to_tensor(input)
    return movement.reshape(x, shape=tuple(x.aval.shape))


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """A list of tensors of the same values.

    Raises:
        InvalidArgumentError: for an empty list.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.identity_n([tf.constant(1), tf.constant([2.0, 3.0])])
        >>> b.numpy().tolist()
        [2.0, 3.0]
    """
    if not input:
        raise invalid("identity_n", "input must have at least one tensor")
    return [identity(x) for x in input]


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors, as :func:`shape` gives them.

    Example:
        >>> import tfpy as tf
        >>> [s.numpy().tolist() for s in tf.shape_n([tf.zeros([2, 3]), tf.zeros([4])])]
        [[2, 3], [4]]
    """
    return [shape(x, out_type) for x in input]
