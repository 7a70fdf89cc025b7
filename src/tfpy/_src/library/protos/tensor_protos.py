"""Conversions between tensors, arrays and TensorProto messages."""

from __future__ import annotations

import base64
import math
import numbers
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core.byte_strings import as_bytes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.functions.control.effects import on_host
from tfpy._src.library.protos.message import DecodeError
from tfpy._src.library.protos.tensor_messages import TensorProto, TensorShapeProto
from tfpy._src.library.protos.tensor_values import (
    array_of,
    dtype_name,
    dtype_number,
    filled,
    numpy_type,
    put_values,
    values_of,
)

_AS_VALUES = (
    "string",
    "bool",
    "uint16",
    "complex64",
    "complex128",
    "int4",
    "uint4",
    "int2",
    "uint2",
)
"""Dtypes that `make_tensor_proto` never stores as the bytes of the array."""
_MAX_CONTENT = 1 << 31
_INTEGERS: tuple[type, ...] = (numbers.Integral, np.integer)
_REALS = (numbers.Real, np.integer, np.floating)
_ALLOWED: dict[str, tuple[type, ...]] = {
    "b": (bool,),
    "i": _INTEGERS,
    "u": _INTEGERS,
    "f": _REALS,
    "V": _REALS,
    "c": (numbers.Complex, np.number),
    "O": (bytes, str),
}
"""Types of Python values for each kind of NumPy dtypes."""


def shape_message(shape: TensorShape) -> TensorShapeProto:
    """Return a shape as a message. Sizes that are not known are -1."""
    if shape.rank is None:
        return TensorShapeProto(unknown_rank=True)
    sizes = (-1 if n is None else n for n in shape.as_list())
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in sizes])


