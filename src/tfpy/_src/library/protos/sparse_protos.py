"""Serialized sparse tensors: three TensorProto messages for the indices, values and shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.library.protos.columns import sparse_of, tensor
from tfpy._src.library.protos.message import DecodeError
from tfpy._src.library.protos.tensor_messages import TensorProto
from tfpy._src.library.protos.tensor_values import (
    array_of,
    content_of,
    dtype_name,
    dtype_number,
    strings,
)
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

_OP = "deserialize_many_sparse"


def _message(array: Array, number: int | None = None) -> bytes:
    """Return the serialized message of an array, whose dtype has a number."""
    proto = TensorProto(dtype=dtype_number(array.dtype) if number is None else number)
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    proto.tensor_content = content_of(array)
    return proto.SerializeToString()


def _parts(indices: Array, values: Array, shape: Array, number: int) -> list[bytes]:
    """Return the messages of a sparse tensor whose values have the dtype with this number."""
    wide = (indices.astype(np.int64), shape.astype(np.int64))
    return [_message(wide[0]), _message(values, number), _message(wide[1])]


def _checked(sp_input: Any, op: str, out_type: DTypeLike) -> SparseTensor:
    if not isinstance(sp_input, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    if as_dtype(out_type) != dtypes.string:
        raise invalid(op, f"out_type must be tf.string, got {as_dtype(out_type).name}")
    return sp_input


def serialize_sparse(
    sp_input: SparseTensor, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """Serialize a sparse tensor as three TensorProto messages.

    Args:
        sp_input: A `tf.SparseTensor`.
        out_type: `tf.string`.

    Returns:
        String tensor of shape `[3]` with the serialized indices, values and dense shape.

    Raises:
        TypeError: If `sp_input` is not a sparse tensor.

    Example:
        >>> import tfpy as tf
        >>> x = tf.SparseTensor(indices=[[1]], values=[7], dense_shape=[3])
        >>> batch = tf.stack([tf.io.serialize_sparse(x), tf.io.serialize_sparse(x)])
        >>> found = tf.io.deserialize_many_sparse(batch, tf.int32)
        >>> tf.sparse.to_dense(found).numpy().tolist()
        [[0, 7, 0], [0, 7, 0]]

    See also: `tf.io.serialize_many_sparse`, `tf.io.deserialize_many_sparse`.
    """
    x = _checked(sp_input, "serialize_sparse", out_type)
    indices, values, shape = (np.asarray(part) for part in (x.indices, x.values, x.dense_shape))
    return constant(strings(_parts(indices, values, shape, x.dtype.as_datatype_enum)))


def serialize_many_sparse(
    sp_input: SparseTensor, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """Serialize each row of a sparse tensor as three TensorProto messages.

    Args:
        sp_input: A `tf.SparseTensor` of rank 2 or more, with n rows.
        out_type: `tf.string`.

    Returns:
        String tensor of shape `[n, 3]` with the serialized indices, values and dense shape of each
        row.

    Raises:
        TypeError: If `sp_input` is not a sparse tensor.
        tf.errors.InvalidArgumentError: If the rank of `sp_input` is less than 2.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0], [0, 2]])
        >>> rows = tf.io.serialize_many_sparse(x)
        >>> found = tf.io.deserialize_many_sparse(rows, tf.int32)
        >>> tf.sparse.to_dense(found).numpy().tolist()
        [[1, 0], [0, 2]]

    See also: `tf.io.serialize_sparse`, `tf.io.deserialize_many_sparse`.
    """
    x = _checked(sp_input, "serialize_many_sparse", out_type)
    indices, values, shape = (np.asarray(part) for part in (x.indices, x.values, x.dense_shape))
    if len(shape) < 2:
        raise invalid_value(
            "serialize_many_sparse",
            f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}",
        )
    found: list[bytes] = []
    for row in range(int(shape[0])):
        mask = indices[:, 0] == row
        found += _parts(indices[mask, 1:], values[mask], shape[1:], x.dtype.as_datatype_enum)
    return constant(strings(found).reshape(-1, 3))


def deserialize_many_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: IntLike | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Convert serialized sparse tensors to one sparse tensor with a batch axis.

    Args:
        serialized_sparse: String tensor of shape `[n, 3]`, as `tf.io.serialize_many_sparse` returns
            it.
        dtype: Dtype of the values.
        rank: Rank of the result, with the batch axis. Default: any rank.

    Returns:
        A `tf.SparseTensor` of shape `[n, *largest]`, where `largest` contains the largest size of
        each axis.

    Raises:
        tf.errors.InvalidArgumentError: If the shape is not `[n, 3]`, a string is not a message, the
            values have another dtype, or the messages of a sparse tensor do not match.
        ValueError: If the result does not have the rank `rank`.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.io.serialize_many_sparse(tf.sparse.from_dense([["a", ""], ["", "b"]]))
        >>> found = tf.io.deserialize_many_sparse(rows, tf.string, rank=2)
        >>> found.values.numpy().tolist()
        [b'a', b'b']

    See also: `tf.io.serialize_many_sparse`.
    """
    x, wanted = convert_to_tensor(serialized_sparse, dtypes.string), as_dtype(dtype)
    shape = list(x.aval.shape)
    if not shape or shape[-1] != 3:
        sizes = ",".join(map(str, shape))
        raise invalid_value(_OP, f"Serialized sparse should have 3 as the last dimension [{sizes}]")
    if len(shape) > 2:
        raise invalid_value(_OP, f"Serialized sparse should have rank 1 or 2, got {len(shape)}")
    rows = x.host_view().reshape(-1, 3).tolist()
    if not rows:
        raise invalid_value(_OP, "Must have at least 1 serialized SparseTensor")
    parts = [_read(number, row, wanted.as_datatype_enum) for number, row in enumerate(rows)]
    ranks = {len(sizes) for _, _, sizes in parts}
    if len(ranks) > 1:
        raise invalid_value(_OP, f"The sparse tensors have different ranks: {sorted(ranks)}")
    width = ranks.pop()
    if rank is not None and int(rank) != width + 1:
        raise ValueError(
            f"The sparse tensor has the rank {width + 1}, which is not compatible with the rank "
            f"{int(rank)}."
        )
    indices = np.concatenate(
        [np.insert(found, 0, number, axis=1) for number, (found, _, _) in enumerate(parts)]
    )
    values = np.concatenate([found for _, found, _ in parts])
    largest = np.max([sizes for _, _, sizes in parts], axis=0).tolist()
    return sparse_of(indices, tensor(_OP, "values", values), [len(parts), *largest])


