"""`tf.data.experimental.make_csv_dataset`: batches of named columns."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Generator, Sequence
from itertools import islice
from typing import Any

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.typing import IntLike
from tfpy._src.data import nesting
from tfpy._src.data.csv import Records, dialect, inferred_defaults, rows_of
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.files import matching
from tfpy._src.data.pieces import compression_of, most_held, pieces_of
from tfpy._src.data.run import DatasetRun


def make_csv_dataset(
    file_pattern: str | Sequence[str],
    batch_size: IntLike,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[str | int] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: IntLike | None = None,
    prefetch_buffer_size: IntLike | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> DatasetV2:
    """Make a dataset of batches of CSV records, as dicts from column names to tensors.

    Args:
        file_pattern: Glob pattern such as `"data/*.csv"`, or a list of patterns.
        batch_size: Number of records in a batch. The last batch may be smaller, unless `num_epochs`
            is None.
        column_names: Names of all columns of the files. Default: the names in the first line.
        column_defaults: List with an item for each column that is read. A dtype means that a value
            is required. Any other item is the value for empty fields, and determines the dtype.
            Default: infer the dtypes from the first `num_rows_for_inference` records, and read an
            empty field as 0 or an empty string.
        label_name: Name of the column that contains the labels. Default: no labels.
        select_columns: Names or indices of the columns to read. Default: all columns.
        field_delim: Character between fields.
        use_quote_delim: If True, fields may be enclosed in double quotation marks. If False, these
            are ordinary characters.
        na_value: String that is treated like an empty field.
        header: If True, the first line of each file contains the names.
        num_epochs: Number of times that the files are read. Default: they are repeated without end.
        shuffle: If True (default), shuffle the files and the records.
        shuffle_buffer_size: Number of records in the buffer from which records are drawn.
        shuffle_seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the results differ between runs unless
            `tf.random.set_seed` was called.
        prefetch_buffer_size: Has no effect.
        num_parallel_reads: Number of files that are read in turn, one record from each. Default: 1.
        sloppy: Has no effect.
        num_rows_for_inference: Number of records from which dtypes are inferred. None reads all
            records.
        compression_type: `"GZIP"`, `"ZLIB"`, or `""` (default) for files without compression.
        ignore_errors: If True, skip malformed records.
        encoding: Has no effect. Files are read as UTF-8.

    Returns:
        A `tf.data.Dataset`. Its elements are dicts from column names to tensors of shape
        `[batch_size]`. If `label_name` is given, its elements are pairs of a dict of the other
        columns and a tensor of the labels.

    Raises:
        ValueError: If no file matches `file_pattern`, if a column name is unknown or appears twice,
            or if the length of `column_defaults` is not the number of columns that are read.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("flowers.csv", "length,kind\\n5.1,0\\n4.9,1\\n")
        >>> flowers = tf.data.experimental.make_csv_dataset(
        ...     "flowers.csv", batch_size=2, label_name="kind", num_epochs=1, shuffle=False
        ... )
        >>> features, kinds = next(iter(flowers))
        >>> features["length"].numpy(), kinds.numpy().tolist()
        (array([5.1, 4.9], dtype=float32), [0, 1])

    See also: `tf.data.experimental.CsvDataset`, `tf.data.csv`.
    """
    try:
        names = sorted(matching(file_pattern))
    except InvalidArgumentError as error:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.") from error
    texts = [name.decode() for name in names]
    written = dialect(field_delim, use_quote_delim)
    compression = compression_of(compression_type)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = _names_in(texts, compression, written)
    columns = [str(name) for name in column_names]
    if len(set(columns)) != len(columns):
        twice = {name for name in columns if columns.count(name) > 1}
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{twice}."
        )
    selected = None if select_columns is None else _numbers(select_columns, columns)
    taken = range(len(columns)) if selected is None else selected
    if column_defaults is None:
        with contextlib.closing(_rows(texts, compression, written, header, len(columns))) as rows:
            first = islice(rows, num_rows_for_inference)
            column_defaults = inferred_defaults(first, taken, na_value)
    if len(column_defaults) != len(taken):
        raise ValueError(
            "If specified, `column_defaults` and `select_columns` must have the same length: "
            f"`column_defaults` has length {len(column_defaults)}, `select_columns` has length "
            f"{len(taken)}."
        )
    columns = [columns[i] for i in taken]
    if label_name is not None and label_name not in columns:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {columns}. Received: {label_name}."
        )

    def records(name: Any) -> Any:
        found = DatasetV2(
            Records(
                name,
                column_defaults,
                compression_type,
                header,
                field_delim,
                use_quote_delim,
                na_value,
                selected,
            )
        )
        return found.ignore_errors() if ignore_errors else found

    def by_name(*values: Any) -> Any:
        found = OrderedDict(zip(columns, values, strict=True))
        if label_name is None:
            return found
        label = found.pop(label_name)
        return found, label

    files = DatasetV2.from_tensor_slices(names)
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    cycle = 1 if num_parallel_reads is None or num_parallel_reads < 1 else num_parallel_reads
    dataset = DatasetV2(nesting.Interleave(files._node, records, cycle, 1))
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    return dataset.batch(batch_size, drop_remainder=num_epochs is None).map(by_name).prefetch(1)


def _names_in(texts: list[str], compression: str, written: dict[str, Any]) -> list[str]:
    """Return the names in the first line, which must be the same in all files."""
    found: list[str] | None = None
    for name in texts:
        pieces = pieces_of(DatasetRun(), name, compression)
        first = next(rows_of(pieces, written, most_held(compression)), None)
        if first is None:
            raise ValueError(f"Failed when reading the header line of {name}. Is it an empty file?")
        if found is not None and first != found:
            raise ValueError(
                f"All input CSV files should have the same column names in the header row. File "
                f"{name} has different column names."
            )
        found = first
    assert found is not None
    return found


def _rows(
    texts: list[str], compression: str, written: dict[str, Any], header: bool, count: int
) -> Generator[list[str]]:
    """Yield the records of all files.

    Raises:
        ValueError: If a record has a different number of fields.
    """
    for name in texts:
        rows = rows_of(pieces_of(DatasetRun(), name, compression), written, most_held(compression))
        for row in islice(rows, int(header), None):
            if len(row) != count:
                raise ValueError(
                    f"Problem inferring types: CSV row {row} has {len(row)} number of fields. "
                    f"Expected: {count}."
                )
            yield row


def _numbers(selected: Any, columns: list[str]) -> list[int]:
    """Return the sorted indices of columns.

    Raises:
        ValueError: If a column does not exist or occurs twice.
    """
    found = []
    for column in selected:
        number = columns.index(column) if column in columns else column
        if not isinstance(number, int) or not 0 <= number < len(columns):
            raise ValueError(
                "`select_columns` must be a list of column names or numbers, got "
                f"{column!r}; the columns are {columns}."
            )
        found.append(number)
    if len(set(found)) != len(found):
        raise ValueError(f"`select_columns` contains duplicate columns: {selected}.")
    return sorted(found)
