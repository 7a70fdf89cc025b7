"""Records of CSV files."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.data.files import named, names_of, text
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.pieces import check_held, compression_of, most_held, pieces_of
from tfpy._src.data.run import NOT_YET, DatasetRun
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec

_NAMES = {"float32": "float", "int32": "int32"}


class Column:
    """A column: its dtype, and the default for a missing value.

    Args:
        default: Dtype of a required column. Otherwise a scalar, or a tensor with one element or
            none.
    """

    def __init__(self, default: Any) -> None:
        self.default: Array | None = None
        if isinstance(default, DType | type):
            self.dtype = as_dtype(default)
            return
        tensor = convert_to_tensor(default)
        self.dtype = tensor.dtype
        if tensor.size:
            self.default = tensor.host_view().reshape(-1)[0:1].reshape(())

    def value(self, field: str, number: int, missing: str) -> Array:
        """Return the value of a field.

        Raises:
            InvalidArgumentError: If the field is missing and required, or is not a number.
        """
        if field in ("", missing):
            if self.default is None:
                raise _error(f"Field {number} is required but missing in record!")
            return self.default
        if self.dtype == dtypes.string:
            return text(field.encode("utf-8", "surrogateescape"))
        try:
            found = float(field) if self.dtype.is_floating else int(field)
            return np.array(found, self.dtype.as_numpy_dtype)
        except (ValueError, OverflowError):
            kind = _NAMES.get(self.dtype.name, self.dtype.name)
            raise _error(f"Field {number} in record is not a valid {kind}: {field}") from None

    def accepts(self, field: str) -> bool:
        """Return True if the column can have this value."""
        try:
            self.value(field, 0, "")
        except InvalidArgumentError:
            return False
        return True


def _error(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, "CsvDataset", message)


class Records(DatasetNode):
    """The records of CSV files, with one component for each column.

    Args:
        defaults: Dtype or default value of each column.
        selected: Indices of the columns to read; None for all columns.
        excluded: Indices of the columns to skip.

    Raises:
        InvalidArgumentError: If a record does not match the columns; raised while iterating.
            Also if both `selected` and `excluded` are given.
    """

    name = "CsvDatasetV2"
    encoding = "utf-8"

    def __init__(
        self,
        filenames: Any,
        defaults: Sequence[Any],
        compression: Any,
        header: bool,
        delimiter: str,
        quotes: bool,
        missing: str,
        selected: Sequence[int] | None = None,
        excluded: Sequence[int] | None = None,
    ) -> None:
        super().__init__(names_of(filenames))
        if selected is not None and excluded is not None:
            raise _error("CsvDataset: Either select_cols or exclude_cols should be empty.")
        self._columns = [Column(default) for default in defaults]
        self._compression = compression_of(compression)
        self._header, self._missing = header, missing
        self._dialect = dialect(delimiter, quotes)
        self._selected, self._excluded = selected, set(excluded or ())

    @cached_property
    def spec(self) -> Any:
        return tuple(TensorSpec([], column.dtype) for column in self._columns)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return run.map(self._record, self._rows(run))

    def _rows(self, run: DatasetRun) -> Iterator[Row]:
        for file in named(self.inputs[0], run):
            if file is NOT_YET:
                yield file
                continue
            pieces = pieces_of(run, file, self._compression)
            most = most_held(self._compression)
            rows = records_of(pieces, self._dialect, most, self.encoding)
            if self._header and not (yield from run.gathered(rows, 1)):
                raise _error("Can't read header of file")
            yield from rows

    def _record(self, row: Row) -> Flat:
        if isinstance(row, InvalidArgumentError):
            raise row
        fields = self._fields(row or [""])
        count = len(self._columns)
        if len(fields) > count:
            raise _error(f"Expect {count} fields but have more in record")
        if len(fields) < count:
            raise _error(f"Expect {count} fields but have {len(fields)} in record")
        pairs = enumerate(zip(fields, self._columns, strict=True))
        return tuple([column.value(field, i, self._missing) for i, (field, column) in pairs])

    def _fields(self, row: list[str]) -> list[str]:
        if self._selected is None:
            return [field for i, field in enumerate(row) if i not in self._excluded]
        return [row[i] for i in self._selected if i < len(row)]


def dialect(delimiter: str, quotes: bool) -> dict[str, Any]:
    """Return the format of the records as arguments for Python's `csv.reader`."""
    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    return {"delimiter": delimiter, "quoting": quoting, "strict": True}


Row = list[str] | InvalidArgumentError
"""Fields of a record, or the error that reading it raises. The next records are read after it."""


