"""`tf.compat.v1`: functions with other arguments or results in TensorFlow 1.

Arguments that have no effect in TensorFlow 2 have no effect here either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import with_composites
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.sparse import slicing as sparse_slicing
from tfpy._src.tensors.array import joining, reshaping, scattering, slicing
from tfpy._src.tensors.composite.ragged.broadcast import same_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.variables.variable import Variable


def assign(
    ref: Variable,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Variable:
    """Assign a new value to a Variable.

    Args:
        ref: Variable to change.
        value: New value, with the shape and dtype of the Variable.
        validate_shape: Has no effect.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Raises:
        ValueError: If the shape or dtype of `value` does not match the shape or dtype of `ref`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable([1, 2])
        >>> tf.compat.v1.assign(x, [3, 4]).numpy().tolist()
        [3, 4]

    See also: `tf.Variable`, `tf.compat.v1.assign_add`.
    """
    return ref.assign(value)


def assign_add(
    ref: Variable, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Variable:
    """Add a value to a Variable.

    Args:
        ref: Variable to change.
        value: Value to add, with the shape and dtype of the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable([1, 2])
        >>> tf.compat.v1.assign_add(x, [3, 4]).numpy().tolist()
        [4, 6]

    See also: `tf.Variable`, `tf.compat.v1.assign_sub`.
    """
    return ref.assign_add(value)


def assign_sub(
    ref: Variable, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Variable:
    """Subtract a value from a Variable.

    Args:
        ref: Variable to change.
        value: Value to subtract, with the shape and dtype of the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable([1, 2])
        >>> tf.compat.v1.assign_sub(x, [3, 4]).numpy().tolist()
        [-2, -2]

    See also: `tf.Variable`, `tf.compat.v1.assign_add`.
    """
    return ref.assign_sub(value)


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: str = "boolean_mask", axis: int | None = None
) -> Tensor:
    """Select elements of a tensor with a mask, like `tf.boolean_mask`.

    Args:
        tensor: Tensor of any dtype.
        mask: Bool tensor. Its shape must be equal to `tensor.shape[axis:axis + mask.ndim]`.
        axis: First axis of `tensor` that the mask covers. Default: 0.

    Returns:
        Tensor with the dtype of `tensor`, in which an axis of the selected elements replaces the
        axes that the mask covers.

    Raises:
        ValueError: If the shape of the mask does not match the shape of `tensor`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
        [1, 3]

    See also: `tf.boolean_mask`.
    """
    return slicing.boolean_mask(tensor, mask, axis)


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: int | None = None,
    batch_dims: int = 0,
) -> Tensor:
    """Gather slices of a tensor along an axis, like `tf.gather`.

    Out-of-range indices raise an error on the cpu and wasm backends. On other backends, they
    produce zeros.

    Args:
        params: Tensor to gather from.
        indices: Integer tensor of any shape.
        validate_indices: Has no effect.
        axis: Axis to gather along. Negative values count from the end. Default: `batch_dims`.
        batch_dims: Number of leading batch axes that `params` and `indices` have in common.

    Returns:
        Tensor with the dtype of `params`, in which the axes of `indices` replace the axis `axis`.
        The shape is `[*params.shape[:axis], *indices.shape[batch_dims:], *params.shape[axis +
        1:]]`.

    Raises:
        tf.errors.InvalidArgumentError: If `axis` is out of range, or if an index is out of range on
            the cpu or wasm backend.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.gather([10, 20, 30], [2, 0]).numpy().tolist()
        [30, 10]

    See also: `tf.gather`, `tf.compat.v1.gather_nd`.
    """
    return slicing.gather(params, indices, axis=axis, batch_dims=batch_dims)


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    name: str | None = None,
    batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> Tensor:
    """Gather elements or slices of a tensor at multi-dimensional indices, like `tf.gather_nd`.

    Args:
        params: Tensor to gather from.
        indices: Integer tensor of shape `[..., k]`. Each row along the last axis is an index into
            `k` axes of `params`.
        batch_dims: Number of leading batch axes that `params` and `indices` have in common.
        bad_indices_policy: What to do with out-of-range indices. `"IGNORE"` produces zeros.
            `"ERROR"` and the default (`""` or `"DEFAULT"`) raise an error on the cpu and wasm
            backends, and produce zeros on other backends.

    Returns:
        Tensor with the dtype of `params`, in which one element or slice replaces each row of
        `indices`. The shape is `[..., *params.shape[batch_dims + k:]]`.

    Raises:
        tf.errors.InvalidArgumentError: If an index is out of range on the cpu or wasm backend, `k`
            is larger than the rank of `params`, or `bad_indices_policy` is unknown.
        ValueError: If `batch_dims` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
        [2, 3]

    See also: `tf.gather_nd`, `tf.compat.v1.gather`.
    """
    return scattering.gather_nd(params, indices, batch_dims, bad_indices_policy=bad_indices_policy)


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> Tensor:
    """Pad a tensor with constants or with its mirrored values, like `tf.pad`.

    Args:
        tensor: Tensor of rank n and any dtype.
        paddings: Integer tensor of shape `[n, 2]` with the number of elements to add before and
            after each axis.
        mode: `"CONSTANT"` (default), `"REFLECT"` to mirror the values without the edge, or
            `"SYMMETRIC"` to mirror them with the edge.
        constant_values: Scalar that fills the padding in the mode `"CONSTANT"`. Default: 0.

    Returns:
        Tensor of the padded shape with the dtype of `tensor`.

    Raises:
        ValueError: If `mode` is unknown.
        tf.errors.InvalidArgumentError: If `paddings` does not have one pair for each axis, a
            padding is negative, or a padding is larger than the axis that is mirrored.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.pad([1, 2], [[1, 2]], constant_values=9).numpy().tolist()
        [9, 1, 2, 9, 9]

    See also: `tf.pad`.
    """
    return joining.pad(tensor, paddings, mode, constant_values)


def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Select elements of two tensors of the same shape, or return the indices of True elements.

    Unlike `tf.where`, this function does not broadcast its arguments. A vector `condition`,
    however, selects whole rows of `x` and `y`.

    Args:
        condition: Bool tensor, which is a scalar, a tensor with the shape of `x`, or a vector with
            an element for each row of `x`.
        x: Tensor with the values where `condition` is True. Pass `x` and `y`, or neither of them.
        y: Tensor with the shape and dtype of `x` and the values where `condition` is False.

    Returns:
        If `x` and `y` are passed, a tensor with the shape and dtype of `x`. Otherwise, an int64
        tensor of shape `[n, rank]` with the indices of the `n` True elements (int32 unless the
        environment variable `TFPY_ENABLE_X64` is set).

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.
        ValueError: If only one of `x` and `y` is passed.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.where([True, False], [1, 2], [10, 20]).numpy().tolist()
        [1, 20]
        >>> tf.compat.v1.where([[True, False], [False, True]]).numpy().tolist()
        [[0, 0], [1, 1]]

    See also: `tf.where`.
    """
    if x is None or y is None:
        return slicing.where(condition, x, y)
    given = [with_composites(value) for value in (condition, x, y)]
    if any(isinstance(value, RaggedTensor) for value in given):
        return _ragged_where(*given)
    c, a, b = convert_to_tensor(condition), convert_to_tensor(x), convert_to_tensor(y)
    one_shape = a.aval.shape == b.aval.shape
    rows = c.ndim == 1 and a.ndim > 0 and a.aval.shape[0] == c.aval.shape[0]
    if not one_shape or not (rows or c.aval.shape in ((), a.aval.shape)):
        raise invalid(
            "compat.v1.where",
            f"condition {list(c.shape)}, x {list(a.shape)} and y {list(b.shape)} must have one "
            "shape, or condition must be a scalar or have one element for each row of x and y. "
            "Use tf.where to broadcast",
        )
    if rows:
        c = reshaping.reshape(c, [-1] + [1] * (a.ndim - 1))
    return logic.select(c, a, b)


