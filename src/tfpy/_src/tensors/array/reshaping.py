"""Functions of `tf` that return or change the shape of a tensor."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import OpenSize, UnrankedSize
from tfpy._src.compiler.ops import complex as complex_ops, movement
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core import nest
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable, per_value
from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.sizes import as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, DTypeLike, IntLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.static import static_ints


@dispatchable
def shape(input: TensorLike, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Return the shape of a tensor as a tensor.

    Args:
        input: Tensor of any dtype.
        out_type: Integer dtype of the result. Default: int32.

    Returns:
        Vector of the dimensions, with the dtype `out_type`.

    Example:
        >>> import tfpy as tf
        >>> tf.shape(tf.zeros([2, 3])).numpy().tolist()
        [2, 3]

    See also: `tf.rank`, `tf.size`, `tf.shape_n`.
    """
    return as_tensor(convert_to_tensor(input).aval.shape, as_dtype(out_type))


@dispatchable
def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the number of dimensions of a tensor.

    Args:
        input: Tensor of any dtype.

    Returns:
        Int32 scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.rank(tf.zeros([2, 3, 4])).numpy().tolist()
        3

    See also: `tf.shape`, `tf.size`.
    """
    aval = convert_to_tensor(input).aval
    return as_tensor(OpenSize(aval.rank), dtypes.int32) if aval.is_unranked else constant(aval.rank)


@dispatchable
def size(input: TensorLike, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Return the number of elements of a tensor.

    Args:
        input: Tensor of any dtype.
        out_type: Integer dtype of the result. Default: int32.

    Returns:
        Scalar of dtype `out_type`.

    Example:
        >>> import tfpy as tf
        >>> tf.size(tf.zeros([2, 3])).numpy().tolist()
        6

    See also: `tf.shape`, `tf.rank`.
    """
    aval = convert_to_tensor(input).aval
    return as_tensor(OpenSize(aval.size) if aval.is_unranked else aval.size, as_dtype(out_type))


