"""Conversion of Python and NumPy values to tensors, with TensorFlow's rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import array_values, is_js_array
from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, DTypeLike, as_dtype
from tfpy._src.compiler.ir.op import OPS, Op
from tfpy._src.core.host_arrays import to_array
from tfpy._src.core.operand import (
    OPERANDS,
    WITH_TENSORS,
    AnyTensor,
    Composite,
    FieldRecord,
    Holder,
)
from tfpy._src.core.scalar_cache import scalar
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.core.typing import ShapeLike, TensorLike


def is_tensor(x: object) -> bool:
    """Return True if a value is a tensor or another object that represents one.

    These objects are tensors, Variables, ragged and sparse tensors, `tf.IndexedSlices`, and objects
    of other libraries with an attribute `is_tensor_like`.
    Variables of other libraries that can be converted to tensors, such as Keras's, also count.
    NumPy arrays and Python numbers do not count, although functions accept them in place of
    tensors.

    Args:
        x: Any value.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(tf.Variable(1)), tf.is_tensor(1)
        (True, True, False)

    See also: `tf.convert_to_tensor`.
    """
    if isinstance(x, AnyTensor) or (isinstance(x, Composite) and x.is_like_tensor):
        return True
    return hasattr(x, "is_tensor_like")  # as libraries mark objects that TensorFlow converts


def is_operand(x: Any) -> bool:
    """Return True if ops accept the value directly. Only tfpy's own classes count."""
    return isinstance(x, OPERANDS)


def offers_tensor(value: Any) -> TypeGuard[Any]:
    """Return True if the object has a method `__tf_tensor__`, which converts it to a tensor."""
    return hasattr(value, "__tf_tensor__")