def _read(number: int, row: list[bytes], dtype: int) -> tuple[Array, Array, Array]:
    """Return the arrays of a serialized sparse tensor.

    Raises:
        InvalidArgumentError: If the messages are invalid or do not match.
    """
    what = f"SparseTensor[{number}]"
    try:
        protos = [TensorProto.FromString(data) for data in row]
        indices, values, shape = map(array_of, protos)
    except (DecodeError, TypeError, ValueError):
        raise invalid_value(_OP, "Could not parse serialized proto") from None
    kinds = {protos[0].dtype, protos[2].dtype}
    if kinds != {9} or indices.ndim != 2 or values.ndim != 1 or shape.ndim != 1:
        raise invalid_value(_OP, f"{what} must have int64 matrix indices and an int64 vector shape")
    if as_dtype(protos[1].dtype).as_datatype_enum != dtype:
        wanted = "float" if dtype == 1 else dtype_name(dtype)
        raise invalid_value(
            _OP,
            f"Requested SparseTensor of type {wanted} but {what}.values.dtype() == "
            f"{dtype_name(protos[1].dtype)}",
        )
    if indices.shape != (values.shape[0], shape.shape[0]):
        raise invalid_value(
            _OP,
            f"{what} has indices of shape {list(indices.shape)}, {values.shape[0]} values and "
            f"{shape.shape[0]} sizes",
        )
    return indices, values, shape
