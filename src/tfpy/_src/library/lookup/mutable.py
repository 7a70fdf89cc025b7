"""Tables that programs can change."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.functions.control.effects import effect
from tfpy._src.library.lookup.entries import Entries
from tfpy._src.library.lookup.tables import LookupInterface, check_fits


class _Mutable(LookupInterface):
    """The common base of mutable tables: entries, and the rank of a key."""

    _key_shape: tuple[int, ...] = ()

    def __init__(
        self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        with tracing.init_scope():
            default = convert_to_tensor(default_value, self._value_dtype)
        self._default_value = default
        self._entries = Entries(self._key_dtype, default)

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of entries.

        Returns:
            Scalar int64 tensor (int32 unless the environment variable `TFPY_ENABLE_X64` is set).

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, -1)
            >>> table.insert(["a", "b"], [1, 2])
            >>> int(table.size())
            2
        """
        return self._entries.size()

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Return all keys and all values, in the order in which they were inserted.

        A `tf.function` that calls this method runs eagerly, without compilation, because the number
        of entries is not known in advance.

        Returns:
            A tuple of a tensor with the keys and a tensor of shape `[n, ...]` with the values. The
            keys have the shape `[n]`, or `[n, k]` if each key is a vector.

        Raises:
            tf.errors.NotTraceableError: If the calling function must be compiled, for example by
                `tf.export`.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, -1)
            >>> table.insert(["a", "b"], [1, 2])
            >>> keys, values = table.export()
            >>> keys.numpy().tolist(), values.numpy().tolist()
            ([b'a', b'b'], [1, 2])
        """
        return self._entries.export(self._key_shape)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Return the tensors that checkpoints save."""
        keys, values = self.export()
        return {"table-keys": keys, "table-values": values}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        """Replace the entries with the tensors of a checkpoint."""
        with tracing.init_scope():
            keys = convert_to_tensor(restored_tensors["table-keys"], self._key_dtype)
            values = convert_to_tensor(restored_tensors["table-values"], self._value_dtype)
            self._entries.pairs.clear()
            self._put(keys, values)

    def _find(self, keys: TensorLike, default: TensorLike | None = None) -> Tensor:
        """Look up the values of keys."""
        tensor = self._keys(keys)
        shape = tuple(tensor.aval.shape[: tensor.ndim - len(self._key_shape)])
        given = None
        if default is not None:
            given = convert_to_tensor(default, self._value_dtype)
            item = tuple(self._default_value.aval.shape)
            if tuple(given.aval.closed.shape) not in (item, (*shape, *item)):
                raise invalid(
                    "lookup",
                    f"Expected shape {list(item)} or {[*shape, *item]} for default value, got "
                    f"{list(given.shape)}",
                )
        return self._entries.find(tensor, shape, given)

    def _keys(self, keys: TensorLike) -> Tensor:
        """Convert keys to a tensor and check the shape of each key."""
        tensor = convert_to_tensor(keys, self._key_dtype)
        if self._key_shape and tuple(tensor.aval.shape[-1:]) != self._key_shape:
            raise invalid(
                "lookup",
                f"Expected key shape {list(self._key_shape)}, got keys {list(tensor.shape)}",
            )
        return tensor

    def _checked_names(self, keys: Tensor) -> list[Any]:
        """Return the keys as Python values."""
        return Entries.names(keys.host_view(), len(self._key_shape))

    def _insert(self, keys: TensorLike, values: TensorLike) -> None:
        """Insert entries now, or at each run of the traced function."""
        names, rows = self._keys(keys), convert_to_tensor(values, self._value_dtype)
        item = tuple(self._default_value.aval.shape)
        check_fits(names, len(self._key_shape), rows, item)
        if not effect(self._put, names, rows):
            self._put(names, rows)

    def _put(self, keys: Tensor, values: Tensor) -> None:
        """Insert entries."""
        names, array = self._checked_names(keys), values.host_view()
        if self._default_value.ndim:
            rows = list(np.array(array).reshape(len(names), *self._default_value.aval.shape))
        else:
            rows = array.reshape(-1).tolist()
        self._entries.pairs.update(zip(names, rows, strict=True))

    def _remove(self, keys: Any) -> None:
        """Remove entries now, or at each run of the traced function."""
        self._check_keys(keys)
        tensor = convert_to_tensor(keys)
        if not effect(self._take, tensor):
            self._take(tensor)

    def _take(self, keys: Tensor) -> None:
        """Remove entries."""
        for key in self._checked_names(keys):
            self._entries.pairs.pop(key, None)


class MutableHashTable(_Mutable):
    """A lookup table with entries that can be inserted, replaced and removed.

    Inside a `tf.function`, the table is read and changed at each call. The entries are stored in
    Python's memory, so looking up keys on a GPU backend waits until the keys have been computed and
    read back.

    Args:
        key_dtype: Dtype of the keys, an integer dtype or string.
        value_dtype: Dtype of the values.
        default_value: Value that is returned for keys that are not in the table. Its shape is the
            shape of one value.
        checkpoint: Has no effect.
        experimental_is_anonymous: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, -1)
        >>> table.insert(["a", "b"], [1, 2])
        >>> print(table.lookup(["b", "c"]).numpy())
        [ 2 -1]

    See also: `tf.lookup.StaticHashTable`, `tf.lookup.experimental.DenseHashTable`.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value)

    def lookup(  # type: ignore[override]
        self,
        keys: TensorLike,
        dynamic_default_values: TensorLike | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Look up the values of keys.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`.
            dynamic_default_values: Value that is returned for missing keys, or a tensor with such a
                value for each key. Default: the `default_value` of the table.

        Returns:
            Tensor with one value for each key. Its shape is the shape of `keys`, followed by the
            shape of one value.

        Raises:
            ValueError: If `keys` is a tensor that does not have the dtype `key_dtype`.
            tf.errors.InvalidArgumentError: If `dynamic_default_values` has neither the shape of one
                value nor the shape of the result.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, -1)
            >>> table.insert(["a"], [1])
            >>> table.lookup(["a", "b"], dynamic_default_values=0).numpy().tolist()
            [1, 0]
        """
        return self._find(keys, dynamic_default_values)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> None:
        """Insert entries, or replace the values of existing keys.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`.
            values: Tensor with one value for each key and the dtype `value_dtype`. Its shape is the
                shape of `keys`, followed by the shape of one value.

        Raises:
            ValueError: If `keys` or `values` is a tensor that does not have the dtype of the table.
            tf.errors.InvalidArgumentError: If the shapes are not compatible.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
            >>> table.insert([7], [[1.0, 2.0]])
            >>> table.lookup([7, 8]).numpy().tolist()
            [[1.0, 2.0], [0.0, 0.0]]
        """
        self._insert(keys, values)

    def remove(self, keys: Tensor, name: str | None = None) -> None:
        """Remove keys and their values. Keys that are not in the table are ignored.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`.

        Raises:
            TypeError: If `keys` does not have the dtype `key_dtype`.

        Example:
            >>> import tfpy as tf
            >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, -1)
            >>> table.insert(["a", "b"], [1, 2])
            >>> table.remove(tf.constant(["a", "c"]))
            >>> int(table.size())
            1
        """
        self._remove(keys)