def as_tensors(op: Op, inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    """Convert the inputs of an op. Python values take the dtype of the first tensor among them."""
    hint = op.only
    inputs = [x if type(x) in _READY else _read(x, hint) for x in inputs]
    if hint is None:
        for x in inputs[op.typed_from :]:
            if isinstance(x, Tensor):
                hint = x.aval.dtype
                break
    tensors = []
    for i, x in enumerate(inputs):
        if isinstance(x, Tensor):
            tensors.append(x)
            continue
        tensor = _operand(op, x, hint if i >= op.typed_from else dtypes.bool)
        if hint is None and i >= op.typed_from:
            hint = tensor.dtype
        tensors.append(tensor)
    return tuple(tensors)


_NUMBERS = (bool, int, float)
_READY = frozenset((Tensor, *_NUMBERS))
"""Types of the inputs that need not be read first."""


def _read(value: Any, hint: DType | None) -> Any:
    """Return the tensor of a Variable or of another object that represents one."""
    if offers_tensor(value):
        value = value.__tf_tensor__(hint, None)
    return value.value() if isinstance(value, Holder) else value


def _operand(op: Op, value: Any, hint: DType | None) -> Tensor:
    """Convert an input that is not a tensor."""
    if type(value) in _NUMBERS and hint is not None:  # NumPy's float64 is a float, but is cast
        try:
            return scalar(value, hint)
        except TypeError as error:
            mend = "the number with tf.strings.as_string"
            mend = mend if hint == dtypes.string else "the tensor with tf.cast"
            raise TypeError(f"{op.name}: {error}; convert {mend}") from None
    return convert_to_tensor(value, dtype=hint)


def convert_to_tensor(
    value: TensorLike | Composite | None,
    dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convert a value to a tensor.

    Python floats become float32 and Python integers become int32 unless a dtype is specified. NumPy
    arrays keep their dtype. Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64`
    and `tf.float64` are aliases of `tf.int32` and `tf.float32`.

    Nested sequences may contain tensors, which are stacked. Gradients flow through tensors,
    Variables, and the tensor that an object's method `__tf_tensor__(dtype, name)` returns. An
    object with a method `__array__` is copied instead, so no gradient flows back to it. In a page,
    JavaScript arrays are copied as well: a typed array keeps its dtype (a `Float32Array` becomes
    float32), and the numbers of other arrays are converted as Python numbers are.

    Args:
        value: Number, string, nested sequence, NumPy array, Variable, `tf.IndexedSlices` or tensor.
        dtype: Dtype of the result. Default: the dtype that follows from the value. A tensor must
            already have this dtype; use `tf.cast` to change it. The tensors in a sequence are cast
            if the first one has another dtype.
        dtype_hint: Preferred dtype, which is used if `dtype` is None and the value can be converted
            to it. Default: no preference.

    Returns:
        Tensor with the values. If `value` is a tensor, it is returned unchanged.

    Raises:
        ValueError: If the value is None, a ragged or sparse tensor, a sequence with rows of
            different lengths, or a tensor with a dtype that differs from `dtype`. Also if an
            integer is out of range for int32, int64 or uint64; integers wrap around in the other
            integer dtypes.
        TypeError: If Python values cannot be converted to `dtype`, such as 1.5 to int32.

    Example:
        >>> import tfpy as tf
        >>> tf.convert_to_tensor([[1, 2], [3, 4]]).numpy().tolist()
        [[1, 2], [3, 4]]
        >>> tf.convert_to_tensor([tf.constant(1.0), 2.0]).numpy().tolist()
        [1.0, 2.0]

    See also: `tf.constant`, `tf.cast`.
    """
    if type(value) is Tensor and (dtype is None or dtype is value.aval.dtype):  # the usual case
        return value
    wanted = None if dtype is None else as_dtype(dtype)
    if offers_tensor(value):
        value = value.__tf_tensor__(wanted, name)
    if isinstance(value, Holder):
        value = value.value()
    if isinstance(value, Tensor):
        if wanted is not None and value.dtype != wanted:
            raise ValueError(
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}; use tf.cast"
            )
        return value
    if isinstance(value, Composite):
        return convert_to_tensor(value.as_tensor(), wanted)
    if isinstance(value, FieldRecord):
        raise ValueError(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a "
            "Tensor. Register an implementation of the function with tf.experimental."
            "dispatch_for_api, or pass a field of the value."
        )
    is_private = False
    if IN_BROWSER:
        value, is_private = _without_js(value)
    if value is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a "
            "Tensor. If the value is a gradient, its target does not depend on the source, or the "
            "source is a tensor that the tape does not watch: call tape.watch(source) first."
        )
    if isinstance(value, list | tuple) and _holds_tensor(value):
        first = _first_dtype(value)
        hint = wanted or first
        parts = [convert_to_tensor(v, None if is_operand(v) else hint) for v in value]
        if wanted not in (None, first):  # otherwise, tensors of another dtype raise an error
            parts = [t if t.dtype == wanted else OPS["cast"](t, dtype=wanted) for t in parts]
        return _stacked(parts)
    return from_array(to_array(value, wanted, dtype_hint, is_private))


def _without_js(value: Any) -> tuple[Any, bool]:
    """Convert JavaScript arrays in a value to NumPy arrays or lists.

    The second result is True if the first one is a private copy.
    """
    if is_js_array(value):
        return array_values(value), True
    if isinstance(value, list | tuple) and any(map(_holds_js, value)):
        return [_without_js(v)[0] for v in value], True
    return value, False


def _holds_js(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_holds_js, value))
    return is_js_array(value)


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str = "Const",
) -> Tensor:
    """Create a tensor from Python values or a NumPy array.

    The values are converted in the same way as by `tf.convert_to_tensor`. If `value` is already a
    tensor, it is not copied. Use `tf.cast` to change the dtype of a tensor.

    Args:
        value: Number, string, nested sequence, NumPy array or tensor.
        dtype: Dtype of the result. Default: float32 for Python floats, int32 for Python integers,
            and the dtype of the array for NumPy arrays. Unless the environment variable
            `TFPY_ENABLE_X64` is set, int64 becomes int32 and float64 becomes float32, also in NumPy
            arrays.
        shape: Shape of the result. `value` must have as many elements as this shape, or be a single
            number, which then fills the result. Default: the shape of the value.

    Returns:
        Tensor with the values.

    Raises:
        TypeError: If the number of values does not match `shape`, or the values cannot be converted
            to `dtype`, such as 1.5 to int32, or `value` is a tensor of a different dtype.
        ValueError: If a nested sequence has rows of different lengths, or an integer is out of
            range for int32, int64 or uint64. Integers wrap around in the other integer dtypes, so
            300 becomes 44 as uint8.

    Example:
        >>> import tfpy as tf
        >>> tf.constant([[1, 2], [3, 4]]).numpy().tolist()
        [[1, 2], [3, 4]]
        >>> tf.constant([1, 2, 3, 4], tf.float32, shape=[2, 2]).numpy().tolist()
        [[1.0, 2.0], [3.0, 4.0]]
        >>> tf.constant(0.5, shape=[3]).numpy().tolist()
        [0.5, 0.5, 0.5]

    See also: `tf.convert_to_tensor`, `tf.fill`, `tf.Variable`.
    """
    if isinstance(value, WITH_TENSORS):
        tensor = convert_to_tensor(value)
        if dtype is not None and as_dtype(dtype) != tensor.dtype:
            raise TypeError(
                f"Expected tensor {tensor} with dtype {as_dtype(dtype)!r}, but got dtype "
                f"{tensor.dtype!r}; use tf.cast"
            )
        return tensor if shape is None else _reshaped(tensor, shape)
    is_private = False
    if IN_BROWSER:
        value, is_private = _without_js(value)
    array = to_array(value, None if dtype is None else as_dtype(dtype), None, is_private)
    if shape is not None:
        shape = tuple(int(n) for n in np.atleast_1d(np.asarray(shape, dtype=np.int64)))
        if array.size == 1:
            array = np.broadcast_to(array.reshape(()), shape)
        elif array.size != int(np.prod(shape)):
            raise TypeError(
                f"Eager execution of tf.constant with unsupported shape. Tensor has "
                f"{array.size} elements, but got `shape` {list(shape)}"
            )
        array = array.reshape(shape)
    return from_array(array)


def get_static_value(tensor: TensorLike, partial: bool = False) -> Any:
    """Return the values of a tensor if they are already known, and None otherwise.

    While a `tf.function` is traced, only constants, and tensors that were computed from constants,
    have known values. This function returns None for all other tensors, whereas reading their
    values would raise an error.

    Args:
        tensor: Tensor, or another value.
        partial: Has no effect.

    Returns:
        NumPy array of the values. None for a tensor without known values, and for a Variable,
        because its value can change. A value that is not a tensor is returned unchanged.

    Example:
        >>> import tfpy as tf
        >>> tf.get_static_value(tf.constant([1, 2])).tolist()
        [1, 2]
        >>> @tf.function
        ... def double(x):
        ...     print(tf.get_static_value(x))
        ...     return x * 2
        >>> double(tf.constant([1, 2])).numpy().tolist()
        None
        [2, 4]
    """
    if isinstance(tensor, Holder):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    known = getattr(tensor, "constant", None)  # of an operation of a graph
    return (tensor if known is None else known).numpy() if tensor.has_values else None


def host_values(value: Any) -> np.ndarray[Any, Any]:
    """Return the values of a tensor-like value as an array that the caller must not write to.

    Raises:
        NotTraceableError: If the tensor belongs to a trace.
    """
    return convert_to_tensor(value).host_view()


def _stacked(tensors: Sequence[Tensor]) -> Tensor:
    """Stack tensors of one shape and dtype along a new first axis."""
    rows = [_reshaped(t, (1, *t.aval.shape)) for t in tensors]
    return OPS["concat"](*rows, axis=0)


def _reshaped(tensor: Tensor, shape: Any) -> Tensor:
    """Return the elements in a new shape; a single element is repeated."""
    if tensor.aval.size == 1:
        return OPS["broadcast_to"](OPS["reshape"](tensor, shape=()), shape=tuple(shape))
    return OPS["reshape"](tensor, shape=tuple(shape))


def _holds_tensor(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return any(_holds_tensor(v) for v in values)
    return isinstance(values, WITH_TENSORS) or offers_tensor(values)


def _first_dtype(values: Any) -> DType | None:
    for v in values:
        if isinstance(v, list | tuple):
            found = _first_dtype(v)
        else:
            found = getattr(v, "dtype", None) if _holds_tensor(v) else None
        if found is not None:
            return as_dtype(found)
    return None
