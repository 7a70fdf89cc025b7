"""Records of text files with separated values."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from functools import cached_property
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
    """A column: its dtype, and what stands for a missing value, if it may be missing.

    Args:
        default: a dtype for a column that is required; else a scalar, or a tensor of one element
            or none.
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
        """The value of a field.

        Raises:
            InvalidArgumentError: when it is missing and required, or no number.
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


def _error(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, "CsvDataset", message)


class Records(DatasetNode):
    """The records of files, a component for each column.

    Args:
        defaults: a dtype or a default value for each column.
        selected: numbers of the columns that are taken; all of them for None.
        excluded: numbers of the columns that are left out.

    Raises:
        InvalidArgumentError: when records do not fit, while iterating.
        ValueError: when columns are both selected and excluded.
    """

    name = "CsvDatasetV2"

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
            raise ValueError("CsvDataset: give select_cols or exclude_cols, not both")
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

    def _rows(self, run: DatasetRun) -> Iterator[list[str]]:
        for file in named(self.inputs[0], run):
            if file is NOT_YET:
                yield file
                continue
            pieces = pieces_of(run, file, self._compression)
            rows = rows_of(pieces, self._dialect, most_held(self._compression))
            if self._header:
                yield from run.gathered(rows, 1)
            yield from rows

    def _record(self, row: list[str]) -> Flat:
        fields = self._fields(row)
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
    """How records are written, as Python's reader takes it."""
    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    return {"delimiter": delimiter, "quoting": quoting, "strict": True}


def rows_of(
    pieces: Iterator[bytes], written: dict[str, Any], most: int | None = None
) -> Iterator[list[str]]:
    """The fields of each record of a file by its bytes.

    Args:
        most: How many bytes a record may have (`most_held`).

    Raises:
        InvalidArgumentError: for a record that is none, as where quotes do not end.
        ResourceExhaustedError: If a record of a compressed file is too large.
    """
    try:
        yield from _rows_of(pieces, written, most)
    except csv.Error as error:
        raise _error(f"A record cannot be read: {error}") from None


def _rows_of(
    pieces: Iterator[bytes], written: dict[str, Any], most: int | None
) -> Iterator[list[str]]:
    decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    held, coming, size = "", [], 0
    for piece in pieces:
        if piece is NOT_YET:
            yield piece
            continue
        coming.append(decode(piece))
        size += len(coming[-1])
        check_held(size + len(held), most, "a record")
        if size < len(held):  # a record that has begun is read again when it is twice as long
            continue
        lines = list(io.StringIO("".join((held, *coming)), newline=""))
        coming, size = [], 0
        begun = "" if not lines or lines[-1].endswith("\n") else lines.pop()
        reader = csv.reader(_so_far(lines), **written)
        taken = 0
        try:
            for row in reader:
                taken = reader.line_num
                yield row
        except _MoreToCome:
            held = "".join(lines[taken:]) + begun
    rest = "".join((held, *coming, decode(b"", True)))
    yield from csv.reader(io.StringIO(rest, newline=""), **written)


class _MoreToCome(Exception):
    """The lines that are there end; a record may have begun in them."""


def _so_far(lines: list[str]) -> Iterator[str]:
    yield from lines
    raise _MoreToCome


# What columns are, by the first records


_KINDS = (dtypes.int32, dtypes.float32, dtypes.string)


def inferred_defaults(
    rows: Iterator[Sequence[str]], columns: Sequence[int], missing: str
) -> list[Tensor]:
    """For each column 0 or an empty text, of the narrowest dtype that its values fit."""
    found = [-1] * len(columns)
    for row in rows:
        for i, column in enumerate(columns):
            if row[column] not in ("", missing):
                found[i] = max(found[i], _kind(row[column]))
    return [convert_to_tensor(["" if k in (-1, 2) else 0], _KINDS[k]) for k in found]


def _kind(field: str) -> int:
    """Which of the dtypes a value needs."""
    for kind, read in enumerate((int, float)):
        try:
            value = read(field)
        except ValueError:
            continue
        if kind == 1 or -(2**31) <= value < 2**31:
            return kind
    return 2
