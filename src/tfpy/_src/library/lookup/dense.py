"""The mutable table with two unused keys."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.functions.control.effects import effect
from tfpy._src.library.lookup.entries import Entries
from tfpy._src.library.lookup.mutable import _Mutable


class DenseHashTable(_Mutable):
    """A mutable lookup table with two reserved keys.

    TensorFlow marks free and deleted entries with the reserved keys. In tfpy, this table works like
    `tf.lookup.experimental.MutableHashTable`, except that the two keys cannot be used and that each
    key may be a vector.

    Args:
        key_dtype: Dtype of the keys, an integer dtype or string.
        value_dtype: Dtype of the values.
        default_value: Value that is returned for keys that are not in the table. Its shape is the
            shape of one value.
        empty_key: First reserved key, a scalar or a vector. Its shape is the shape of one key.
        deleted_key: Second reserved key, with the shape of `empty_key`.
        initial_num_buckets: Has no effect.
        checkpoint: Has no effect.
        experimental_is_anonymous: Has no effect.

    Raises:
        tf.errors.InvalidArgumentError: If `empty_key` and `deleted_key` are equal or have different
            shapes.

    Example:
        >>> import tfpy as tf
        >>> table = tf.lookup.experimental.DenseHashTable(
        ...     tf.string, tf.int64, default_value=-1, empty_key="", deleted_key="$"
        ... )
        >>> table.insert(tf.constant(["cat"]), tf.constant([1], tf.int64))
        >>> table.lookup(tf.constant(["cat", "dog"])).numpy().tolist()
        [1, -1]

    See also: `tf.lookup.experimental.MutableHashTable`.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        kind = as_dtype(key_dtype)
        with tracing.init_scope():
            pair = [convert_to_tensor(k, kind) for k in (empty_key, deleted_key)]
        self._key_shape = tuple(pair[0].aval.shape)
        if pair[0].shape != pair[1].shape:
            raise invalid(
                "lookup",
                "Empty and deleted keys must have same shape, got shapes: "
                f"{list(pair[0].shape)} and {list(pair[1].shape)}",
            )
        names = [Entries.names(k.host_view(), k.ndim)[0] for k in pair]
        if names[0] == names[1]:
            raise invalid("lookup", "Empty and deleted keys cannot be equal")
        self._unused = dict(zip(names, ("empty_key", "deleted_key"), strict=True))
        super().__init__(key_dtype, value_dtype, default_value)

    def _checked_names(self, keys: Tensor) -> list[Any]:
        """Return the keys as Python values.

        Raises:
            InvalidArgumentError: If a key is the empty key or the deleted key.
        """
        names = super()._checked_names(keys)
        for key, what in self._unused.items():
            if key in names:
                raise invalid_value("lookup", f"Using the {what} as a table key is not allowed")
        return names

    def lookup(self, keys: TensorLike, name: str | None = None) -> Tensor:
        """Look up the values of keys.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`. If each key is a vector, the last
                axis holds one key.

        Returns:
            Tensor with one value for each key. Its shape is the shape of `keys` (without the last
            axis if each key is a vector), followed by the shape of one value.

        Raises:
            tf.errors.InvalidArgumentError: If a key is reserved.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, "", "$")
            >>> table.insert(["cat"], tf.constant([1], tf.int64))
            >>> table.lookup(["cat", "dog"]).numpy().tolist()
            [1, -1]
        """
        tensor = self._keys(keys)
        if not effect(self._checked_names, tensor):
            self._checked_names(tensor)
        return self._find(tensor)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> None:
        """Insert entries, or replace the values of existing keys.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`. If each key is a vector, the last
                axis holds one key.
            values: Tensor with one value for each key and the dtype `value_dtype`. Its shape is the
                shape of `keys` (without the last axis if each key is a vector), followed by the
                shape of one value.

        Raises:
            tf.errors.InvalidArgumentError: If the shapes are not compatible, or a key is reserved.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int32, -1, "", "$")
            >>> table.insert(["cat", "dog"], [1, 2])
            >>> table.lookup(["dog"]).numpy().tolist()
            [2]
        """
        self._insert(keys, values)

    def insert_or_assign(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> None:
        """Insert entries, or replace the values of existing keys.

        This method is the same as `insert`.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`. If each key is a vector, the last
                axis holds one key.
            values: Tensor with one value for each key and the dtype `value_dtype`. Its shape is the
                shape of `keys` (without the last axis if each key is a vector), followed by the
                shape of one value.

        Raises:
            tf.errors.InvalidArgumentError: If the shapes are not compatible, or a key is reserved.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int32, -1, "", "$")
            >>> table.insert_or_assign(["cat"], [1])
            >>> int(table.size())
            1
        """
        self._insert(keys, values)

    def remove(self, keys: Tensor, name: str | None = None) -> None:
        """Remove keys and their values. Keys that are not in the table are ignored.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`. If each key is a vector, the last
                axis holds one key.

        Raises:
            TypeError: If `keys` does not have the dtype `key_dtype`.
            tf.errors.InvalidArgumentError: If a key is reserved.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int32, -1, "", "$")
            >>> table.insert(["cat", "dog"], [1, 2])
            >>> table.remove(tf.constant(["cat"]))
            >>> int(table.size())
            1
        """
        self._remove(keys)

    def erase(self, keys: Tensor, name: str | None = None) -> None:
        """Remove keys and their values. This method is the same as `remove`.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`. If each key is a vector, the last
                axis holds one key.

        Raises:
            TypeError: If `keys` does not have the dtype `key_dtype`.
            tf.errors.InvalidArgumentError: If a key is reserved.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int32, -1, "", "$")
            >>> table.insert(["cat"], [1])
            >>> table.erase(tf.constant(["cat"]))
            >>> int(table.size())
            0
        """
        self._remove(keys)
