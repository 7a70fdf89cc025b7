"""`tf.data.csv` of TensorFlow.js: a dataset of a CSV table at a URL or in a file."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.data.csv import Records, dialect, inferred_defaults, rows_of
from tfpy._src.data.csv_tables import ENCODING, CsvFile, TableRecords, is_utf8, not_utf8
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.mapping import Map
from tfpy._src.data.run import AwaitedRun
from tfpy._src.library.io.streams import DataSource, source_of

_INFERRED = 1000
"""Number of records that are read to infer dtypes."""
_KEYS = ("dtype", "default", "required", "is_label")
"""Keys of the configuration of a column."""


class CSVDataset(DatasetV2):
    """A dataset of the records of a CSV table, as dicts from column names to tensors.

    `tf.data.csv` and `tf.data.csv_async` return one. Its attribute `column_names` is the list of
    the column names.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> async def columns():
        ...     table = tf.data.csv(tf.data.FileDataSource(b"length,kind\\n5.1,0\\n4.9,1"))
        ...     return isinstance(table, tf.data.CSVDataset), table.column_names
        >>> asyncio.run(columns())
        (True, ['length', 'kind'])

    See also: `tf.data.csv`.
    """

    def __init__(self, records: Records, names: Sequence[str], labels: Sequence[str]) -> None:
        self.column_names = list(names)

        def by_name(*values: Any) -> Any:
            found = dict(zip(names, values, strict=True))
            if not labels:
                return found
            targets = {name: found.pop(name) for name in labels}
            return found, targets

        super().__init__(Map(records, by_name))


def csv(
    source: object,
    column_configs: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    has_header: bool = True,
    column_names: Sequence[str] | None = None,
    configured_columns_only: bool = False,
    delimiter: str = ",",
) -> CSVDataset:
    """Make a dataset of the records of a CSV table at a URL or in a file.

    The first 1000 records are read immediately to infer the dtype of each column: int32, or
    float32 if some values are not integers, or string if some are not numbers. This function blocks
    until these records have arrived; in a page, use `tf.data.csv_async`. Read the dataset with
    `async for`. The file must be UTF-8. An error names the row (the header is row 1) and the
    column.

    Args:
        source: URL or path of the table, a File or Blob of the browser, or a data source such as
            `tf.data.FileDataSource`. A string without a scheme is a path if Python's file system
            has such a file, and otherwise a URL that is relative to the page.
        column_configs: Dict from column names to dicts, which may have the keys `dtype`, `default`
            (value for an empty field), `required` (if True, an empty field is an error) and
            `is_label` (if True, the column is a label). Default: infer the dtypes, and read an
            empty field as 0 or an empty string.
        has_header: If True (default), the first record contains the column names and is skipped.
        column_names: Names of the columns. Default: the names in the first record.
        configured_columns_only: If True, skip columns that are not in `column_configs`.
        delimiter: Character between fields.

    Returns:
        A `tf.data.CSVDataset`. Its elements are dicts from column names to tensors. If there are
        labels, its elements are pairs of a dict of the other columns and a dict of the labels.

    Raises:
        ValueError: If there are no column names, if a name appears twice, if `column_configs`
            contains an unknown column or key, or if one of the first 1000 records has a different
            number of fields or is not UTF-8.
        tf.errors.OpError: If the file cannot be read.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> table = tf.data.csv(tf.data.FileDataSource(b"a,b\\n1,x\\n2,y"))
        >>> async def total():
        ...     return sum([int(row["a"]) async for row in table])
        >>> asyncio.run(total())
        3

    See also: `tf.data.csv_async`, `tf.data.experimental.make_csv_dataset`.
    """
    return wait(
        csv_async(
            source,
            column_configs,
            has_header=has_header,
            column_names=column_names,
            configured_columns_only=configured_columns_only,
            delimiter=delimiter,
        ),
        "write `await tf.data.csv_async(source)`",
    )


@awaitable("tf.data.csv_async(source)")
async def csv_async(
    source: object,
    column_configs: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    has_header: bool = True,
    column_names: Sequence[str] | None = None,
    configured_columns_only: bool = False,
    delimiter: str = ",",
) -> CSVDataset:
    """Make a dataset of the records of a CSV table, without blocking the page.

    The first 1000 records are read immediately to infer the dtype of each column: int32, or
    float32 if some values are not integers, or string if some are not numbers. Read the dataset
    with `async for`. The file must be UTF-8. An error names the row (the header is row 1) and the
    column.

    Args:
        source: URL or path of the table, a File or Blob of the browser, or a data source such as
            `tf.data.FileDataSource`. A string without a scheme is a path if Python's file system
            has such a file, and otherwise a URL that is relative to the page.
        column_configs: Dict from column names to dicts, which may have the keys `dtype`, `default`
            (value for an empty field), `required` (if True, an empty field is an error) and
            `is_label` (if True, the column is a label). Default: infer the dtypes, and read an
            empty field as 0 or an empty string.
        has_header: If True (default), the first record contains the column names and is skipped.
        column_names: Names of the columns. Default: the names in the first record.
        configured_columns_only: If True, skip columns that are not in `column_configs`.
        delimiter: Character between fields.

    Returns:
        An awaitable that resolves to a `tf.data.CSVDataset`. Its elements are dicts from column
        names to tensors. If there are labels, its elements are pairs of a dict of the other columns
        and a dict of the labels.

    Raises:
        ValueError: If there are no column names, if a name appears twice, if `column_configs`
            contains an unknown column or key, or if one of the first 1000 records has a different
            number of fields or is not UTF-8.
        tf.errors.OpError: If the file cannot be read.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> async def total():
        ...     table = await tf.data.csv_async(tf.data.FileDataSource(b"a,b\\n1,x\\n2,y"))
        ...     return sum([int(row["a"]) async for row in table])
        >>> asyncio.run(total())
        3

    See also: `tf.data.csv`.
    """
    found, written = source_of(source), dialect(delimiter, True)
    head = await _head(found, written, _INFERRED + 1)
    if has_header and not head:
        raise ValueError(f"csv: {found.name} is empty, so it has no column names.")
    names = _names(column_names or (head[0] if has_header else ()), found.name)
    table = CsvFile(found.name, names, has_header, delimiter)
    configs = column_configs or {}
    _check_configs(configs, table)
    rows = head[1:] if has_header else head
    for number, row in enumerate(rows, table.first):
        if problem := table.problem(row, number):
            raise ValueError(problem)
    taken = [i for i, n in enumerate(names) if n in configs or not configured_columns_only]
    inferred = inferred_defaults(iter(rows), taken, "")
    defaults = [
        _default(names[i], configs.get(names[i], {}), d)
        for i, d in zip(taken, inferred, strict=True)
    ]
    undecided = {name for name in names if "dtype" not in configs.get(name, {})}
    records = TableRecords(table, found, defaults, taken, undecided)
    labels = [names[i] for i in taken if configs.get(names[i], {}).get("is_label")]
    return CSVDataset(records, [names[i] for i in taken], labels)


def _names(given: Sequence[str], file: str) -> list[str]:
    """Return the names of the columns.

    Raises:
        ValueError: If there are none, if two are equal, or if one is not UTF-8.
    """
    names = list(given)
    if not names:
        raise ValueError("csv: pass column_names or has_header=True.")
    if len(set(names)) != len(names):
        raise ValueError(f"csv: {file} has duplicate column names: {names}.")
    for name in names:
        if not is_utf8(name):
            raise ValueError(f"csv: the name of a column of {file} {not_utf8(name)}")
    return names


def _check_configs(configs: Mapping[str, Mapping[str, Any]], table: CsvFile) -> None:
    """Check the configurations of columns.

    Raises:
        ValueError: If a column or a key of a configuration does not exist.
    """
    if unknown := set(configs) - set(table.names):
        raise ValueError(
            f"csv: column_configs names the columns {sorted(unknown)}, but {table.file} has "
            f"{table.names}.{table.hint()}"
        )
    for column, config in configs.items():
        for key in set(config) - set(_KEYS):
            meant = " Write 'is_label' instead of 'isLabel'." if key == "isLabel" else ""
            raise ValueError(
                f"csv: the configuration of the column {column!r} has the key {key!r}, but the "
                f"keys are {', '.join(map(repr, _KEYS))}.{meant}"
            )


async def _head(source: DataSource, written: dict[str, Any], count: int) -> list[list[str]]:
    """Return the first `count` records, or fewer if the file ends."""
    run = AwaitedRun()
    pieces = source.pieces()
    rows = rows_of(run.arriving(pieces), written, encoding=ENCODING)
    found: list[list[str]] = []
    async with contextlib.aclosing(pieces):
        with contextlib.suppress(StopAsyncIteration):
            while len(found) < count:
                found.append(await run.next(rows))
    return found


def _default(column: str, config: Mapping[str, Any], inferred: Any) -> Any:
    """Return the dtype of a required column, or the default for a missing value.

    Raises:
        TypeError: If the default does not have the dtype of the column.
    """
    dtype = as_dtype(config.get("dtype", inferred.dtype))
    if config.get("required"):
        return dtype
    if "default" in config:
        try:
            return convert_to_tensor([config["default"]], dtype)
        except TypeError:
            raise TypeError(
                f"csv: the column {column!r} has dtype {dtype.name}, which its default "
                f"{config['default']!r} does not have. Pass another default, or set the dtype of "
                "the column with the key 'dtype'."
            ) from None
    return convert_to_tensor(["" if dtype == dtypes.string else 0], dtype)