@dispatchable
def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Return a tensor with the same elements in a new shape.

    Args:
        tensor: Tensor of any dtype.
        shape: New shape. One dimension may be -1, which is replaced so that the number of elements
            matches.

    Returns:
        Tensor of the new shape, with the dtype of `tensor` and its elements in row-major order.

    Raises:
        tf.errors.InvalidArgumentError: If the new shape has a different number of elements than
            `tensor`, or more than one dimension is -1.

    Example:
        >>> import tfpy as tf
        >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy().tolist()
        [[1, 2, 3], [4, 5, 6]]

    See also: `tf.squeeze`, `tf.expand_dims`, `tf.transpose`.
    """
    x = convert_to_tensor(tensor)
    sizes = list(static_ints(shape))
    if sizes.count(-1) > 1:
        raise invalid("reshape", f"Only one input size may be -1, got {sizes}")
    if -1 in sizes:
        at = sizes.index(-1)
        # If some sizes are 0, the open size is inferred from the sizes that are not 0.
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
def squeeze(input: TensorLike, axis: Axis = None, name: str | None = None) -> Tensor:
    """Remove dimensions of size 1 from the shape of a tensor.

    Args:
        input: Tensor of any dtype.
        axis: Axis or axes to remove. Negative values count from the end. Default: all axes of size
            1.

    Returns:
        Tensor with the elements and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If an axis in `axis` is out of range or does not have size
            1.

    Example:
        >>> import tfpy as tf
        >>> tf.squeeze([[[1], [2]]]).numpy().tolist()
        [1, 2]

    See also: `tf.expand_dims`, `tf.reshape`.
    """
    x = convert_to_tensor(input)
    if axis is None or not (named := static_ints(axis)):
        drop = {i for i, n in enumerate(x.aval.shape) if n == 1}
        if x.aval.is_open:  # an open size may be 1 or not, so the rank of the result is unknown
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
def expand_dims(input: TensorLike, axis: IntLike, name: str | None = None) -> Tensor:
    """Insert a dimension of size 1 into the shape of a tensor.

    Args:
        input: Tensor of any dtype.
        axis: Position of the new axis in the result. Negative values count from the end.

    Returns:
        Tensor with the elements and dtype of `input` and one additional dimension.

    Raises:
        tf.errors.InvalidArgumentError: If the axis is out of range or not a single integer.

    Example:
        >>> import tfpy as tf
        >>> tf.expand_dims([1, 2], axis=-1).numpy().tolist()
        [[1], [2]]

    See also: `tf.squeeze`, `tf.reshape`, `tf.newaxis`.
    """
    x = convert_to_tensor(input)
    axes = static_ints(axis)
    if len(axes) != 1:
        raise invalid("expand_dims", f"axis must be a tensor with a single value, got {list(axes)}")
    at = normalize_axis("expand_dims", axes[0], x.ndim + 1)
    return reshape(x, [*x.aval.shape[:at], 1, *x.aval.shape[at:]])


def ensure_shape(
    x: TensorLike, shape: Sequence[int | None] | None, name: str | None = None
) -> Tensor:
    """Check the shape of a tensor and return the tensor.

    Args:
        x: Tensor of any dtype.
        shape: Expected shape. A dimension of None matches any size, and a shape of None matches any
            shape.

    Returns:
        Tensor with the elements and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape of `x` does not match `shape`.

    Example:
        >>> import tfpy as tf
        >>> tf.ensure_shape(tf.zeros([2, 3]), [None, 3]).shape
        TensorShape([2, 3])

    See also: `tf.reshape`, `tf.debugging.assert_shapes`.
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
def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Broadcast a tensor to a shape according to NumPy's rules.

    Args:
        input: Tensor of any dtype.
        shape: Shape of the result.

    Returns:
        Tensor of shape `shape`, with the dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `input` cannot be broadcast to `shape`.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
        [[1, 2], [1, 2]]

    See also: `tf.tile`, `tf.broadcast_static_shape`.
    """
    return movement.broadcast_to(input, shape=static_ints(shape))


@dispatchable
def transpose(
    a: TensorLike, perm: TensorLike | None = None, conjugate: bool = False, name: str = "transpose"
) -> Tensor:
    """Permute the dimensions of a tensor.

    Args:
        a: Tensor of any dtype.
        perm: Vector of the axes of `a` in their new order. Negative values count from the end.
            Default: the reversed order.
        conjugate: If True, also replace complex numbers by their conjugates.

    Returns:
        Tensor with the dtype of `a`. Its size along axis i is `a.shape[perm[i]]`.

    Raises:
        tf.errors.InvalidArgumentError: If `perm` is not a permutation of the axes.

    Example:
        >>> import tfpy as tf
        >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
        [[1, 4], [2, 5], [3, 6]]

    See also: `tf.linalg.matrix_transpose`, `tf.linalg.adjoint`, `tf.reshape`.
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
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """Return a tensor with the same shape, dtype and values.

    Args:
        input: Tensor of any dtype.

    Returns:
        Tensor with the shape and dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> tf.identity([1, 2]).numpy().tolist()
        [1, 2]

    See also: `tf.identity_n`, `tf.stop_gradient`.
    """
    if isinstance(input, FieldRecord):
        return nest.map_structure(identity, input, expand_composites=True)
    x = convert_to_tensor(input)
    return movement.reshape(x, shape=tuple(x.aval.shape))


guarantee_const = identity


def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """Return a list of tensors with the same shapes, dtypes and values.

    Args:
        input: List of tensors of any dtypes.

    Returns:
        List of tensors, one for each tensor in `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `input` is empty.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.identity_n([tf.constant(1), tf.constant([2.0, 3.0])])
        >>> b.numpy().tolist()
        [2.0, 3.0]

    See also: `tf.identity`.
    """
    if not input:
        raise invalid("identity_n", "input must have at least one tensor")
    return [identity(x) for x in input]


def shape_n(
    input: Sequence[TensorLike], out_type: DTypeLike = dtypes.int32, name: str | None = None
) -> list[Tensor]:
    """Return the shape of each tensor in a list, as tensors.

    Args:
        input: List of tensors of any dtypes.
        out_type: Integer dtype of the results. Default: int32.

    Returns:
        List of vectors, one for each tensor in `input`.

    Example:
        >>> import tfpy as tf
        >>> [s.numpy().tolist() for s in tf.shape_n([tf.zeros([2, 3]), tf.zeros([4])])]
        [[2, 3], [4]]

    See also: `tf.shape`.
    """
    return [shape(x, out_type) for x in input]