def rows_of(
    pieces: Iterator[bytes],
    written: dict[str, Any],
    most: int | None = None,
    encoding: str = "utf-8",
) -> Iterator[list[str]]:
    """Yield the fields of each record of a file, as `records_of` does.

    Raises:
        InvalidArgumentError: If a record is malformed, e.g. if quotes do not end.
        ResourceExhaustedError: If a record of a compressed file is too large.
    """
    for row in records_of(pieces, written, most, encoding):
        if isinstance(row, InvalidArgumentError):
            raise row
        yield row


def records_of(
    pieces: Iterator[bytes],
    written: dict[str, Any],
    most: int | None = None,
    encoding: str = "utf-8",
) -> Iterator[Row]:
    """Yield the fields of each record of a file, or an error if a record is malformed.

    Args:
        most: Largest number of bytes of a record (`most_held`).
        encoding: Name of the codec. Bytes that it cannot decode become surrogates.

    Raises:
        ResourceExhaustedError: If a record of a compressed file is too large.
    """
    decode = codecs.getincrementaldecoder(encoding)("surrogateescape").decode
    held, coming, size = "", [], 0
    for piece in pieces:
        if piece is NOT_YET:
            yield piece
            continue
        coming.append(decode(piece))
        size += len(coming[-1])
        check_held(size + len(held), most, "a record")
        if size < len(held):  # an incomplete record is parsed again when it is twice as long
            continue
        lines = list(io.StringIO("".join((held, *coming)), newline=""))
        coming, size = [], 0
        begun = "" if not lines or lines[-1].endswith("\n") else lines.pop()
        reader = csv.reader(_so_far(lines), **written)
        taken = 0
        try:
            for row in _parsed(reader, lines, written):
                taken = reader.line_num
                yield row
        except _MoreToCome:
            held = "".join(lines[taken:]) + begun
    rest = "".join((held, *coming, decode(b"", True)))
    lines = list(io.StringIO(rest, newline=""))
    yield from _parsed(csv.reader(lines, **written), lines, written)


def _parsed(reader: Any, lines: list[str], written: dict[str, Any]) -> Iterator[Row]:
    """Yield the fields of the records in lines, which a reader of the module `csv` parses."""
    unquoted = _unquoted(written["delimiter"])
    while True:
        begin = reader.line_num
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = str(error)
            shown = (text for part, text in _PROBLEMS.items() if part in problem)
            yield _error(next(shown, f"A record is malformed: {problem}"))
            continue
        has_quote = written["quoting"] != csv.QUOTE_NONE and any('"' in field for field in row)
        if has_quote and unquoted.search("".join(lines[begin : reader.line_num])):
            yield _error("Unquoted fields cannot have quotes inside")
        else:
            yield row


_PROBLEMS = {
    "expected after": "Quote inside a string has to be escaped by another quote",
    "unexpected end": "Reached end of file without closing quoted field in record",
}
"""Descriptions of the errors of the module `csv`."""


@cache
def _unquoted(delimiter: str) -> re.Pattern[str]:
    """Return a pattern of records in which a field without quotes contains one."""
    by = re.escape(delimiter)
    field = rf'(?:[^"{by}\r\n]*|"(?:[^"]|"")*")'
    return re.compile(rf'^(?:{field}{by})*[^"{by}\r\n]+"')


class _MoreToCome(Exception):
    """The available lines end, perhaps within a record."""


def _so_far(lines: list[str]) -> Iterator[str]:
    yield from lines
    raise _MoreToCome


# Inference of dtypes from the first records


_KINDS = (dtypes.int32, dtypes.float32, dtypes.string)


def inferred_defaults(
    rows: Iterator[Sequence[str]], columns: Sequence[int], missing: str
) -> list[Tensor]:
    """Return the default of each column: 0 or "", in the narrowest dtype that its values fit."""
    found = [-1] * len(columns)
    for row in rows:
        for i, column in enumerate(columns):
            if row[column] not in ("", missing):
                found[i] = max(found[i], _kind(row[column]))
    return [convert_to_tensor(["" if k in (-1, 2) else 0], _KINDS[k]) for k in found]


def narrowest(field: str) -> DType:
    """Return the narrowest dtype for a value: int32, float32 or string."""
    return _KINDS[_kind(field)]


def _kind(field: str) -> int:
    """Return the index in `_KINDS` of the narrowest dtype for a value."""
    for kind, read in enumerate((int, float)):
        try:
            value = read(field)
        except ValueError:
            continue
        if kind == 1 or -(2**31) <= value < 2**31:
            return kind
    return 2
