"""Initializers of lookup tables: pairs of tensors, or the lines of a file."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any, BinaryIO

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import FailedPreconditionError, NotFoundError, invalid, invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike

_numbers = itertools.count()


class TableInitializerBase:
    """A base class of initializers, which fill lookup tables.

    Args:
        key_dtype: Dtype of the table's keys.
        value_dtype: Dtype of the table's values.
    """

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """Dtype of the table's keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """Dtype of the table's values."""
        return self._value_dtype

    def initialize(self, table: Any) -> None:
        """Fill a table.

        Args:
            table: Table to fill.

        Raises:
            NotImplementedError: If a subclass does not define this method.
        """
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializerBase):
    """An initializer that fills a lookup table with keys and values from two tensors.

    Args:
        keys: Tensor of keys with an integer dtype or the dtype string.
        values: Tensor of values with the shape of `keys`.
        key_dtype: Dtype of the keys. Default: the dtype of `keys`.
        value_dtype: Dtype of the values. Default: the dtype of `values`.

    Example:
        >>> import tfpy as tf
        >>> pairs = tf.lookup.KeyValueTensorInitializer(["cat", "dog"], [1, 2])
        >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)
        >>> table.lookup(tf.constant(["dog", "cow"])).numpy().tolist()
        [2, -1]

    See also: `tf.lookup.StaticHashTable`, `tf.lookup.TextFileInitializer`.
    """

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        with tracing.init_scope():
            self._keys = convert_to_tensor(keys, key_dtype)
            self._values = convert_to_tensor(values, value_dtype)
        self._name = f"{name or 'key_value_init'}{next(_numbers)}"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> None:
        """Fill a table with entries. A table calls this method when it is created.

        Args:
            table: Table to fill.

        Raises:
            TypeError: If the dtypes differ from the table's dtypes.
            tf.errors.InvalidArgumentError: If keys and values have different shapes.
            tf.errors.FailedPreconditionError: If a key has two different values.

        Example:
            >>> import tfpy as tf
            >>> pairs = tf.lookup.KeyValueTensorInitializer(["cat"], [1])
            >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)  # calls initialize
            >>> pairs.initialize(table)  # again: the same pairs are allowed
            >>> int(table.size())
            1
        """
        check_dtypes(table, self._keys.dtype, self._values.dtype)
        if self._keys.shape != self._values.shape:
            raise invalid(
                "lookup",
                f"Expected shape {list(self._keys.shape)} for value, got "
                f"{list(self._values.shape)}",
            )
        keys, values = self._keys.host_view(), self._values.host_view()
        table.fill(zip(keys.reshape(-1).tolist(), values.reshape(-1).tolist(), strict=True))


class TextFileIndex:
    r"""Special column indices of `tf.lookup.TextFileInitializer`.

    Attributes:
        WHOLE_LINE: Use the whole line, with the dtype string or an integer dtype.
        LINE_NUMBER: Use the number of the line, counted from 0, with the dtype int64.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("words.txt", "cat\ndog\n")
        >>> line, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        >>> words = tf.lookup.TextFileInitializer("words.txt", tf.string, line, tf.int64, number)
        >>> table = tf.lookup.StaticHashTable(words, default_value=-1)
        >>> table.lookup(tf.constant(["dog", "cow"])).numpy().tolist()
        [1, -1]

    See also: `tf.lookup.TextFileInitializer`.
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    r"""An initializer that fills a lookup table with an entry for each line of a text file.

    Args:
        filename: Path of the file, as a string or a scalar string tensor.
        key_dtype: Dtype of the keys.
        key_index: Index of the column that holds the keys, counted from 0, or one of
            `tf.lookup.TextFileIndex.WHOLE_LINE` and `tf.lookup.TextFileIndex.LINE_NUMBER`.
        value_dtype: Dtype of the values.
        value_index: Index of the column that holds the values, or one of the same constants.
        vocab_size: Number of lines to read. The file must have at least as many lines. Default: all
            lines.
        delimiter: String between columns. Default: a tab.
        value_index_offset: Number that is added to the values if `value_index` is `LINE_NUMBER`.
            Default: 0.

    Raises:
        ValueError: If an index is below -2 or does not support its dtype, `filename` is empty, or
            `vocab_size` is not positive.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("pairs.txt", "cat:7\ndog:8\n")
        >>> columns = tf.string, 0, tf.int64, 1
        >>> pairs = tf.lookup.TextFileInitializer("pairs.txt", *columns, delimiter=":")
        >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)
        >>> table.lookup(tf.constant(["dog"])).numpy().tolist()
        [8]

    See also: `tf.lookup.KeyValueTensorInitializer`, `tf.lookup.TextFileIndex`.
    """

    def __init__(
        self,
        filename: str | PathLike[str] | Tensor,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_index("key", key_index, self.key_dtype)
        _check_index("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._path = filename.numpy().decode() if isinstance(filename, Tensor) else str(filename)
        self._key_index, self._value_index = key_index, value_index
        self._count = vocab_size
        self._delimiter = delimiter
        self._offset = value_index_offset

    def initialize(self, table: Any) -> None:
        """Fill a table with the entries of the file. A table calls this method when it is created.

        Args:
            table: Table to fill.

        Raises:
            TypeError: If the dtypes differ from the table's dtypes.
            tf.errors.NotFoundError: If the file does not exist.
            tf.errors.InvalidArgumentError: If a line does not have the required column, a number
                cannot be parsed, or the file has fewer lines than `vocab_size`.
            tf.errors.FailedPreconditionError: If a key has two different values.

        Example:
            >>> import tfpy as tf
            >>> tf.io.write_file("one.txt", "cat\\t7")
            >>> pairs = tf.lookup.TextFileInitializer("one.txt", tf.string, 0, tf.int64, 1)
            >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)  # calls initialize
            >>> int(table.size())
            1
        """
        check_dtypes(table, self.key_dtype, self.value_dtype)
        table.fill(self._entries(table.name))

    def _entries(self, table: str | None) -> Iterator[tuple[Any, Any]]:
        """Yield the key and the value of each line."""
        key = self._part(self._key_index, self.key_dtype)
        value = self._part(self._value_index, self.value_dtype)
        offset = self._offset if self._value_index == TextFileIndex.LINE_NUMBER else 0
        count = 0
        for count, line in enumerate(self._lines(), 1):
            if self._count is not None and count > self._count:
                return
            found = value(count - 1, line)
            yield key(count - 1, line), found + offset if offset else found
        if self._count is not None and count < self._count:
            raise invalid_value(
                "lookup",
                f"Invalid vocab_size in {self._path}: expected {self._count} but got {count}",
            )

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines without their ends."""
        try:
            with self._opened() as file:
                for line in file:
                    yield line.removesuffix(b"\n").removesuffix(b"\r")
        except FileNotFoundError:
            raise NotFoundError(
                None, "lookup", f"{self._path}; No such file or directory"
            ) from None

    def _opened(self) -> BinaryIO:
        """Open the file."""
        return open(self._path, "rb")

    def _part(self, index: int, dtype: DType) -> Callable[[int, bytes], Any]:
        """Return a function from the number and the bytes of a line to the key or the value."""
        if index == TextFileIndex.LINE_NUMBER:
            return lambda number, line: number
        read = _READ[_kind(dtype)]
        if index == TextFileIndex.WHOLE_LINE:
            return lambda number, line: read(line)
        mark = self._delimiter.encode()

        def column(number: int, line: bytes) -> Any:
            columns = line.split(mark)
            if index >= len(columns):
                raise invalid_value(
                    "lookup",
                    f"Invalid number of columns in {self._path} line {number} "
                    f"({line.decode(errors='replace')}): expected more than {index} got "
                    f"{len(columns)}",
                )
            return read(columns[index])

        return column


class BytesInitializer(TextFileInitializer):
    """A `TextFileInitializer` that reads bytes instead of a file.

    Args:
        data: Bytes to read.
        *others: Arguments of `TextFileInitializer`. The filename is only used in errors.
    """

    def __init__(self, data: bytes, *others: Any) -> None:
        super().__init__(*others)
        self._data = data

    def _opened(self) -> BinaryIO:
        return io.BytesIO(self._data)


def _kind(dtype: DType) -> type:
    """Return the Python type of the items of a dtype."""
    return bytes if dtype == dtypes.string else int if dtype.is_integer else float


def _number(kind: type) -> Callable[[bytes], Any]:
    """Return a function that parses a number."""

    def read(text: bytes) -> Any:
        try:
            return kind(text)
        except ValueError:
            shown = text.decode(errors="replace")
            raise invalid_value("lookup", f"Field {shown} is not a valid number.") from None

    return read


_READ: dict[type, Callable[[bytes], Any]] = {
    bytes: bytes,
    int: _number(int),
    float: _number(float),
}


def _check_index(what: str, index: int, dtype: DType) -> None:
    """Raise ValueError if an index is not valid or does not match its dtype."""
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
        raise ValueError(
            f"`{what}_dtype` must be int64 if `{what}_index` is {index}, received: {dtype}"
        )
    if index == TextFileIndex.WHOLE_LINE and not (dtype.is_integer or dtype == dtypes.string):
        raise ValueError(
            f"`{what}_dtype` should be either integer or string for `{what}_index` {index}, "
            f"received: {dtype}"
        )


def check_dtypes(table: Any, key_dtype: DType, value_dtype: DType) -> None:
    """Raise TypeError if the dtypes differ from the table's dtypes."""
    if key_dtype != table.key_dtype:
        raise TypeError(
            f"Invalid key dtype for table, expected {table.key_dtype} but got {key_dtype}."
        )
    if value_dtype != table.value_dtype:
        raise TypeError(
            f"Invalid value dtype for table, expected {table.value_dtype} but got {value_dtype}."
        )


def has_two_values(key: Any, first: Any, second: Any) -> FailedPreconditionError:
    """Return the error for a key with two different values."""
    return FailedPreconditionError(
        None,
        "lookup",
        f"HashTable has different value for same key. Key {key} has {first} and trying to add "
        f"value {second}",
    )
