"""`tf.compat.v1`: functions with other arguments or results in TensorFlow 1.

Arguments that have no effect in TensorFlow 2 have no effect here either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, ShapeLike, TensorLike
from tfpy._src.library.sparse import slicing as sparse_slicing
from tfpy._src.tensors.array import joining, reshaping, scattering, slicing
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.random import stateful
from tfpy._src.tensors.variables.variable import Variable


def assign(
    ref: Variable,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Variable:
    """Assign a value to a Variable.

    Args:
        ref: Variable to change.
        value: Tensor of the shape and dtype of the Variable.
        validate_shape: Has no effect.
        use_locking: Has no effect.

    Returns:
        The Variable.

    Raises:
        ValueError: If the shape or the dtype of the value is another one.

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
        value: Tensor of the shape and dtype of the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable.

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
        value: Tensor of the shape and dtype of the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable.

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
    """Select elements with a mask, like `tf.boolean_mask`.

    Args:
        tensor: Tensor.
        mask: Bool tensor; its shape matches axes of `tensor` from `axis` on.
        axis: First axis of the mask. Default: 0.

    Returns:
        Tensor with the selected elements.

    Raises:
        ValueError: If the shape of the mask does not match.

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
    """Gather slices along an axis, like `tf.gather`.

    Args:
        params: Tensor to gather from.
        indices: Integer tensor of any shape. An index out of range raises an error on the cpu and
            wasm backends; other backends return zeros for it.
        validate_indices: Has no effect.
        axis: Axis, negative values count from the end. Default: `batch_dims`.
        batch_dims: Number of leading axes that `params` and `indices` share.

    Returns:
        Tensor with the dtype of `params`; `axis` is replaced with the axes of `indices`.

    Raises:
        tf.errors.InvalidArgumentError: If an index is out of range on the cpu or wasm backend, or
            the axis is out of range.

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
    """Gather slices at index vectors, like `tf.gather_nd`.

    Args:
        params: Tensor to gather from.
        indices: Integer tensor of shape `[..., k]`. An index out of range raises an error on the
            cpu and wasm backends; other backends return zeros for it.
        batch_dims: Number of leading axes that `params` and `indices` share.
        bad_indices_policy: `"IGNORE"` returns zeros for an index out of range on every backend.
            Default: raise an error where the backend can.

    Returns:
        Tensor of shape `[..., *params.shape[k:]]` with the dtype of `params`.

    Raises:
        tf.errors.InvalidArgumentError: If an index is out of range on the cpu or wasm backend, `k`
            is larger than the rank of `params`, or the policy is unknown.
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
    """Pad a tensor, like `tf.pad`.

    Args:
        tensor: Tensor of rank n.
        paddings: Integer tensor of shape `[n, 2]` with the sizes before and after each axis.
        mode: `"CONSTANT"`, `"REFLECT"` or `"SYMMETRIC"`.
        constant_values: Scalar for the mode `"CONSTANT"`.

    Returns:
        Tensor with the dtype of `tensor`.

    Raises:
        ValueError: If the mode is unknown.
        tf.errors.InvalidArgumentError: If the paddings are not valid.

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
    """Select elements of two tensors of one shape, or return the indices of True elements.

    Unlike `tf.where`, this function does not broadcast, except that a vector `condition` selects
    rows.

    Args:
        condition: Bool tensor: a scalar, a tensor of the shape of `x`, or a vector with an element
            for each row of `x`.
        x: Tensor for True elements.
        y: Tensor of the shape and dtype of `x` for False elements.

    Returns:
        Tensor of the shape and dtype of `x`. Without `x` and `y`, an int64 tensor of shape `[n,
        rank]` with the indices of True elements.

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
        axis: Axis, negative values count from the end.
        sp_inputs: Sparse tensors of one rank and dtype.
        expand_nonconcat_dim: Older name of `expand_nonconcat_dims`.
        concat_dim: Older name of `axis`, which is used if `axis` is None.
        expand_nonconcat_dims: If True, the other axes may differ; the result has their largest
            sizes.

    Returns:
        Sparse tensor with sorted indices.

    Raises:
        tf.errors.InvalidArgumentError: If the other axes differ, or the ranks differ.

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


def random_normal_initializer(
    mean: FloatLike = 0.0,
    stddev: FloatLike = 1.0,
    seed: int | None = None,
    dtype: DTypeLike = dtypes.float32,
) -> Callable[..., Tensor]:
    """Create an initializer that draws samples from a normal distribution.

    Args:
        mean: Mean of the distribution.
        stddev: Standard deviation of the distribution.
        seed: Integer that makes the sequence reproducible together with `tf.random.set_seed`.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Function from a shape (and an optional dtype) to a tensor.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.random_normal_initializer(stddev=0.1, seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random.normal`, `tf.compat.v1.random_uniform_initializer`.
    """

    def initializer(
        shape: ShapeLike, dtype: DTypeLike = dtype, partition_info: object = None
    ) -> Tensor:
        return stateful.normal(shape, mean, stddev, dtype, seed)

    return initializer


def random_uniform_initializer(
    minval: FloatLike = 0.0,
    maxval: FloatLike | None = None,
    seed: int | None = None,
    dtype: DTypeLike = dtypes.float32,
) -> Callable[..., Tensor]:
    """Create an initializer that draws samples from a uniform distribution.

    Args:
        minval: Least value.
        maxval: Upper bound, which is excluded. Default: 1 for float dtypes; required for integers.
        seed: Integer that makes the sequence reproducible together with `tf.random.set_seed`.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Function from a shape (and an optional dtype) to a tensor. It raises a ValueError if
        `maxval` is required and missing.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.random_uniform_initializer(minval=0.0, maxval=1.0, seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random.uniform`, `tf.compat.v1.random_normal_initializer`.
    """

    def initializer(
        shape: ShapeLike, dtype: DTypeLike = dtype, partition_info: object = None
    ) -> Tensor:
        return stateful.uniform(shape, minval, maxval, dtype, seed)

    return initializer
