"""Products of matrices and vectors, and transposition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import FailedPreconditionError, invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ops import contraction, elementwise as ew
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import as_tensors, convert_to_tensor, is_operand
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.operators import as_operator
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape, squeeze, transpose
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_ints

_NARROW = {dtypes.int8, dtypes.uint8}
_MIXED = {dtypes.bfloat16, dtypes.float32}


@as_operator("matmul", reflected=True)
@dispatchable
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply matrices, with broadcasting of the batch dimensions.

    Args:
        a: Numeric tensor of shape `[..., m, k]`, or `[..., k, m]` if `transpose_a` or `adjoint_a`
            is True.
        b: Numeric tensor of shape `[..., k, n]`, or `[..., n, k]` if `transpose_b` or `adjoint_b`
            is True. It must have the dtype of `a`. As an exception, a bfloat16 matrix and a float32
            matrix without batch dimensions can be multiplied, with a float32 result.
        transpose_a: If True, transpose the matrices of `a` first. Default: False.
        transpose_b: If True, transpose the matrices of `b` first. Default: False.
        adjoint_a: If True, use the conjugate transposes of the matrices of `a`. Default: False.
        adjoint_b: If True, use the conjugate transposes of the matrices of `b`. Default: False.
        a_is_sparse, b_is_sparse: Hint that the matrix contains many zeros, which does not change
            the result. If True, `a` and `b` must be matrices without batch dimensions.
        output_type: Dtype of the result. If it is given, the products of int8 and uint8 operands
            are summed in int32. Required for int8 operands. Default: the dtype of `a`.
        grad_a, grad_b: Has no effect.

    Returns:
        Tensor of shape `[..., m, n]`.

    Raises:
        tf.errors.InvalidArgumentError: If an operand has fewer than two dimensions, the inner
            dimensions `k` or the batch dimensions do not match, or an operand with batch dimensions
            is marked as sparse.
        ValueError: If `transpose_a` and `adjoint_a`, or `transpose_b` and `adjoint_b`, are True.

    Example:
        >>> import tfpy as tf
        >>> tf.matmul([[1, 2], [3, 4]], [[10], [1]]).numpy().tolist()
        [[12], [34]]

    See also: `tf.linalg.matvec`, `tf.tensordot`, `tf.einsum`.
    """
    for side, both in (("a", transpose_a and adjoint_a), ("b", transpose_b and adjoint_b)):
        if both:
            raise ValueError(
                f"matmul: Only one of transpose_{side} and adjoint_{side} can be True."
            )
    x, y = as_tensors(contraction.matmul, (a, b))
    if (a_is_sparse or b_is_sparse) and not x.ndim == y.ndim == 2:
        raise invalid(
            "matmul",
            "a_is_sparse and b_is_sparse require two matrices, got shapes "
            f"{list(x.aval.shape)} and {list(y.aval.shape)}",
        )
    if {x.dtype, y.dtype} == _MIXED and x.ndim == y.ndim == 2:
        x, y = cast(x, dtypes.float32), cast(y, dtypes.float32)
    if output_type is not None and {x.dtype, y.dtype} <= _NARROW:
        x, y = cast(x, dtypes.int32), cast(y, dtypes.int32)
    if output_type is not None and x.dtype == dtypes.bfloat16 and y.dtype in _NARROW:
        y = cast(y, x.dtype)
    x, y = conj(x) if adjoint_a else x, conj(y) if adjoint_b else y
    ta, tb = bool(transpose_a or adjoint_a), bool(transpose_b or adjoint_b)
    product = _product(x, y, ta, tb)
    return product if output_type is None else cast(product, output_type)


def _product(x: Tensor, y: Tensor, ta: bool, tb: bool) -> Tensor:
    """Apply the op after broadcasting the batch dimensions. Two matrices do not need this."""
    if x.aval.rank == 2 == y.aval.rank:
        return contraction.matmul(x, y, transpose_a=ta, transpose_b=tb)
    contraction.matmul.infer(*(_last_two(t) for t in (x, y)), transpose_a=ta, transpose_b=tb)
    if y.ndim == 2 and x.ndim > 2 and not ta:
        rows = contraction.matmul(
            reshape(x, [-1, x.aval.shape[-1]])
            if x.size
            else reshape(x, [_rows(x), x.aval.shape[-1]]),
            y,
            transpose_a=False,
            transpose_b=tb,
        )
        return reshape(rows, [*x.aval.shape[:-1], rows.aval.shape[-1]])
    lead = infer.broadcast_shapes("matmul", x.aval.shape[:-2], y.aval.shape[:-2])
    x, y = _with_batch(x, lead), _with_batch(y, lead)
    return contraction.matmul(x, y, transpose_a=ta, transpose_b=tb)


