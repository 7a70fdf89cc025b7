"""Strings of CSV records and compressed data as tensors."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import DataLossError, invalid, invalid_dtype, invalid_value
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.effects import on_host
from tfpy._src.library.io.files import texts
from tfpy._src.library.io.records import WINDOWS

_NAMES = {"float32": "float", "float64": "double"}
_KINDS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[TensorLike],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Convert CSV records to tensors, one for each column.

    Args:
        records: String tensor of any shape; each string is one record.
        record_defaults: List with a scalar, or a vector with at most one element, for each column.
            It is the value for empty fields, and its dtype is the dtype of the column: float32,
            int32 or string. The fields of a column with an empty vector must not be empty.
        field_delim: Character between fields.
        use_quote_delim: If True, fields may be enclosed in double quotation marks. If False, these
            are ordinary characters.
        na_value: String that is treated like an empty field.
        select_cols: Indices of the columns to read, in ascending order. Default: all columns.

    Returns:
        List of tensors of the shape of `records`, one for each item of `record_defaults`.

    Raises:
        ValueError: If `select_cols` is not sorted, contains negative numbers, or has another length
            than `record_defaults`.
        tf.errors.InvalidArgumentError: If a record has a different number of fields, a required
            field is empty, or a field is not a number of the dtype of its column.

    Example:
        >>> import tfpy as tf
        >>> lengths, names = tf.io.decode_csv(["1.5,a", ",b"], [[0.0], [""]])
        >>> lengths.numpy().tolist(), names.numpy().tolist()
        ([1.5, 0.0], [b'a', b'b'])

    See also: `tf.data.experimental.CsvDataset`, `tf.strings.split`.
    """
    if select_cols is not None:
        selected = [int(column) for column in select_cols]
        if any(a >= b for a, b in pairwise(selected)):
            raise ValueError("select_cols is not strictly increasing.")
        if any(column < 0 for column in selected):
            raise ValueError("select_cols contains negative values.")
        if len(selected) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    defaults = [_default(number, value) for number, value in enumerate(record_defaults)]
    if not defaults:
        raise invalid("decode_csv", "Length for attr 'OUT_TYPE' of 0 must be at least minimum 1")
    if len(field_delim) != 1:
        raise invalid("decode_csv", "field_delim should be only 1 char")
    x = convert_to_tensor(records, dtypes.string)
    splitter = _Splitter(field_delim.encode(), use_quote_delim)

    def decode(value: Tensor) -> list[Tensor]:
        rows = []
        for number, record in enumerate(value.host_view().reshape(-1).tolist()):
            fields = splitter.fields(record)
            if select_cols is not None:
                fields = [fields[i] for i in selected if i < len(fields)]
            if len(fields) != len(defaults):
                raise invalid_value(
                    "decode_csv",
                    f"Expect {len(defaults)} fields but have {len(fields)} in record {number}",
                )
            rows.append(
                [
                    _field(field, default, f"Field {i}", number, na_value.encode())
                    for i, (field, default) in enumerate(zip(fields, defaults, strict=True))
                ]
            )
        columns = list(zip(*rows, strict=True)) or [()] * len(defaults)
        shape = value.aval.shape
        return [
            _column(list(column), default, shape)
            for column, default in zip(columns, defaults, strict=True)
        ]

    return on_host(decode, [x], [Aval(x.aval.shape, d.dtype) for d in defaults])


def _default(number: int, value: Any) -> Tensor:
    found = convert_to_tensor(value)
    if found.dtype not in _KINDS:
        raise invalid_dtype(
            "decode_csv",
            f"Value for attr 'OUT_TYPE' of {found.dtype.name} is not in the list of allowed "
            "values: float, double, int32, int64, string",
        )
    if found.ndim > 1:
        raise invalid("decode_csv", "Each record default should be at most rank 1")
    if found.size > 1:
        raise invalid(
            "decode_csv",
            f"There should only be 1 default per field but field {number} has {found.size}",
        )
    return found


