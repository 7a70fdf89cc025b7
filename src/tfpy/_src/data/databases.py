"""`tf.data.experimental`: datasets from databases, and datasets as other objects."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import quote

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import InvalidArgumentError, UnimplementedError, UnknownError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.byte_strings import as_str
from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, Nest, TensorLike
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.specs import DatasetSpec
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.lookup.initializers import TableInitializerBase, check_dtypes

_KINDS = (
    *(dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8),
    *(dtypes.uint16, dtypes.bool, dtypes.float64),
)
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class SqlDatasetV2(DatasetV2):
    """A dataset of the rows that a query of a database returns, with a component for each column.

    Pages need the package `sqlite3` of Pyodide: `await pyodide.loadPackage("sqlite3")`.

    Args:
        driver_name: `"sqlite"`, the only supported database.
        data_source_name: Path of the file with the database.
        query: SQL query.
        output_types: Tuple with the dtype of each column: string, bool, float64 or an integer.

    Raises:
        tf.errors.InvalidArgumentError: If the database or a dtype is not supported. While
            iterating, if the number of columns does not match `output_types`.
        tf.errors.UnknownError: If the query fails; raised while iterating.

    Example:
        >>> import sqlite3
        >>> import tfpy as tf
        >>> with sqlite3.connect("cities.db") as database:
        ...     _ = database.execute("create table cities (name text, size integer)")
        ...     _ = database.execute("insert into cities values ('Ulm', 128)")
        >>> query = "select name, size from cities"
        >>> types = tf.string, tf.int32
        >>> rows = tf.data.experimental.SqlDataset("sqlite", "cities.db", query, types)
        >>> [(name.numpy(), size.numpy().item()) for name, size in rows]
        [(b'Ulm', 128)]

    See also: `tf.data.experimental.CsvDataset`.
    """

    def __init__(
        self,
        driver_name: TensorLike,
        data_source_name: TensorLike,
        query: TensorLike,
        output_types: Sequence[DTypeLike],
    ) -> None:
        driver, path, text = map(_text, (driver_name, data_source_name, query))
        if driver != "sqlite":
            raise InvalidArgumentError(
                None,
                "SqlDataset",
                f"The database type, {driver}, is not supported by SqlDataset. The set of "
                "supported databases is: {'sqlite'}.",
            )
        kinds = [as_dtype(kind) for kind in output_types]
        if any(kind not in _KINDS for kind in kinds):
            allowed = ", ".join(kind.name for kind in _KINDS)
            raise InvalidArgumentError(
                None, "SqlDataset", f"Each element of `output_types_` must be one of: {allowed}"
            )
        super().__init__(_Query(path, text, kinds))


SqlDataset = SqlDatasetV2


class _Query(DatasetNode):
    """The rows of a query."""

    name = "SqlDatasetV2"

    def __init__(self, path: str, query: str, kinds: Sequence[DType]) -> None:
        super().__init__()
        self._path, self._query, self._kinds = path, query, kinds

    @cached_property
    def spec(self) -> Any:
        return tuple(TensorSpec([], kind) for kind in self._kinds)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        sqlite: Any = _sqlite()
        try:
            database = sqlite.connect(f"file:{quote(self._path)}?mode=ro", uri=True)
        except sqlite.Error as error:
            raise InvalidArgumentError(None, "SqlDataset", f"{self._path}: {error}") from None
        try:
            cursor = database.execute(self._query)
            columns = len(cursor.description or ())
            if columns != len(self._kinds):
                raise InvalidArgumentError(
                    None,
                    "SqlDataset",
                    f"The number of columns in query ({columns}) must match the number of elements "
                    f"in output_types ({len(self._kinds)}).",
                )
            for row in cursor:
                yield tuple(map(_value, row, self._kinds))
        except sqlite.Error as error:
            raise UnknownError(None, "SqlDataset", f"{error}: {self._query}") from None
        finally:
            database.close()


def _sqlite() -> object:
    try:
        return importlib.import_module("sqlite3")
    except ImportError:
        raise UnimplementedError(
            None,
            "SqlDataset",
            "This Python does not have the module sqlite3. In a page, run "
            '`await pyodide.loadPackage("sqlite3")` first.',
        ) from None


def _value(value: Any, kind: DType) -> Array:
    """Convert a value of a database, with SQLite's rules for other types."""
    if kind == dtypes.string:
        text = b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
        found = np.empty((), object)
        found[()] = text
        return found
    if isinstance(value, str | bytes):
        start = _NUMBER.match(as_str(value))
        value = float(start[0]) if start else 0
    number = value or 0
    if not kind.is_floating:
        number = bool(int(number)) if kind == dtypes.bool else int(number)
        return np.array(number).astype(kind.as_numpy_dtype)
    return np.array(number, kind.as_numpy_dtype)