def _ragged_where(condition: Any, x: Any, y: Any) -> Any:
    """Select values or rows, at least one of the values is ragged.

    Raises:
        ValueError: If a ragged condition and the values do not have the same rows, or the condition
            for rows is not a vector.
    """
    if isinstance(condition, RaggedTensor):
        ragged = [value for value in (x, y) if isinstance(value, RaggedTensor)]
        if len(ragged) < 2 or not all(same_rows(condition, value) for value in ragged):
            raise ValueError("Input shapes do not match.")
        return slicing.where(condition, x, y)
    chosen = convert_to_tensor(condition)
    if chosen.ndim != 1:
        raise ValueError(f"Shape {chosen.shape} must have rank 1")
    place = chosen.host_view()
    rows = np.arange(place.size, dtype=np.int32)
    return slicing.gather(joining.concat([x, y], 0), np.where(place, rows, rows + place.size))


def sparse_concat(
    axis: int | None,
    sp_inputs: Sequence[SparseTensor],
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Concatenate sparse tensors along an axis, like `tf.sparse.concat`.

    Args:
        axis: Axis to concatenate along. Negative values count from the end.
        sp_inputs: Sparse tensors of the same rank and dtype.
        expand_nonconcat_dim: Older name of `expand_nonconcat_dims`.
        concat_dim: Older name of `axis`, which is used if `axis` is None.
        expand_nonconcat_dims: If True, dimensions other than `axis` may differ, and the result has
            the largest of them. Otherwise, they must be equal. Default: False.

    Returns:
        Sparse tensor with the dtype of `sp_inputs` and with sorted indices.

    Raises:
        tf.errors.InvalidArgumentError: If the ranks differ, or if dimensions other than `axis`
            differ although `expand_nonconcat_dims` is False.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.from_dense([[1, 0]]), tf.sparse.from_dense([[0, 2]])
        >>> tf.sparse.to_dense(tf.compat.v1.sparse_concat(0, [a, b])).numpy().tolist()
        [[1, 0], [0, 2]]

    See also: `tf.sparse.concat`.
    """
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    along: Any = concat_dim if axis is None else axis
    return sparse_slicing.concat(along, sp_inputs, expand)