def _last_two(x: Tensor) -> Any:
    """Return the aval of one matrix of a batch."""
    if x.ndim < 2:
        raise invalid(
            "matmul",
            f"In[0] and In[1] need 2 or more dimensions, one has shape {list(x.aval.shape)}",
        )
    return Aval(x.aval.shape[-2:], x.dtype)


def _rows(x: Tensor) -> int:
    """Return the product of all sizes except the last one."""
    rows = 1
    for n in x.aval.shape[:-1]:
        rows *= n
    return rows


def _with_batch(x: Tensor, lead: tuple[int, ...]) -> Tensor:
    """Broadcast `x` to the batch dimensions, unless it contains a single matrix."""
    own = x.aval.shape[:-2]
    if own == lead or all(n == 1 for n in own):
        return x
    return broadcast_to(x, (*lead, *x.aval.shape[-2:]))


@dispatchable
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply matrices by vectors, with broadcasting of the batch dimensions.

    Args:
        a: Matrices, a numeric tensor of shape `[..., m, n]`, or `[..., n, m]` if `transpose_a` or
            `adjoint_a` is True.
        b: Vectors, a tensor of shape `[..., n]` with the dtype of `a`.
        transpose_a: If True, transpose the matrices first.
        adjoint_a: If True, use the conjugate transpose of the matrices.
        a_is_sparse, b_is_sparse: Hint that the operand contains many zeros, which does not change
            the result. If True, `a` must be a matrix and `b` a vector, without batch dimensions.

    Returns:
        Tensor of shape `[..., m]`, with the dtype of `a`.

    Raises:
        tf.errors.InvalidArgumentError: If the dimensions `n` or the batch dimensions do not match,
            or an operand with batch dimensions is marked as sparse.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [10.0, 1.0]).numpy().tolist()
        [12.0, 34.0]

    See also: `tf.matmul`.
    """
    x, y = as_tensors(contraction.matmul, (a, b))
    product = matmul(
        x,
        expand_dims(y, -1),
        transpose_a,
        adjoint_a=adjoint_a,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
    )
    return squeeze(product, -1)


def tensordot(
    a: TensorLike,
    b: TensorLike,
    axes: int | Sequence[int | Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """Multiply two tensors and sum the products over the given axes, like `numpy.tensordot`.

    Unlike in NumPy, the summed axes need not match one by one. Those of each tensor are flattened
    into one axis, in the given order, and only the sizes of the two flattened axes must be equal.

    Args:
        a: Numeric tensor.
        b: Numeric tensor with the dtype of `a`.
        axes: Axes to sum over. An integer `n` means the last `n` axes of `a` and the first `n` axes
            of `b`. A pair contains the axes of `a` and the axes of `b`, each an integer or a list.
            Negative axes in a pair count from the end.

    Returns:
        Tensor with the remaining axes of `a`, followed by those of `b`. It has the dtype of `a`.

    Raises:
        tf.errors.InvalidArgumentError: If the sizes of the flattened axes differ.
        ValueError: If an integer `axes` is negative or larger than the rank of `a` or `b`, or a
            pair contains more axes for one tensor than for the other.

    Example:
        >>> import tfpy as tf
        >>> tf.tensordot([[1, 2], [3, 4]], [10, 1], axes=1).numpy().tolist()
        [12, 34]
        >>> tf.tensordot([[1, 2], [3, 4]], [10, 1], axes=[[0], [0]]).numpy().tolist()
        [13, 24]

    See also: `tf.matmul`, `tf.einsum`.
    """
    x, y = as_tensors(contraction.matmul, (a, b))
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"tensordot: `axes` must be at least 0, got {axes}")
        if axes > min(x.ndim, y.ndim):
            raise ValueError(
                f"tensordot: `axes` must not be larger than the number of dimensions, got {axes} "
                f"for {list(x.aval.shape)} and {list(y.aval.shape)}"
            )
        axes_a = list(range(x.ndim - axes, x.ndim))
        axes_b = list(range(axes))
    else:
        pair: Any = axes
        if not isinstance(pair, list | tuple) and not is_operand(pair):
            pair = static_ints(pair)  # raises an error if these are not integers
        if len(pair) != 2:
            raise ValueError(f"tensordot: `axes` must be an integer or have length 2, got {pair}")
        axes_a = [infer.normalize_axis("tensordot", i, x.ndim) for i in static_ints(pair[0])]
        axes_b = [infer.normalize_axis("tensordot", i, y.ndim) for i in static_ints(pair[1])]
        if len(axes_a) != len(axes_b):
            raise ValueError(
                f"tensordot: Different number of contraction axes: {axes_a} and {axes_b}"
            )
    inner, other = (math.prod(t.aval.shape[i] for i in along)
                    for t, along in ((x, axes_a), (y, axes_b)))  # fmt: skip
    if inner != other:
        raise invalid(
            "tensordot",
            f"the sizes of axes {axes_a} of {list(x.shape)} and of axes {axes_b} of "
            f"{list(y.shape)} must have the same product",
        )
    free_a = [i for i in range(x.ndim) if i not in axes_a]
    free_b = [i for i in range(y.ndim) if i not in axes_b]
    rows, columns = [x.aval.shape[i] for i in free_a], [y.aval.shape[i] for i in free_b]
    left = reshape(transpose(x, free_a + axes_a), [math.prod(rows), inner])
    right = reshape(transpose(y, axes_b + free_b), [inner, math.prod(columns)])
    return reshape(matmul(left, right), rows + columns)


def matrix_transpose(
    a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Transpose matrices, which swaps the last two dimensions.

    Args:
        a: Tensor of shape `[..., m, n]`.
        conjugate: If True, also conjugate complex numbers. Default: False.

    Returns:
        Tensor of shape `[..., n, m]`, with the dtype of `a`.

    Raises:
        ValueError: If `a` has fewer than two dimensions.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(6), [1, 2, 3])
        >>> tf.linalg.matrix_transpose(x).numpy().tolist()
        [[[0, 3], [1, 4], [2, 5]]]

    See also: `tf.linalg.adjoint`, `tf.transpose`.
    """
    x = convert_to_tensor(a)
    if x.ndim < 2:
        raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2, got {x.shape}")
    order = list(range(x.ndim))
    order[-2:] = order[-1], order[-2]
    return transpose(x, order, conjugate)


