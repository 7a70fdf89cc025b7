"""Assertions on tensors. Inside a `tf.function` they are checked at each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype, float32
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import as_tensors, convert_to_tensor, is_operand
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, TensorLike
from tfpy._src.functions.control.assertion import hold
from tfpy._src.tensors.array.reshaping import identity
from tfpy._src.tensors.composite.ragged.broadcast import matched
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.math.reductions import reduce_all


def _operands(op: Op, x: TensorLike, y: TensorLike) -> Sequence[Tensor]:
    """Convert two operands; of ragged operands return the values, matched row by row."""
    if any(isinstance(v, RaggedTensor) for v in (x, y)):
        return matched(op, (x, y))[0]
    return as_tensors(op, (x, y))


def _comparison(name: str, symbol: str, op: Any, holds: str, fails: str) -> Callable[..., None]:
    """Return an assertion that compares two tensors.

    Args:
        name: Name of the function.
        symbol: Python's operator.
        op: Op that compares the tensors.
        holds: Arguments for the example for which the assertion holds.
        fails: Arguments for the example for which the assertion fails.
    """

    def assertion(
        x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        a, b = _operands(op, x, y)
        said = [*([message] if message else []), f"Condition x {symbol} y did not hold."]
        return hold(reduce_all(op(a, b)), said, ["x:", a, "y:", b], summarize, is_static=True)

    assertion.__name__ = assertion.__qualname__ = name
    assertion.__doc__ = f"""Assert that `x {symbol} y` holds for every element, with broadcasting.

    Inside a `tf.function`, the condition is checked at each call.

    Args:
        x: Tensor, dense or ragged.
        y: Tensor with the dtype of `x` and a shape that can be broadcast with the shape of `x`.
        message: Text at the beginning of the error message. Default: none.
        summarize: Number of elements to show at both ends of each axis. Default: 3.

    Raises:
        tf.errors.InvalidArgumentError: If the condition does not hold, or the shapes are not
            compatible.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.{name}({holds})
        >>> try:
        ...     tf.debugging.{name}({fails})
        ... except tf.errors.InvalidArgumentError:
        ...     print("it does not hold")
        it does not hold
    """
    return assertion


assert_equal = _comparison("assert_equal", "==", logic.equal, "[1, 2], [1, 2]", "[1, 2], [1, 3]")
assert_less = _comparison("assert_less", "<", logic.less, "[1, 2], 3", "[1, 3], 3")
assert_less_equal = _comparison(
    "assert_less_equal", "<=", logic.less_equal, "[1, 3], 3", "[1, 4], 3"
)
assert_greater = _comparison("assert_greater", ">", logic.greater, "[3, 4], 2", "[2, 4], 2")
assert_greater_equal = _comparison(
    "assert_greater_equal", ">=", logic.greater_equal, "[2, 4], 2", "[1, 4], 2"
)
_none_equal = _comparison("assert_none_equal", "!=", logic.not_equal, "1, 2", "1, 1")


def assert_none_equal(
    x: TensorLike, y: TensorLike, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """Assert that `x != y` holds for every element, with broadcasting.

    Args:
        x: Tensor, dense or ragged.
        y: Tensor with the dtype of `x` and a shape that can be broadcast with the shape of `x`.
        summarize: Number of elements to show at both ends of each axis. Default: 3.
        message: Text at the beginning of the error message. Default: none.

    Raises:
        tf.errors.InvalidArgumentError: If the condition does not hold, or the shapes are not
            compatible.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
        >>> try:
        ...     tf.debugging.assert_none_equal([1, 2], [2, 2])
        ... except tf.errors.InvalidArgumentError:
        ...     print("some are equal")
        some are equal
    """
    return _none_equal(x, y, message, summarize)


def _sign(name: str, symbol: str, op: Any, holds: str, fails: str) -> Callable[..., None]:
    """Return an assertion that compares a tensor with 0."""

    def assertion(
        x: TensorLike,
        message: str | None = None,
        summarize: int | None = None,
        name: str | None = None,
    ) -> None:
        a = convert_to_tensor(x)
        said = [
            *([message] if message else []),
            f"Condition x {symbol} 0 did not hold element-wise:",
        ]
        return hold(reduce_all(op(a, 0)), said, [a], summarize, is_static=True)

    assertion.__name__ = assertion.__qualname__ = name
    assertion.__doc__ = f"""Assert that `x {symbol} 0` holds for every element.

    Inside a `tf.function`, the condition is checked at each call.

    Args:
        x: Tensor of a real dtype.
        message: Text at the beginning of the error message. Default: none.
        summarize: Number of elements to show at both ends of each axis. Default: 3.

    Raises:
        tf.errors.InvalidArgumentError: If the condition does not hold.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.{name}({holds})
        >>> try:
        ...     tf.debugging.{name}({fails})
        ... except tf.errors.InvalidArgumentError:
        ...     print("it does not hold")
        it does not hold
    """
    return assertion


assert_positive = _sign("assert_positive", ">", logic.greater, "[1, 2]", "[0, 2]")
assert_negative = _sign("assert_negative", "<", logic.less, "[-1, -2]", "[-1, 0]")
assert_non_negative = _sign("assert_non_negative", ">=", logic.greater_equal, "[0, 2]", "[-1, 2]")
assert_non_positive = _sign("assert_non_positive", "<=", logic.less_equal, "[0, -2]", "[0, 2]")


def assert_near(
    x: TensorLike, y: TensorLike, rtol: FloatLike | None = None,
    atol: FloatLike | None = None, message: str | None = None,
    summarize: int | None = None, name: str | None = None,
) -> None:  # fmt: skip
    """Assert that `|x - y| <= atol + rtol * |y|` holds for every element, with broadcasting.

    Args:
        x: Float tensor, dense or ragged.
        y: Tensor with the dtype of `x` and a shape that can be broadcast with the shape of `x`.
        rtol: Relative tolerance. Default: ten times the machine epsilon of the dtype.
        atol: Absolute tolerance. Default: ten times the machine epsilon of the dtype.
        message: Text at the beginning of the error message. Default: none.
        summarize: Number of elements to show at both ends of each axis. Default: 3.

    Raises:
        tf.errors.InvalidArgumentError: If the condition does not hold, or the shapes are not
            compatible.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_near([1.0, 2.0], [1.0, 2.0 + 1e-7])
        >>> try:
        ...     tf.debugging.assert_near([1.0, 2.0], [1.0, 2.1])
        ... except tf.errors.InvalidArgumentError:
        ...     print("too far")
        too far

    See also: `tf.debugging.assert_equal`.
    """
    a, b = _operands(ew.subtract, x, y)
    epsilon = 10 * float(np.finfo(a.dtype.as_numpy_dtype).eps) if a.dtype.is_floating else 0.0
    relative, absolute = (epsilon if t is None else t for t in (rtol, atol))
    near = logic.less_equal(ew.abs_(a - b), absolute + relative * ew.abs_(b))
    said = [*([message] if message else []), f"x and y not equal to tolerance rtol = {relative}, "
            f"atol = {absolute}"]  # fmt: skip
    return hold(reduce_all(near), said, ["x:", a, "y:", b], summarize)


@per_value
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Assert that all elements of a tensor are finite, and return the tensor.

    Args:
        tensor: Float tensor.
        message: Text at the beginning of the error message.

    Returns:
        Tensor with the same values as `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If an element is NaN or infinite.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.check_numerics(tf.constant([1.0, 2.0]), "the loss").numpy().tolist()
        [1.0, 2.0]
        >>> try:
        ...     tf.debugging.check_numerics(tf.constant([1.0, 2.0]) / 0.0, "the loss")
        ... except tf.errors.InvalidArgumentError:
        ...     print("the loss is infinite")
        the loss is infinite

    See also: `tf.debugging.assert_all_finite`, `tf.debugging.enable_check_numerics`.
    """
    x = convert_to_tensor(tensor)
    hold(reduce_all(logic.is_finite(x)), [f"{message} : Tensor had NaN or Inf values"], [], None)
    return identity(x)


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Assert that all elements of a tensor are finite, and return the tensor.

    Args:
        x: Float tensor.
        message: Text at the beginning of the error message.

    Returns:
        The tensor `x`.

    Raises:
        tf.errors.InvalidArgumentError: If an element is NaN or infinite.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_all_finite([1.0, 2.0], "the loss").numpy().tolist()
        [1.0, 2.0]

    See also: `tf.debugging.check_numerics`.
    """
    tensor = convert_to_tensor(x)
    check_numerics(tensor, message)
    return tensor


# Assertions that need no values


def assert_type(
    tensor: Tensor | RaggedTensor | SparseTensor,
    tf_type: DTypeLike,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Assert that a tensor has the given dtype.

    Args:
        tensor: Tensor, dense, sparse or ragged.
        tf_type: Expected dtype.
        message: Text at the beginning of the error message. Default: none.

    Raises:
        TypeError: If the dtype of `tensor` is not `tf_type`.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_type(tf.constant([1, 2]), tf.int32)
        >>> try:
        ...     tf.debugging.assert_type(tf.constant([1, 2]), tf.float32)
        ... except TypeError:
        ...     print("not float32")
        not float32

    See also: `tf.debugging.assert_integer`.
    """
    found = tensor.dtype if is_operand(tensor) else convert_to_tensor(tensor).dtype
    if found != as_dtype(tf_type):
        raise TypeError(
            f"{message or ''} tensor must be of type {as_dtype(tf_type)!r}; got {found!r}".strip()
        )


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Assert that a tensor has an integer dtype.

    Args:
        x: Tensor.
        message: Text at the beginning of the error message. Default: none.

    Raises:
        TypeError: If the dtype of `x` is not an integer dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_integer(tf.constant([1, 2]))
        >>> try:
        ...     tf.debugging.assert_integer(tf.constant([1.5]))
        ... except TypeError:
        ...     print("floats")
        floats

    See also: `tf.debugging.assert_type`.
    """
    found = convert_to_tensor(x).dtype
    if not found.is_integer:
        said = f'{message or ""} Expected "x" to be integer type. Found: tensor of dtype {found}'
        raise TypeError(said.strip())


def assert_proper_iterable(values: Any) -> None:
    """Assert that a value is an iterable, but not a tensor, an array or a string.

    Args:
        values: Value to check.

    Raises:
        TypeError: If the value is not an iterable, or is a tensor, an array or a string.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_proper_iterable([tf.constant(1), tf.constant(2)])
        >>> try:
        ...     tf.debugging.assert_proper_iterable(tf.constant([1, 2]))
        ... except TypeError:
        ...     print("one tensor")
        one tensor
    """
    if is_operand(values) or isinstance(values, np.ndarray | str | bytes):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable. Found: {type(values)}'
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable. Found: {type(values)}')


def assert_same_float_dtype(
    tensors: Sequence[Tensor | None] | None = None, dtype: DTypeLike | None = None
) -> DType:
    """Assert that tensors have the same floating-point dtype, and return this dtype.

    Args:
        tensors: Tensors to check; None is ignored. Default: none, so that only `dtype` is checked.
        dtype: Expected dtype. Default: the dtype of the first tensor, or float32.

    Returns:
        The common dtype.

    Raises:
        ValueError: If the dtypes differ, or are not floating-point dtypes.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant([2.0])])
        tf.float32

    See also: `tf.debugging.assert_type`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    for tensor in (t for t in tensors or [] if t is not None):
        found = (tensor if isinstance(tensor, SparseTensor) else convert_to_tensor(tensor)).dtype
        if wanted is not None and found != wanted:
            raise ValueError(f"Tensor of type {found} found, expected {wanted}: {tensor}")
        wanted = found
    wanted = wanted or float32
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


def is_numeric_tensor(tensor: Any) -> bool:
    """Return True if a value is a tensor of a numeric dtype.

    Args:
        tensor: Any value.

    Returns:
        True if `tensor` is a tensor of a numeric dtype, and otherwise False.

    Example:
        >>> import tfpy as tf
        >>> is_numeric = tf.debugging.is_numeric_tensor
        >>> is_numeric(tf.constant([1])), is_numeric(tf.constant("a")), is_numeric([1])
        (True, False, False)
    """
    return is_operand(tensor) and tensor.dtype.is_numeric
