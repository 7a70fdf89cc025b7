"""Python and NumPy values to tensors, with TensorFlow's rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import array_values, is_js_array
from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.compiler.ir.op import OPS, Op
from tfpy._src.core.host_arrays import to_array
from tfpy._src.core.operand import AnyTensor, Composite, Holder, Operand
from tfpy._src.core.scalar_cache import scalar
from tfpy._src.core.tensor import Tensor, from_array


def is_tensor(x: Any) -> bool:
    """True for tensors, Variables, ragged and sparse tensors, indexed slices (``tf.is_tensor``).

    Other libraries' Variables count, too: those of Keras give a tensor of themselves.

    Example:
        >>> import tfpy as tf
        >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
        (True, False)
    """
    return isinstance(x, AnyTensor | Composite)


def is_operand(x: Any) -> bool:
    """Whether ops take it as it is: :func:`is_tensor` but for other libraries' classes."""
    return isinstance(x, Operand | Composite)


def offers_tensor(value: Any) -> bool:
    """Whether an object that is no tensor gives one of itself (``__tf_tensor__``)."""
    return hasattr(value, "__tf_tensor__")


def as_tensors(op: Op, inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    """The inputs of an op. Python values take the dtype of the first tensor among them."""
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
    """What is no tensor as one."""
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
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """A tensor of a Python number, nested sequence, array, Variable, indexed slices or tensor.

    Floats become float32 and integers int32 unless ``dtype`` says otherwise. An object with a
    method ``__tf_tensor__(dtype, name)`` says itself which tensor it is, and tapes see that one;
    an object with ``__array__`` is a constant, as an array is. So is an array of JavaScript in a
    page: a typed array has its own dtype (``Float32Array`` is float32), the numbers of others are
    Python's.

    Raises:
        ValueError: for ragged sequences, ragged and sparse tensors, None, a tensor of another
            dtype, numbers out of range.
        TypeError: when Python values do not fit ``dtype`` (1.5 as int32).

    Example:
        >>> import tfpy as tf
        >>> tf.convert_to_tensor([1.0, 2.0]).numpy().tolist()
        [1.0, 2.0]
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
        raise ValueError("Attempt to convert a value (None) with an unsupported type to a Tensor.")
    if isinstance(value, list | tuple) and _holds_tensor(value):
        hint = wanted or _first_dtype(value)
        return _stacked([convert_to_tensor(v, None if is_operand(v) else hint) for v in value])
    return from_array(to_array(value, wanted, dtype_hint, is_private))


def _without_js(value: Any) -> tuple[Any, bool]:
    """A value in which arrays of JavaScript are arrays or lists; whether that is one of our own."""
    if is_js_array(value):
        return array_values(value), True
    if isinstance(value, list | tuple) and any(map(_holds_js, value)):
        return [_without_js(v)[0] for v in value], True
    return value, False


def _holds_js(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_holds_js, value))
    return is_js_array(value)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor of the given values (``tf.constant``).

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        shape: reshapes the values, or repeats a single one.

    Raises:
        TypeError: when the number of values does not fit ``shape``.

    Example:
        >>> import tfpy as tf
        >>> tf.constant([[1, 2], [3, 4]]).numpy().tolist()
        [[1, 2], [3, 4]]
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


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The values that are known without running anything; None of a tensor of a trace.

    What is no tensor is given back.

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
    """The values of what converts to a tensor, as an array that must not be written to.

    Raises:
        NotTraceableError: for a tensor that is being traced.
    """
    return convert_to_tensor(value).host_view()


def _stacked(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors of one shape and dtype along a new first axis."""
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