def make_tensor_proto(
    values: TensorLike | TensorProto,
    dtype: DTypeLike | int | None = None,
    shape: Iterable[IntLike] | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> TensorProto:
    """Create a TensorProto message, for example for a request to a server.

    Args:
        values: Number, string, nested list, NumPy array or tensor.
        dtype: Dtype of the message, or TensorFlow's number of a dtype. Default: int32 for Python
            integers that fit, float32 for Python floats, and the dtype of the array for NumPy
            arrays, which may have 64 bits.
        shape: Shape of the tensor. If it has more elements than `values`, the last value is
            repeated. Default: the shape of the values.
        verify_shape: If True, the values must have the shape `shape`.
        allow_broadcast: If True, the values must be a scalar, a vector of length 1, or as many as
            `shape` has elements.

    Returns:
        A TensorProto message. If `values` is such a message, it is returned unchanged.

    Raises:
        TypeError: If the values do not have the dtype or the shape.
        ValueError: If `values` is None or has too many elements, or the arguments contradict each
            other.

    Example:
        >>> import tfpy as tf
        >>> message = tf.make_tensor_proto([1.0, 2.0])
        >>> message
        dtype: DT_FLOAT
        tensor_shape {
          dim {
            size: 2
          }
        }
        tensor_content: "\\000\\000\\200?\\000\\000\\000@"
        <BLANKLINE>
        >>> tf.make_ndarray(message).tolist()
        [1.0, 2.0]

    See also: `tf.make_ndarray`, `tf.io.serialize_tensor`.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, TensorProto):
        return values
    wanted = None if dtype is None else np.dtype(_numpy_type(dtype))
    sizes = None if shape is None else [int(size) for size in shape]
    given = _array_like(values)
    array = _array(values, wanted, sizes) if given is None else given
    if given is not None and wanted is not None:
        array = given.astype(wanted)
    number = dtype_number(array.dtype)
    count = array.size if sizes is None else math.prod(sizes)
    if sizes is not None:
        _check_count(array, sizes, verify_shape, allow_broadcast)
    proto = TensorProto(dtype=number)
    proto.tensor_shape.SetInParent()
    for size in array.shape if sizes is None else sizes:
        proto.tensor_shape.dim.add(size=size)
    if array.size == count > 1 and dtype_name(number) not in _AS_VALUES:
        if array.nbytes >= _MAX_CONTENT:
            raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
        proto.tensor_content = array.tobytes()
    elif given is None and array.dtype.kind in "OSU":
        proto.string_val.extend(_as_strings(values))
    else:
        put_values(proto, array)
    return proto


def _numpy_type(dtype: Any) -> Any:
    """Return the NumPy type of a dtype. NumPy dtypes of 64 bits are not narrowed."""
    if isinstance(dtype, int):
        return numpy_type(dtype)
    if not isinstance(dtype, DType) and not isinstance(dtype, str):
        found = np.dtype(dtype)
        return np.object_ if found.kind in "SU" else found
    return as_dtype(dtype).as_numpy_dtype


def _array_like(values: Any) -> Array | None:
    """Return an array or a tensor as an array, and None for Python values."""
    if callable(getattr(values, "__array__", None)) or isinstance(values, bytearray | memoryview):
        return np.asarray(values)
    return None


def _array(values: Any, wanted: np.dtype[Any] | None, sizes: list[int] | None) -> Array:
    """Convert Python values to an array."""
    if values is None:
        raise ValueError("None values not supported.")
    if sizes is not None and not math.prod(sizes):
        found = np.empty(sizes, wanted)
    else:
        if wanted is not None:
            _check_types(values, wanted)
        found = np.array(values, wanted)
    if wanted is None and found.dtype == np.float64:
        return found.astype(np.float32)
    if wanted is None and found.dtype == np.int64:
        narrow = found.astype(np.int32)
        return narrow if np.array_equal(narrow, found) else found
    return found


def _leaves(values: Any) -> Iterator[Any]:
    if isinstance(values, list | tuple):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def _check_types(values: Any, wanted: np.dtype[Any]) -> None:
    """Check the Python types of values.

    Raises:
        TypeError: If a value cannot have the dtype.
    """
    allowed = _ALLOWED[wanted.kind]
    for value in _leaves(values):
        is_array = isinstance(value, np.ndarray) and issubclass(value.dtype.type, allowed)
        if not isinstance(value, allowed) and not is_array:
            raise TypeError(
                f"Expected {dtype_name(dtype_number(wanted))}, but got {value} of type "
                f"'{type(value).__name__}'."
            )


def _check_count(array: Array, sizes: list[int], verify_shape: bool, allow_broadcast: bool) -> None:
    count = math.prod(sizes)
    broadcasts = allow_broadcast and array.shape not in ((), (1,)) and array.size != count
    if broadcasts or (verify_shape and array.shape != tuple(sizes)):
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {array.shape}.")
    if array.size > count and not allow_broadcast:
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}."
        )


def _as_strings(values: Any) -> list[bytes]:
    try:
        return [as_bytes(value) for value in _leaves(values)]
    except TypeError:
        raise TypeError(
            f"Failed to convert elements of {values} to Tensor. Consider casting elements to a "
            "supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes for "
            "supported TF dtypes."
        ) from None


def make_ndarray(tensor: TensorProto) -> Array:
    """Convert a TensorProto message to a NumPy array.

    Args:
        tensor: A TensorProto message.

    Returns:
        NumPy array with the dtype and the shape of the message. It may have 64 bits per number.

    Raises:
        TypeError: If the dtype of the message is unknown or not supported.
        ValueError: If the values do not match the shape.

    Example:
        >>> import tfpy as tf
        >>> tf.make_ndarray(tf.make_tensor_proto(7, shape=[2, 2])).tolist()
        [[7, 7], [7, 7]]

    See also: `tf.make_tensor_proto`, `tf.io.parse_tensor`.
    """
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    dtype = numpy_type(tensor.dtype)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype).copy().reshape(shape)
    values, count = values_of(tensor), math.prod(shape)
    if not values.size and values.dtype == object:
        values = np.array([""], object)
    if values.size > count:
        raise ValueError(
            f"make_ndarray: the message has {values.size} values, but its shape {shape} has "
            f"{count} elements"
        )
    return filled(values, count).reshape(shape)


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Serialize a tensor as a TensorProto message, for example to store it in an example.

    Args:
        tensor: Tensor of any shape and dtype.

    Returns:
        Scalar string tensor.

    Example:
        >>> import tfpy as tf
        >>> text = tf.io.serialize_tensor([[1, 2], [3, 4]])
        >>> tf.io.parse_tensor(text, tf.int32).numpy().tolist()
        [[1, 2], [3, 4]]

    See also: `tf.io.parse_tensor`, `tf.make_tensor_proto`.
    """
    x = convert_to_tensor(tensor)

    def serialize(value: Tensor) -> list[Tensor]:
        proto = TensorProto(dtype=x.dtype.as_datatype_enum)
        proto.tensor_shape.SetInParent()
        for size in value.aval.shape:
            proto.tensor_shape.dim.add(size=size)
        array = np.asarray(value)
        if x.dtype == dtypes.string:
            put_values(proto, array)
        else:
            proto.tensor_content = array.tobytes()
        return [constant(proto.SerializeToString())]

    return on_host(serialize, [x], [Aval((), dtypes.string)])[0]


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """Convert a serialized TensorProto message to a tensor.

    The shape depends on the message. A `tf.function` that calls `parse_tensor` with an argument is
    therefore not compiled, but runs eagerly.

    Args:
        serialized: Scalar string tensor with the message.
        out_type: Dtype of the tensor, which must be the dtype of the message. The 64-bit numbers of
            messages are accepted for `tf.int64` and `tf.float64` if they fit these dtypes.

    Returns:
        Tensor of dtype `out_type` with the shape of the message.

    Raises:
        tf.errors.InvalidArgumentError: If `serialized` is not a scalar or not a valid message, or
            the message has another dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.io.parse_tensor(tf.io.serialize_tensor(["a", "bc"]), tf.string).numpy().tolist()
        [b'a', b'bc']

    See also: `tf.io.serialize_tensor`, `tf.make_ndarray`.
    """
    x, wanted = convert_to_tensor(serialized, dtypes.string), as_dtype(out_type)
    if x.ndim:
        raise invalid(
            "parse_tensor", f"Expected `serialized` to be a scalar, got shape: {list(x.aval.shape)}"
        )
    data = x.host_view().item()
    try:
        proto = TensorProto.FromString(data)
    except DecodeError:
        text = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
        raise invalid_value(
            "parse_tensor", f"Could not parse `serialized` as TensorProto, base64: {text}"
        ) from None
    try:
        array = array_of(proto)
    except (TypeError, ValueError) as error:
        raise invalid_value("parse_tensor", f"Cannot parse tensor from proto: {error}") from None
    if as_dtype(proto.dtype) != wanted:
        raise invalid_value(
            "parse_tensor",
            f"Type mismatch between parsed tensor ({dtype_name(proto.dtype)}) and dtype "
            f"({'float' if wanted == dtypes.float32 else wanted.name})",
        )
    try:
        return constant(array)
    except ValueError as error:
        raise invalid_value("parse_tensor", f"{error}") from None
