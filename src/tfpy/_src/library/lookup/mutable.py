"""Tables that programs change."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.effects import effect
from tfpy._src.library.lookup.tables import Entries, LookupInterface, check_fits


class _Mutable(LookupInterface):
    """What the two have in common: entries, and the rank of a key."""

    _key_shape: tuple[int, ...] = ()

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any) -> None:
        super().__init__(key_dtype, value_dtype)
        with tracing.init_scope():
            default = convert_to_tensor(default_value, self._value_dtype)
        self._default_value = default
        self._entries = Entries(self._key_dtype, default)

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries; a scalar."""
        return self._entries.size()

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and all values, in the order in which the keys came."""
        return self._entries.export(self._key_shape)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """What checkpoints have of it."""
        keys, values = self.export()
        return {"table-keys": keys, "table-values": values}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        with tracing.init_scope():
            keys = convert_to_tensor(restored_tensors["table-keys"], self._key_dtype)
            values = convert_to_tensor(restored_tensors["table-values"], self._value_dtype)
            self._entries.pairs.clear()
            self._put(keys, values)

    def _find(self, keys: Any, default: Any = None) -> Tensor:
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

    def _keys(self, keys: Any) -> Tensor:
        tensor = convert_to_tensor(keys, self._key_dtype)
        if self._key_shape and tuple(tensor.aval.shape[-1:]) != self._key_shape:
            raise invalid(
                "lookup",
                f"Expected key shape {list(self._key_shape)}, got keys {list(tensor.shape)}",
            )
        return tensor

    def _checked_names(self, keys: Tensor) -> list[Any]:
        return Entries.names(keys.host_view(), len(self._key_shape))

    def _insert(self, keys: Any, values: Any) -> None:
        names, rows = self._keys(keys), convert_to_tensor(values, self._value_dtype)
        item = tuple(self._default_value.aval.shape)
        check_fits(names, len(self._key_shape), rows, item)
        if not effect(self._put, names, rows):
            self._put(names, rows)

    def _put(self, keys: Tensor, values: Tensor) -> None:
        names, array = self._checked_names(keys), values.host_view()
        if self._default_value.ndim:
            rows = list(np.array(array).reshape(len(names), *self._default_value.aval.shape))
        else:
            rows = array.reshape(-1).tolist()
        self._entries.pairs.update(zip(names, rows, strict=True))

    def _remove(self, keys: Any) -> None:
        self._check_keys(keys)
        tensor = convert_to_tensor(keys)
        if not effect(self._take, tensor):
            self._take(tensor)

    def _take(self, keys: Tensor) -> None:
        for key in self._checked_names(keys):
            self._entries.pairs.pop(key, None)


class MutableHashTable(_Mutable):
    """A table that grows and shrinks (``tf.lookup.experimental.MutableHashTable``).

    Args:
        key_dtype: integers or strings.
        default_value: for keys that are not there; its shape is that of every value.
        checkpoint, experimental_is_anonymous: of no effect.

    Example:
        >>> import tfpy as tf
        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, -1)
        >>> table.insert(["a", "b"], [1, 2])
        >>> print(table.lookup(["b", "c"]).numpy())
        [ 2 -1]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value)

    def lookup(  # type: ignore[override]
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """The values of keys.

        Args:
            dynamic_default_values: a value for keys that are not there, or one for each key.

        Raises:
            ValueError: for keys of another dtype.
        """
        return self._find(keys, dynamic_default_values)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Sets the values of keys.

        Raises:
            InvalidArgumentError: when the shapes do not go together.
        """
        self._insert(keys, values)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Takes keys out; those that are not there do not count.

        Raises:
            TypeError: for keys of another dtype.
        """
        self._remove(keys)


class DenseHashTable(_Mutable):
    """A table that grows and shrinks, with two keys of no meaning: TensorFlow's way of hashing.

    Args:
        key_dtype: integers or strings.
        default_value: for keys that are not there; its shape is that of every value.
        empty_key, deleted_key: two keys that are never used, scalars or vectors as all keys are.
        initial_num_buckets, checkpoint, experimental_is_anonymous: of no effect.

    Raises:
        InvalidArgumentError: when the two are the same.

    Example:
        >>> import tfpy as tf
        >>> table = tf.lookup.experimental.DenseHashTable(
        ...     tf.string, tf.int64, default_value=-1, empty_key="", deleted_key="$"
        ... )
        >>> table.insert(tf.constant(["cat"]), tf.constant([1], tf.int64))
        >>> table.lookup(tf.constant(["cat", "dog"])).numpy().tolist()
        [1, -1]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
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
        names = super()._checked_names(keys)
        for key, what in self._unused.items():
            if key in names:
                raise invalid_value("lookup", f"Using the {what} as a table key is not allowed")
        return names

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys.

        Raises:
            InvalidArgumentError: when one is the empty or the deleted key.
        """
        tensor = self._keys(keys)
        if not effect(self._checked_names, tensor):
            self._checked_names(tensor)
        return self._find(tensor)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Sets the values of keys.

        Raises:
            InvalidArgumentError: when the shapes do not go together, or a key is the empty or the
                deleted one.
        """
        self._insert(keys, values)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> None:
        """:meth:`insert`."""
        self._insert(keys, values)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Takes keys out; those that are not there do not count.

        Raises:
            TypeError: for keys of another dtype.
        """
        self._remove(keys)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """:meth:`remove`."""
        self._remove(keys)
