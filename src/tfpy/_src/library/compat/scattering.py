"""`tf.compat.v1`: functions that change rows or parts of a Variable."""

from __future__ import annotations

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.variables.variable import Variable


def _rows(ref: Variable, indices: TensorLike, updates: TensorLike) -> IndexedSlices:
    """Return updates of rows. A scalar applies to each of them."""
    rows = convert_to_tensor(indices)
    values = convert_to_tensor(updates, ref.dtype)
    if not values.aval.shape:
        values = broadcast_to(values, [*rows.aval.shape, *ref.shape[1:]])
    return IndexedSlices(values, rows)


def scatter_add(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Variable:
    """Add updates to rows of a Variable.

    Args:
        ref: Variable to change.
        indices: Integer tensor with the numbers of the rows.
        updates: Scalar, or tensor of shape `[*indices.shape, *ref.shape[1:]]`, with the dtype of
            the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_add(v, [1, 1], [10.0, 10.0]).numpy().tolist()
        [1.0, 22.0, 3.0]

    See also: `tf.compat.v1.scatter_update`, `tf.compat.v1.scatter_nd_add`.
    """
    return ref.scatter_add(_rows(ref, indices, updates))


def scatter_sub(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Variable:
    """Subtract updates from rows of a Variable.

    Args:
        ref: Variable to change.
        indices: Integer tensor with the numbers of the rows.
        updates: Scalar, or tensor of shape `[*indices.shape, *ref.shape[1:]]`, with the dtype of
            the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_sub(v, [1], [1.0]).numpy().tolist()
        [1.0, 1.0, 3.0]

    See also: `tf.compat.v1.scatter_add`, `tf.compat.v1.scatter_nd_add`.
    """
    return ref.scatter_sub(_rows(ref, indices, updates))


def scatter_mul(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Variable:
    """Multiply rows of a Variable by updates.

    Args:
        ref: Variable to change.
        indices: Integer tensor with the numbers of the rows.
        updates: Scalar, or tensor of shape `[*indices.shape, *ref.shape[1:]]`, with the dtype of
            the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_mul(v, [1], [10.0]).numpy().tolist()
        [1.0, 20.0, 3.0]

    See also: `tf.compat.v1.scatter_add`, `tf.compat.v1.scatter_nd_add`.
    """
    return ref.scatter_mul(_rows(ref, indices, updates))


def scatter_div(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Variable:
    """Divide rows of a Variable by updates.

    Args:
        ref: Variable to change.
        indices: Integer tensor with the numbers of the rows.
        updates: Scalar, or tensor of shape `[*indices.shape, *ref.shape[1:]]`, with the dtype of
            the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_div(v, [1], [2.0]).numpy().tolist()
        [1.0, 1.0, 3.0]

    See also: `tf.compat.v1.scatter_add`, `tf.compat.v1.scatter_nd_add`.
    """
    return ref.scatter_div(_rows(ref, indices, updates))


def scatter_max(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Variable:
    """Replace rows of a Variable by the elementwise maximum of rows and updates.

    Args:
        ref: Variable to change.
        indices: Integer tensor with the numbers of the rows.
        updates: Scalar, or tensor of shape `[*indices.shape, *ref.shape[1:]]`, with the dtype of
            the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_max(v, [0, 1], [0.0, 9.0]).numpy().tolist()
        [1.0, 9.0, 3.0]

    See also: `tf.compat.v1.scatter_add`, `tf.compat.v1.scatter_nd_add`.
    """
    return ref.scatter_max(_rows(ref, indices, updates))


def scatter_min(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Variable:
    """Replace rows of a Variable by the elementwise minimum of rows and updates.

    Args:
        ref: Variable to change.
        indices: Integer tensor with the numbers of the rows.
        updates: Scalar, or tensor of shape `[*indices.shape, *ref.shape[1:]]`, with the dtype of
            the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_min(v, [0, 1], [0.0, 9.0]).numpy().tolist()
        [0.0, 2.0, 3.0]

    See also: `tf.compat.v1.scatter_add`, `tf.compat.v1.scatter_nd_add`.
    """
    return ref.scatter_min(_rows(ref, indices, updates))


def scatter_update(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Variable:
    """Replace rows of a Variable.

    Args:
        ref: Variable to change.
        indices: Integer tensor with the numbers of the rows.
        updates: Scalar, or tensor of shape `[*indices.shape, *ref.shape[1:]]`, with the dtype of
            the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_update(v, [1], [9.0]).numpy().tolist()
        [1.0, 9.0, 3.0]

    See also: `tf.compat.v1.scatter_add`, `tf.compat.v1.scatter_nd_add`.
    """
    return ref.scatter_update(_rows(ref, indices, updates))


def scatter_nd_add(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Variable:
    """Add updates to parts of a Variable.

    Args:
        ref: Variable to change.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of one part.
        updates: One update for each index, a tensor of shape `[..., *ref.shape[depth:]]` with the
            dtype of the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_nd_add(v, [[1]], [10.0]).numpy().tolist()
        [1.0, 12.0, 3.0]

    See also: `tf.compat.v1.scatter_nd_update`, `tf.compat.v1.scatter_add`.
    """
    return ref.scatter_nd_add(indices, updates)


def scatter_nd_sub(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Variable:
    """Subtract updates from parts of a Variable.

    Args:
        ref: Variable to change.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of one part.
        updates: One update for each index, a tensor of shape `[..., *ref.shape[depth:]]` with the
            dtype of the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_nd_sub(v, [[1]], [10.0]).numpy().tolist()
        [1.0, -8.0, 3.0]

    See also: `tf.compat.v1.scatter_nd_add`, `tf.compat.v1.scatter_add`.
    """
    return ref.scatter_nd_sub(indices, updates)


def scatter_nd_update(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Variable:
    """Replace parts of a Variable.

    Args:
        ref: Variable to change.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of one part.
        updates: One update for each index, a tensor of shape `[..., *ref.shape[depth:]]` with the
            dtype of the Variable.
        use_locking: Has no effect.

    Returns:
        The Variable `ref`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> tf.compat.v1.scatter_nd_update(v, [[1]], [10.0]).numpy().tolist()
        [1.0, 10.0, 3.0]

    See also: `tf.compat.v1.scatter_nd_add`, `tf.compat.v1.scatter_add`.
    """
    return ref.scatter_nd_update(indices, updates)
