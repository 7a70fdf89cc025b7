"""What a table holds when it is made: pairs of tensors, or the lines of a file."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import FailedPreconditionError, NotFoundError, invalid, invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor

_numbers = itertools.count()


class TableInitializerBase:
    """Fills a table: a base class.

    Args:
        key_dtype, value_dtype: of the table.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the table's keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the table's values."""
        return self._value_dtype

    def initialize(self, table: Any) -> None:
        """Fills the table.

        Raises:
            NotImplementedError: by the base class.
        """
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with given keys and values (``tf.lookup.KeyValueTensorInitializer``).

    Args:
        keys, values: of one shape.
        key_dtype, value_dtype: the dtypes of Python values.

    Example:
        >>> import tfpy as tf
        >>> pairs = tf.lookup.KeyValueTensorInitializer(["cat", "dog"], [1, 2])
        >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)
        >>> table.lookup(tf.constant(["dog", "cow"])).numpy().tolist()
        [2, -1]
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        with tracing.init_scope():
            self._keys = convert_to_tensor(keys, key_dtype)
            self._values = convert_to_tensor(values, value_dtype)
        self._name = f"{name or 'key_value_init'}{next(_numbers)}"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> None:
        """Fills the table.

        Raises:
            TypeError: when the dtypes are not the table's.
            InvalidArgumentError: when there are not as many values as keys, or a key has two.
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
    """What of a line is a key or a value (``tf.lookup.TextFileIndex``), where it is no column.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("words.txt", "cat\\ndog\\n")
        >>> line, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        >>> words = tf.lookup.TextFileInitializer("words.txt", tf.string, line, tf.int64, number)
        >>> table = tf.lookup.StaticHashTable(words, default_value=-1)
        >>> table.lookup(tf.constant(["dog", "cow"])).numpy().tolist()
        [1, -1]
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """Fills a table with an entry for each line of a file (``tf.lookup.TextFileInitializer``).

    Args:
        filename: the file's path.
        key_index, value_index: ``TextFileIndex.WHOLE_LINE``, ``TextFileIndex.LINE_NUMBER``, or the
            number of a column.
        vocab_size: how many lines are read; all of them by default, and the file must have as many.
        delimiter: one character, between columns.
        value_index_offset: is added to line numbers that are values.

    Raises:
        ValueError: when an index does not go with its dtype, or is below -2; without a file's name;
            for a size that is not positive.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("pairs.txt", "cat:7\\ndog:8\\n")
        >>> columns = tf.string, 0, tf.int64, 1
        >>> pairs = tf.lookup.TextFileInitializer("pairs.txt", *columns, delimiter=":")
        >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)
        >>> table.lookup(tf.constant(["dog"])).numpy().tolist()
        [8]
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
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
        """Fills the table from the file.

        Raises:
            TypeError: when the dtypes are not the table's.
            NotFoundError: when there is no such file.
            InvalidArgumentError: when a line lacks a column or holds no number where one belongs,
                when the file has fewer lines than ``vocab_size``, when a key has two values.
        """
        check_dtypes(table, self.key_dtype, self.value_dtype)
        table.fill(self._entries(table.name))

    def _entries(self, table: str | None) -> Iterator[tuple[Any, Any]]:
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
        try:
            with self._opened() as file:
                for line in file:
                    yield line.removesuffix(b"\n").removesuffix(b"\r")
        except FileNotFoundError:
            raise NotFoundError(
                None, "lookup", f"{self._path}; No such file or directory"
            ) from None

    def _opened(self) -> BinaryIO:
        return open(self._path, "rb")

    def _part(self, index: int, dtype: DType) -> Callable[[int, bytes], Any]:
        """(number, line) -> the key or value."""
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
    """A :class:`TextFileInitializer` that reads bytes in place of the file.

    Args:
        data: The bytes.
        *others: The arguments of :class:`TextFileInitializer`; the file's name is for errors.
    """

    def __init__(self, data: bytes, *others: Any) -> None:
        super().__init__(*others)
        self._data = data

    def _opened(self) -> BinaryIO:
        return io.BytesIO(self._data)


def _kind(dtype: DType) -> type:
    return bytes if dtype == dtypes.string else int if dtype.is_integer else float


def _number(kind: type) -> Callable[[bytes], Any]:
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
    """Raises TypeError unless they are the table's."""
    if key_dtype != table.key_dtype:
        raise TypeError(
            f"Invalid key dtype for table, expected {table.key_dtype} but got {key_dtype}."
        )
    if value_dtype != table.value_dtype:
        raise TypeError(
            f"Invalid value dtype for table, expected {table.value_dtype} but got {value_dtype}."
        )


def has_two_values(key: Any, first: Any, second: Any) -> FailedPreconditionError:
    """The error of a key that comes with another value."""
    return FailedPreconditionError(
        None,
        "lookup",
        f"HashTable has different value for same key. Key {key} has {first} and trying to add "
        f"value {second}",
    )
