"""The messages that contain tensors: their dtypes, shapes and values."""

from __future__ import annotations

from tfpy._src.library.protos.containers import RepeatedCompositeContainer, RepeatedValues
from tfpy._src.library.protos.fields import MessageField, RepeatedField, ScalarField
from tfpy._src.library.protos.kinds import (
    BOOL,
    BYTE_STRING,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    UINT32,
    UINT64,
    enumeration,
)
from tfpy._src.library.protos.message import ProtoMessage

_NAMES = [
    *("INVALID", "FLOAT", "DOUBLE", "INT32", "UINT8", "INT16", "INT8", "STRING", "COMPLEX64"),
    *("INT64", "BOOL", "QINT8", "QUINT8", "QINT32", "BFLOAT16", "QINT16", "QUINT16", "UINT16"),
    *("COMPLEX128", "HALF", "RESOURCE", "VARIANT", "UINT32", "UINT64", "FLOAT8_E5M2"),
    *("FLOAT8_E4M3FN", "FLOAT8_E4M3FNUZ", "FLOAT8_E4M3B11FNUZ", "FLOAT8_E5M2FNUZ"),
    *("INT4", "UINT4", "INT2", "UINT2", "FLOAT4_E2M1FN"),
]
REFERENCE = 100
"""Difference between the number of a dtype and the number of its reference dtype."""
DATA_TYPE = enumeration(
    "tensorflow.DataType",
    {number: f"DT_{name}" for number, name in enumerate(_NAMES)}
    | {number + REFERENCE: f"DT_{name}_REF" for number, name in enumerate(_NAMES) if number},
)


class TensorShapeProto(ProtoMessage):
    """The shape of a tensor.

    Args:
        dim: Iterable of dimensions, each with a size, which is -1 if it is unknown, and a name.
        unknown_rank: True if the number of dimensions is unknown.
    """

    __slots__ = ()

    class Dim(ProtoMessage):
        """One dimension of a shape."""

        __slots__ = ()
        size: int = ScalarField(1, INT64)  # type: ignore[assignment]
        name: str = ScalarField(2, STRING)  # type: ignore[assignment]

    dim: RepeatedCompositeContainer = RepeatedField(2, Dim)  # type: ignore[assignment]
    unknown_rank: bool = ScalarField(3, BOOL)  # type: ignore[assignment]


class TensorProto(ProtoMessage):
    """A tensor: its dtype, its shape, and its values.

    The values are the bytes of the array (`tensor_content`), or the items of the field for the
    dtype. If there are fewer items than elements, the last item is repeated.
    """

    __slots__ = ()
    dtype: int = ScalarField(1, DATA_TYPE)  # type: ignore[assignment]
    tensor_shape: TensorShapeProto = MessageField(2, TensorShapeProto)  # type: ignore[assignment]
    version_number: int = ScalarField(3, INT32)  # type: ignore[assignment]
    tensor_content: bytes = ScalarField(4, BYTE_STRING)  # type: ignore[assignment]
    float_val: RepeatedValues = RepeatedField(5, FLOAT)  # type: ignore[assignment]
    double_val: RepeatedValues = RepeatedField(6, DOUBLE)  # type: ignore[assignment]
    int_val: RepeatedValues = RepeatedField(7, INT32)  # type: ignore[assignment]
    string_val: RepeatedValues = RepeatedField(8, BYTE_STRING)  # type: ignore[assignment]
    scomplex_val: RepeatedValues = RepeatedField(9, FLOAT)  # type: ignore[assignment]
    int64_val: RepeatedValues = RepeatedField(10, INT64)  # type: ignore[assignment]
    bool_val: RepeatedValues = RepeatedField(11, BOOL)  # type: ignore[assignment]
    dcomplex_val: RepeatedValues = RepeatedField(12, DOUBLE)  # type: ignore[assignment]
    half_val: RepeatedValues = RepeatedField(13, INT32)  # type: ignore[assignment]
    uint32_val: RepeatedValues = RepeatedField(16, UINT32)  # type: ignore[assignment]
    uint64_val: RepeatedValues = RepeatedField(17, UINT64)  # type: ignore[assignment]
    float8_val: bytes = ScalarField(18, BYTE_STRING)  # type: ignore[assignment]