def _text(value: TensorLike) -> str:
    return as_str(host_values(convert_to_tensor(value, dtypes.string)).item())


class DatasetInitializer(TableInitializerBase):
    """An initializer that fills a lookup table with the pairs of a dataset.

    Args:
        dataset: A `tf.data.Dataset` of pairs of a key and a value, which are scalars.

    Raises:
        ValueError: If the elements of the dataset are not pairs of scalars.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.from_tensor_slices((["a", "b"], [5, 6]))
        >>> pairs = tf.data.experimental.DatasetInitializer(data)
        >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)
        >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
        [6, -1]

    See also: `tf.lookup.KeyValueTensorInitializer`, `tf.data.experimental.table_from_dataset`.
    """

    def __init__(self, dataset: DatasetV2) -> None:
        spec: Any = dataset.element_spec
        if len(spec) != 2:
            raise ValueError(f"Expected a dataset of pairs, got elements of {spec}")
        for part in spec:
            if part.shape != TensorShape([]):
                raise ValueError(f"Expected a dataset of pairs of scalars, got elements of {spec}")
        self._dataset = dataset
        super().__init__(spec[0].dtype, spec[1].dtype)

    def initialize(self, table: Any) -> None:
        """Fill a table with the pairs. A table calls this method when it is created.

        Args:
            table: Table to fill.

        Raises:
            TypeError: If the dtypes differ from the table's dtypes.
            tf.errors.FailedPreconditionError: If a key has two different values.
        """
        check_dtypes(table, self.key_dtype, self.value_dtype)
        table.fill((host_values(k).item(), host_values(v).item()) for k, v in self._dataset)


class DatasetVariant:
    """A dataset as a scalar of dtype variant, which `to_variant` returns."""

    dtype = dtypes.variant
    shape = TensorShape([])

    def __init__(self, dataset: DatasetV2) -> None:
        self.dataset = dataset


def to_variant(dataset: DatasetV2) -> DatasetVariant:
    """Return a scalar that holds a dataset.

    Args:
        dataset: A `tf.data.Dataset`.

    Returns:
        Object with the shape `[]` and the dtype variant.

    Example:
        >>> import tfpy as tf
        >>> variant = tf.data.experimental.to_variant(tf.data.Dataset.range(3))
        >>> spec = tf.TensorSpec([], tf.int64)
        >>> dataset = tf.data.experimental.from_variant(variant, spec)
        >>> [int(x) for x in dataset]
        [0, 1, 2]

    See also: `tf.data.experimental.from_variant`.
    """
    return DatasetVariant(dataset)


def from_variant(variant: DatasetVariant, structure: Nest) -> DatasetV2:
    """Return the dataset that a scalar holds.

    Args:
        variant: Result of `tf.data.experimental.to_variant`.
        structure: The `tf.TypeSpec` of an element, or a nested structure of them.

    Returns:
        A `tf.data.Dataset`.

    Raises:
        ValueError: If the elements of the dataset do not match `structure`.

    Example:
        >>> import tfpy as tf
        >>> variant = tf.data.experimental.to_variant(tf.data.Dataset.range(2))
        >>> len(tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.int64)))
        2

    See also: `tf.data.experimental.to_variant`.
    """
    if not DatasetSpec(structure).is_compatible_with(variant.dataset):
        raise ValueError(
            f"The dataset has elements of {variant.dataset.element_spec}, not of {structure}."
        )
    return variant.dataset