def _field(field: bytes, default: Tensor, where: str, record: int, missing: bytes) -> Any:
    """Return the value of a field."""
    if field in (b"", missing):
        if not default.size:
            raise invalid_value(
                "decode_csv", f"{where} is required but missing in record {record}!"
            )
        return default.host_view().reshape(-1)[0]
    if default.dtype == dtypes.string:
        return field
    try:
        if b"_" in field:  # Python accepts it in numbers
            raise ValueError
        found = float(field) if default.dtype.is_floating else int(field)
        return np.array(found, default.dtype.as_numpy_dtype)
    except (ValueError, OverflowError):
        kind = _NAMES.get(default.dtype.name, default.dtype.name)
        text = field.decode("utf-8", "replace")
        raise invalid_value(
            "decode_csv", f"{where} in record {record} is not a valid {kind}: {text}"
        ) from None


def _column(values: list[Any], default: Tensor, shape: tuple[int, ...]) -> Tensor:
    if default.dtype == dtypes.string:
        return texts(values, shape)
    array: Array = np.array(values, default.dtype.as_numpy_dtype)
    return constant(array.reshape(shape))


class _Splitter:
    """A reader of the fields of records."""

    def __init__(self, delimiter: bytes, quotes: bool) -> None:
        self._delimiter, self._quotes = delimiter, quotes

    def fields(self, record: bytes) -> list[bytes]:
        """Return the fields of a record.

        Raises:
            InvalidArgumentError: If quotation marks or line ends are misplaced.
        """
        if not record:
            return []
        if not self._quotes:
            return record.split(self._delimiter)
        found: list[bytes] = []
        at = 0
        while at <= len(record):
            field, at = (
                self._quoted(record, at) if record[at : at + 1] == b'"' else self._plain(record, at)
            )
            found.append(field)
        return found

    def _plain(self, record: bytes, at: int) -> tuple[bytes, int]:
        end = record.find(self._delimiter, at)
        end = len(record) if end < 0 else end
        field = record[at:end]
        if any(mark in field for mark in (b'"', b"\n", b"\r")):
            raise invalid_value("decode_csv", "Unquoted fields cannot have quotes/CRLFs inside")
        return field, end + 1

    def _quoted(self, record: bytes, at: int) -> tuple[bytes, int]:
        parts: list[bytes] = []
        at += 1
        while True:
            end = record.find(b'"', at)
            if end < 0:
                raise invalid_value(
                    "decode_csv", "Quoted field has to end with quote followed by delim or end"
                )
            parts.append(record[at:end])
            at = end + 1
            after = record[at : at + 1]
            if after in (b"", self._delimiter):
                return b'"'.join(parts), at + 1
            if after != b'"':
                raise invalid_value(
                    "decode_csv", "Quote inside a string has to be escaped by another quote"
                )
            at += 1


def decode_compressed(
    bytes: TensorLike, compression_type: str = "", name: str | None = None
) -> Tensor:
    """Decompress strings.

    Args:
        bytes: String tensor of any shape with compressed data.
        compression_type: `"ZLIB"`, `"GZIP"`, or `""` (default) for no compression.

    Returns:
        String tensor of the shape of `bytes`.

    Raises:
        tf.errors.InvalidArgumentError: If the compression type is unknown.
        tf.errors.DataLossError: If a string is not compressed data.

    Example:
        >>> import zlib
        >>> import tfpy as tf
        >>> tf.io.decode_compressed([zlib.compress(b"hello")], "ZLIB").numpy().tolist()
        [b'hello']

    See also: `tf.io.read_file`, `tf.data.TFRecordDataset`.
    """
    if compression_type not in ("", *WINDOWS):
        raise invalid("decode_compressed", "Only ZLIB, GZIP or NONE are supported compressions")
    x = convert_to_tensor(bytes, dtypes.string)
    if not compression_type:
        return x

    def decode(value: Tensor) -> list[Tensor]:
        items = value.host_view().reshape(-1).tolist()
        room = Room(sum(map(len, items)))
        found = [_decompressed(item, WINDOWS[compression_type], room) for item in items]
        return [texts(found, value.aval.shape)]

    return on_host(decode, [x], [x.aval])[0]


def _decompressed(data: bytes, window: int, room: Room) -> bytes:
    unpacker = zlib.decompressobj(window)
    try:
        found = unpacker.decompress(data, room.limit - room.taken + 1)
    except zlib.error as error:
        raise DataLossError(None, "decode_compressed", f"decode_compressed: {error}") from None
    if reason := room.refusal("a decompressed string", len(found)):
        raise invalid_value("decode_compressed", reason)
    return found
