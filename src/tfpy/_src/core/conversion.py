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
from tfpy._src.core.operand import AnyTensor, Composite, Holder, Operand
from tfpy._src.core.scalar_cache import scalar
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.core.typing import ShapeLike, TensorLike


def is_tensor(x: object) -> bool:
    """Return True for tensors, Variables, ragged and sparse tensors, and indexed slices.

    Variables of other libraries that convert to tensors, e.g. Keras Variables, also count.

    Args:
        x: Any value.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
        (True, False)

    See also: `tf.convert_to_tensor`.
    """
    return isinstance(x, AnyTensor | Composite)


def is_operand(x: Any) -> bool:
    """Return True if ops accept the value directly. Only tfpy's own classes count."""
    return isinstance(x, Operand | Composite)


def offers_tensor(value: Any) -> TypeGuard[Any]:
    """Return True if the object converts to a tensor with `__tf_tensor__`."""
    return hasattr(value, "__tf_tensor__")


def as_tensors(op: Op, inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    """Convert the inputs of an op. Python values take the dtype of the first tensor among them."""
    hint = op.only
    inputs = [x.__tf_tensor__(hint, None) if offers_tensor(x) else x for x in inputs]
    for x in inputs[op.typed_from :]:
        if hint is None and isinstance(x, Tensor | Holder):
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


def _operand(op: Op, value: Any, hint: DType | None) -> Tensor:
    """Convert an input that is not a tensor."""
    if isinstance(value, Holder):
        return value.value()
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

    Python floats become float32 and integers int32 unless a dtype is given. NumPy arrays keep their
    dtype, except that 64-bit dtypes become 32-bit ones without `TFPY_ENABLE_X64`. An object with a
    method `__tf_tensor__(dtype, name)` returns its own tensor, which tapes follow; an object with
    `__array__` becomes a constant. In a page, so does a JavaScript array: a typed array keeps its
    dtype (`Float32Array` is float32), and the numbers of other arrays are treated as Python
    numbers.

    Args:
        value: Number, string, nested sequence, array, Variable, indexed slices or tensor.
        dtype: Dtype of the result. Default: derived from the value.
        dtype_hint: Preferred dtype, used only if the value can take it.

    Returns:
        Tensor. A tensor is returned unchanged.

    Raises:
        ValueError: If the value is None, a ragged or sparse tensor, a ragged sequence, a tensor of
            another dtype, or out of range for the dtype.
        TypeError: If Python values do not fit `dtype` (1.5 as int32).

    Example:
        >>> import tfpy as tf
        >>> tf.convert_to_tensor([1.0, 2.0]).numpy().tolist()
        [1.0, 2.0]

    See also: `tf.constant`, `tf.cast`.
    """
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
    is_private = False
    if IN_BROWSER:
        value, is_private = _without_js(value)
    if value is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type to a Tensor. If the value "
            "is a gradient, its target does not depend on the source: see "
            "`unconnected_gradients` of tf.GradientTape.gradient."
        )
    if isinstance(value, list | tuple) and _holds_tensor(value):
        hint = wanted or _first_dtype(value)
        return _stacked([convert_to_tensor(v, None if is_operand(v) else hint) for v in value])
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
    """Make a tensor of the given values.

    The values convert as in `tf.convert_to_tensor`. A tensor is returned as it is, without a copy.

    Args:
        value: Number, string, nested sequence or array.
        dtype: Dtype of the result. Default: derived from the value. int64 and float64 have 32 bits
            without `TFPY_ENABLE_X64`.
        shape: Shape of the result. The values are reshaped; a single value is repeated.

    Returns:
        Tensor of shape `shape`, or of the shape of the value.

    Raises:
        TypeError: If the number of values does not fit `shape`, or the values do not fit `dtype`.
        ValueError: If the sequence is ragged or a value is out of range for the dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.constant([[1, 2], [3, 4]]).numpy().tolist()
        [[1, 2], [3, 4]]

    See also: `tf.convert_to_tensor`, `tf.fill`, `tf.Variable`.
    """
    if is_operand(value):
        tensor = convert_to_tensor(value)
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
    """Return the values of a tensor if they are known without running a function.

    Args:
        tensor: Tensor, or another value.
        partial: Has no effect.

    Returns:
        NumPy array of the values. None for a Variable and for a tensor of a trace. A value that is
        not a tensor is returned unchanged.

    Example:
        >>> import tfpy as tf
        >>> tf.get_static_value(tf.constant([1, 2])).tolist()
        [1, 2]
    """
    if isinstance(tensor, Holder):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    return tensor.numpy() if tensor.has_values else None


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
    return OPS["reshape"](tensor, shape=tuple(shape))


def _holds_tensor(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return any(_holds_tensor(v) for v in values)
    return is_operand(values) or offers_tensor(values)


def _first_dtype(values: Any) -> DType | None:
    for v in values:
        if isinstance(v, list | tuple):
            found = _first_dtype(v)
        else:
            found = getattr(v, "dtype", None) if _holds_tensor(v) else None
        if found is not None:
            return as_dtype(found)
    return None
