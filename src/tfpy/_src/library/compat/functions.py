"""``tf.compat.v1``: functions whose arguments or results were others in TensorFlow 1.

Arguments of no effect in TensorFlow 2 have none here either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control import control_flow
from tfpy._src.library.sparse import slicing as sparse_slicing
from tfpy._src.tensors.array import joining, reshaping, scattering, slicing
from tfpy._src.tensors.random import stateful

Function = Callable[..., Any]


def assign(
    ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None
) -> Any:
    """``ref.assign(value)`` of a Variable.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable([1, 2])
        >>> tf.compat.v1.assign(x, [3, 4]).numpy().tolist()
        [3, 4]
    """
    return ref.assign(value)


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """``ref.assign_add(value)`` of a Variable.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable([1, 2])
        >>> tf.compat.v1.assign_add(x, [3, 4]).numpy().tolist()
        [4, 6]
    """
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """``ref.assign_sub(value)`` of a Variable.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable([1, 2])
        >>> tf.compat.v1.assign_sub(x, [3, 4]).numpy().tolist()
        [-2, -2]
    """
    return ref.assign_sub(value)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Any:
    """``tf.boolean_mask``.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
        [1, 3]
    """
    return slicing.boolean_mask(tensor, mask, axis)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """``tf.gather``.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.gather([10, 20, 30], [2, 0]).numpy().tolist()
        [30, 10]
    """
    return slicing.gather(params, indices, axis=axis, batch_dims=batch_dims)


def gather_nd(
    params: Any, indices: Any, name: Any = None, batch_dims: int = 0, bad_indices_policy: str = ""
) -> Any:
    """``tf.gather_nd``.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
        [2, 3]
    """
    return scattering.gather_nd(params, indices, batch_dims, bad_indices_policy=bad_indices_policy)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", name: Any = None, constant_values: Any = 0
) -> Any:
    """``tf.pad``.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.pad([1, 2], [[1, 2]], constant_values=9).numpy().tolist()
        [9, 1, 2, 9, 9]
    """
    return joining.pad(tensor, paddings, mode, constant_values)


def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Tensor:
    """``tf.where`` of ``x`` and ``y`` of one shape; a vector ``condition`` chooses their rows.

    Raises:
        InvalidArgumentError: for other shapes.
        ValueError: when only one of ``x`` and ``y`` is given.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.where([True, False], [1, 2], [10, 20]).numpy().tolist()
        [1, 20]
        >>> tf.compat.v1.where([[True, False], [False, True]]).numpy().tolist()
        [[0, 0], [1, 1]]
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
            "shape, or condition be a scalar, or a vector for their rows; tf.where broadcasts",
        )
    if rows:
        c = reshaping.reshape(c, [-1] + [1] * (a.ndim - 1))
    return logic.select(c, a, b)


def cond(
    pred: Any,
    true_fn: Function | None = None,
    false_fn: Function | None = None,
    strict: bool = False,
    name: Any = None,
    fn1: Function | None = None,
    fn2: Function | None = None,
) -> Any:
    """``tf.cond``; outside of ``tf.function`` a list or tuple of one result is that result, unless
    ``strict``.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant(3)
        >>> tf.compat.v1.cond(x > 2, true_fn=lambda: x * 10, false_fn=lambda: x).numpy().tolist()
        30
    """
    found = control_flow.cond(pred, true_fn or fn1, false_fn or fn2)
    return found if strict or tracing.local.active else _only(found)


def while_loop(
    cond: Function,
    body: Function,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: Any = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """``tf.while_loop``; the value of an only variable is given by itself, unless
    ``return_same_structure``.

    Example:
        >>> import tfpy as tf
        >>> i = tf.constant(0)
        >>> tf.compat.v1.while_loop(lambda i: i < 10, lambda i: i + 3, [i]).numpy().tolist()
        12
    """
    found = control_flow.while_loop(
        cond, body, loop_vars, shape_invariants, maximum_iterations=maximum_iterations
    )
    return found if return_same_structure else _only(found)


def _only(found: Any) -> Any:
    """What a list or tuple of one holds; anything else as it is."""
    return found[0] if isinstance(found, list | tuple) and len(found) == 1 else found


def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: Any = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: Any = None,
) -> Any:
    """``tf.sparse.concat``; ``concat_dim`` is an older name of ``axis``.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.from_dense([[1, 0]]), tf.sparse.from_dense([[0, 2]])
        >>> tf.sparse.to_dense(tf.compat.v1.sparse_concat(0, [a, b])).numpy().tolist()
        [[1, 0], [0, 2]]
    """
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return sparse_slicing.concat(concat_dim if axis is None else axis, sp_inputs, expand)


def random_normal_initializer(
    mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = dtypes.float32
) -> Callable[..., Tensor]:
    """A function of a shape that gives normal numbers (``tf.random.normal``).

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.random_normal_initializer(stddev=0.1, seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])
    """

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Tensor:
        return stateful.normal(shape, mean, stddev, dtype, seed)

    return initializer


def random_uniform_initializer(
    minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = dtypes.float32
) -> Callable[..., Tensor]:
    """A function of a shape that gives uniform numbers (``tf.random.uniform``).

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.random_uniform_initializer(minval=0.0, maxval=1.0, seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])
    """

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Tensor:
        return stateful.uniform(shape, minval, maxval, dtype, seed)

    return initializer
