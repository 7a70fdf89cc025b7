"""``tf.data.csv``: TensorFlow.js's dataset of a table that comes from an address or a file."""

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
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.mapping import Map
from tfpy._src.data.run import AwaitedRun
from tfpy._src.library.io.streams import DataSource, source_of

_INFERRED = 100
"""How many records are looked at for the columns' dtypes."""


class CSVDataset(DatasetV2):
    """The records of a table as mappings from columns' names to values; see :func:`csv`.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> async def columns():
        ...     table = tf.data.csv(tf.data.FileDataSource(b"length,kind\\n5.1,0\\n4.9,1"))
        ...     return isinstance(table, tf.data.CSVDataset), table.column_names
        >>> asyncio.run(columns())
        (True, ['length', 'kind'])
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
    source: Any,
    column_configs: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    has_header: bool = True,
    column_names: Sequence[str] | None = None,
    configured_columns_only: bool = False,
    delimiter: str = ",",
) -> CSVDataset:
    """The records of a table, a dataset to be iterated over with ``async for``.

    The names of columns and their dtypes (int32, float32, else string) are those of the first
    records, which are read first.

    Args:
        source: an address, a File or Blob of the browser, or a data source.
        column_configs: for some columns a mapping of ``dtype``; ``default``, what stands for a
            missing value; ``required``, that no value may be missing; ``is_label``: elements are
            pairs of mappings then, of the other columns and of labels.
        has_header: whether the first record has the names.
        column_names: in place of those in the file.
        configured_columns_only: leaves out columns that are not in ``column_configs``.

    Raises:
        ValueError: when names are not known, come twice or do not fit the records.
        OpError: when the file cannot be read.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> table = tf.data.csv(tf.data.FileDataSource(b"a,b\\n1,x\\n2,y"))
        >>> async def total():
        ...     return sum([int(row["a"]) async for row in table])
        >>> asyncio.run(total())
        3
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
    source: Any,
    column_configs: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    has_header: bool = True,
    column_names: Sequence[str] | None = None,
    configured_columns_only: bool = False,
    delimiter: str = ",",
) -> CSVDataset:
    """Await what :func:`csv` returns.

    Args and errors are those of :func:`csv`.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> async def total():
        ...     table = await tf.data.csv_async(tf.data.FileDataSource(b"a,b\\n1,x\\n2,y"))
        ...     return sum([int(row["a"]) async for row in table])
        >>> asyncio.run(total())
        3
    """
    found, written = source_of(source), dialect(delimiter, True)
    head = await _head(found, written, _INFERRED + 1)
    if has_header and not head:
        raise ValueError(f"csv: {found.name} is empty: it has no names of columns")
    names = list(column_names or (head[0] if has_header else ()))
    if not names:
        raise ValueError("csv: give column_names, or has_header=True")
    if len(set(names)) != len(names):
        raise ValueError(f"csv: columns of {found.name} have the same name: {names}")
    configs = column_configs or {}
    if unknown := set(configs) - set(names):
        raise ValueError(f"csv: {found.name} has no columns {sorted(unknown)}, but {names}")
    rows = head[1:] if has_header else head
    for row in rows:
        if len(row) != len(names):
            raise ValueError(f"csv: {found.name} has {len(names)} columns, but a record is {row}")
    taken = [i for i, n in enumerate(names) if n in configs or not configured_columns_only]
    inferred = inferred_defaults(iter(rows), taken, "")
    defaults = [
        _default(configs.get(names[i], {}), d) for i, d in zip(taken, inferred, strict=True)
    ]
    records = Records(found, defaults, None, has_header, delimiter, True, "", taken)
    labels = [names[i] for i in taken if configs.get(names[i], {}).get("is_label")]
    return CSVDataset(records, [names[i] for i in taken], labels)


async def _head(source: DataSource, written: dict[str, Any], count: int) -> list[list[str]]:
    """The first records, as many as there are."""
    run = AwaitedRun()
    pieces = source.pieces()
    rows = rows_of(run.arriving(pieces), written)
    found: list[list[str]] = []
    async with contextlib.aclosing(pieces):
        with contextlib.suppress(StopAsyncIteration):
            while len(found) < count:
                found.append(await run.next(rows))
    return found


def _default(config: Mapping[str, Any], inferred: Any) -> Any:
    """A dtype for a column that is required; else the value in place of a missing one."""
    dtype = as_dtype(config.get("dtype", inferred.dtype))
    if config.get("required"):
        return dtype
    if "default" in config:
        return convert_to_tensor([config["default"]], dtype)
    return convert_to_tensor(["" if dtype == dtypes.string else 0], dtype)
