"""Records of `tf.data.csv`: rows of a table with named columns, whose errors name the place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.data.csv import Records, narrowest
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.structure import Flat
from tfpy._src.library.io.streams import DataSource

ENCODING = "utf-8-sig"
"""UTF-8 without the byte order mark that spreadsheets write at the beginning of a file."""
_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


@dataclass(frozen=True)
class CsvFile:
    """A CSV file with named columns.

    Args:
        file: Name of the file for errors.
        names: Names of its columns.
        header: True if the first row contains names. It is row 1, as in a spreadsheet.
        delimiter: Character between fields.
    """

    file: str
    names: Sequence[str]
    header: bool
    delimiter: str

    @property
    def first(self) -> int:
        """Number of the first row with values."""
        return 2 if self.header else 1

    def problem(self, row: Sequence[str], number: int) -> str:
        """Return the reason why a row cannot be read with any dtypes, or an empty string."""
        if len(row) != len(self.names):
            return (
                f"csv: row {number} of {self.file} has the fields {row}, but the table has "
                f"{len(self.names)} columns.{self.hint()}"
            )
        if "".join(row).isascii():
            return ""
        for name, field in zip(self.names, row, strict=True):
            if not is_utf8(field):
                return f"csv: column {name!r} in row {number} of {self.file} {not_utf8(field)}"
        return ""

    def hint(self) -> str:
        """Return a sentence about the delimiter if all names are in one column."""
        if len(self.names) == 1:
            for delimiter, words in _DELIMITERS.items():
                if delimiter in self.names[0]:
                    return f" If {words} separate the columns, pass delimiter={delimiter!r}."
        return ""


def is_utf8(field: str) -> bool:
    """Return True if a field was decoded without errors."""
    return not any("\udc80" <= character <= "\udcff" for character in field)


def not_utf8(field: str) -> str:
    """Return the end of an error about a field that is not UTF-8."""
    return (
        f"is not UTF-8: {field.encode('utf-8', 'surrogateescape')!r}. Save the file again with the "
        "encoding UTF-8, which spreadsheets call 'CSV UTF-8'."
    )


class TableRecords(Records):
    """The records of a table.

    Args:
        table: The file and its columns.
        source: Source of the bytes.
        defaults: Dtype or default value of each column that is read.
        selected: Indices of these columns.
        inferred: Names of the columns whose dtype was inferred.
    """

    encoding = ENCODING

    def __init__(
        self,
        table: CsvFile,
        source: DataSource,
        defaults: Sequence[Any],
        selected: Sequence[int],
        inferred: Collection[str],
    ) -> None:
        super().__init__(source, defaults, None, table.header, table.delimiter, True, "", selected)
        self._table, self._inferred = table, inferred
        self._names = [table.names[i] for i in selected]

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        numbers = count(self._table.first)
        return run.map(lambda row: self._numbered(row, next(numbers)), self._rows(run))

    def _numbered(self, row: list[str], number: int) -> Flat:
        """Return the values of a row.

        Raises:
            InvalidArgumentError: If the row does not match the columns.
        """
        if problem := self._table.problem(row, number):
            raise InvalidArgumentError(None, "csv", problem)
        try:
            return self._record(row)
        except InvalidArgumentError:
            raise InvalidArgumentError(None, "csv", self._mismatch(row, number)) from None

    def _mismatch(self, row: list[str], number: int) -> str:
        """Return the error for the first field that does not match its column."""
        named = zip(self._names, self._fields(row), self._columns, strict=True)
        name, field, column = next(found for found in named if not found[2].accepts(found[1]))
        place = f"row {number} of {self._table.file}"
        if not field:
            return (
                f"csv: column {name!r} is required, but empty in {place}. Fill in the field, or "
                f"pass column_configs={{{name!r}: {{'default': …}}}} instead of 'required'."
            )
        dtype = column.dtype.name
        source = " of the first rows" if name in self._inferred else ""
        return (
            f"csv: column {name!r} has the dtype {dtype}{source}, but {place} has {field!r}. "
            f"Correct the field, or pass column_configs={{{name!r}: {{'dtype': "
            f"'{narrowest(field).name}'}}}}."
        )