@dispatchable
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Compute the conjugate transpose of matrices.

    The last two dimensions are swapped, and complex numbers are conjugated.

    Args:
        matrix: Tensor of shape `[..., m, n]`.

    Returns:
        Tensor of shape `[..., n, m]`, with the dtype of `matrix`.

    Raises:
        ValueError: If `matrix` has fewer than two dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.adjoint(tf.constant([[1 + 2j, 3 + 0j]])).numpy().tolist()
        [[(1-2j)], [(3-0j)]]

    See also: `tf.linalg.matrix_transpose`.
    """
    return matrix_transpose(matrix, conjugate=True)


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """Compute the cross products of vectors with 3 elements.

    Args:
        a: Numeric tensor of shape `[..., 3]`.
        b: Tensor with the shape and dtype of `a`.

    Returns:
        Tensor with the shape and dtype of `a`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes differ, or both operands are scalars.
        tf.errors.FailedPreconditionError: If the last dimension is not 3.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy().tolist()
        [0.0, 0.0, 1.0]

    See also: `tf.tensordot`.
    """
    x, y = as_tensors(ew.multiply, (a, b))
    if x.aval.shape != y.aval.shape or not x.ndim:
        raise invalid(
            "cross",
            f"Both inputs must be of same shape: {list(x.aval.shape)} vs. {list(y.aval.shape)}",
        )
    if x.aval.shape[-1] != 3:
        raise FailedPreconditionError(
            None,
            "cross",
            f"cross: Cross-products are only defined for 3-element vectors: {list(x.aval.shape)}",
        )
    after, before = [1, 2, 0], [2, 0, 1]
    return _pick(x, after) * _pick(y, before) - _pick(x, before) * _pick(y, after)


def _pick(x: Tensor, order: list[int]) -> Tensor:
    return take(x, order, axis=-1)
