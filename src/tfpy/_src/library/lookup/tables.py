"""Tables from keys to values. They live on the host, as strings do; look-ups are steps there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import NotTraceableError, invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ops import logic, text
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.effects import on_host
from tfpy._src.library.lookup.initializers import has_two_values
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

Key = Any
"""Bytes or an int; of a key that is a vector, a tuple of these."""


def array_of(items: Sequence[Any], shape: tuple[int, ...], dtype: DType) -> Any:
    """Items as an array of that shape: texts as objects."""
    flat = np.empty(len(items), object) if dtype == dtypes.string else None
    if flat is None:
        return np.array(items, dtype.as_numpy_dtype).reshape(shape)
    flat[:] = items
    return flat.reshape(shape)


class LookupInterface:
    """A table from keys to values: a base class.

    Args:
        key_dtype, value_dtype: of keys and values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """None: tables are known by their objects."""
        return None

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries; a scalar."""
        raise NotImplementedError

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys."""
        raise NotImplementedError

    def __getitem__(self, keys: Any) -> Any:
        """:meth:`lookup`."""
        return self.lookup(keys)

    def _check_keys(self, keys: Any) -> None:
        if as_dtype(keys.dtype) != self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}"
            )


class Entries:
    """Pairs of keys and values on the host.

    Args:
        default: the value of keys that are not there.
    """

    def __init__(self, key_dtype: DType, default: Tensor) -> None:
        self.key_dtype = key_dtype
        self.default = default
        self.pairs: dict[Key, Any] = {}

    def find(self, keys: Tensor, shape: tuple[int, ...], default: Tensor | None = None) -> Tensor:
        """The values of keys, a tensor of that shape: at each run, where a trace is taken."""
        item = tuple(self.default.aval.shape)
        aval = Aval((*shape, *item), self.default.dtype)
        count = len(keys.aval.shape) - len(shape)
        given = [keys] if default is None else [keys, default]

        def look(*tensors: Tensor) -> list[Tensor]:
            names = self.names(tensors[0].host_view(), count)
            unknown = (tensors[1] if len(tensors) > 1 else self.default).host_view()
            return [convert_to_tensor(self._values(names, unknown, aval.closed.shape))]

        return on_host(look, given, [aval])[0]

    @staticmethod
    def names(keys: Any, rank: int = 0) -> list[Key]:
        """The keys of an array, whose last ``rank`` dimensions are one key's."""
        if not rank:
            return keys.reshape(-1).tolist()
        return [tuple(row) for row in keys.reshape(-1, keys.shape[-1]).tolist()]

    def _values(self, names: Sequence[Key], unknown: Any, shape: tuple[int, ...]) -> Any:
        """An array of what stands for keys; ``unknown`` is one value, or one of each key."""
        pairs, dtype = self.pairs, self.default.dtype
        if self.default.ndim:
            missing = np.broadcast_to(unknown, shape).reshape(len(names), -1)
            rows = [pairs.get(k, missing[i]) for i, k in enumerate(names)]
            out = np.empty(shape, dtype.as_numpy_dtype).reshape(len(names), -1)
            for i, row in enumerate(rows):
                out[i] = np.reshape(row, -1)
            return out.reshape(shape)
        if unknown.ndim:
            missing = unknown.reshape(-1).tolist()
            return array_of([pairs.get(k, missing[i]) for i, k in enumerate(names)], shape, dtype)
        value = unknown.item()
        return array_of([pairs.get(k, value) for k in names], shape, dtype)

    def size(self) -> Tensor:
        """How many there are; a scalar."""

        def count() -> list[Tensor]:
            return [convert_to_tensor(len(self.pairs), dtypes.int64)]

        return on_host(count, [], [Aval((), dtypes.int64)])[0]

    def export(self, key_shape: tuple[int, ...] = ()) -> tuple[Tensor, Tensor]:
        """All keys and all values, in the order in which the keys came.

        Raises:
            NotTraceableError: while a trace is taken, whose shapes the number of entries decides.
        """
        if tracing.local.active:
            raise NotTraceableError("export of a table: its size is known when it runs")
        count = len(self.pairs)
        flat = [part for k in self.pairs for part in (k if key_shape else (k,))]
        keys = array_of(flat, (count, *key_shape), self.key_dtype)
        item, dtype = tuple(self.default.aval.shape), self.default.dtype
        if item:
            values = np.empty((count, *item), dtype.as_numpy_dtype)
            for i, row in enumerate(self.pairs.values()):
                values[i] = row
        else:
            values = array_of(list(self.pairs.values()), (count,), dtype)
        return convert_to_tensor(keys), convert_to_tensor(values)


def over_values(keys: Any, values: Tensor) -> Any:
    """Values of the values of sparse or ragged keys, at the same places."""
    composite = isinstance(keys, SparseTensor | RaggedTensor)
    return keys.with_values(values) if composite else values


class StaticHashTable(LookupInterface):
    """A table that is filled once (``tf.lookup.StaticHashTable``).

    Args:
        initializer: what it holds; see :class:`KeyValueTensorInitializer`.
        default_value: a scalar, for keys that are not there.
        experimental_is_anonymous: of no effect.

    Raises:
        FailedPreconditionError: when a key comes with two values.
        ValueError, TypeError: when the default is no scalar, or not of the values' dtype.

    Example:
        >>> import tfpy as tf
        >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8])
        >>> table = tf.lookup.StaticHashTable(init, default_value=-1)
        >>> print(table.lookup(tf.constant(["b", "?"])).numpy())
        [ 8 -1]
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        with tracing.init_scope():
            self._default_value = convert_to_tensor(default_value, self._value_dtype)
            if self._default_value.ndim:
                raise ValueError(f"Shapes {self._default_value.shape} and () are not compatible")
            self._entries = Entries(self._key_dtype, self._default_value)
            self._initializer = initializer
            initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not there."""
        return self._default_value

    def fill(self, pairs: Iterable[tuple[Key, Any]]) -> None:
        """Takes the pairs of an initializer.

        Raises:
            FailedPreconditionError: when a key comes with two values.
        """
        found = self._entries.pairs
        for key, value in pairs:
            if found.setdefault(key, value) != value:
                raise has_two_values(key, found[key], value)

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries; a scalar."""
        return self._entries.size()

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys, a tensor of any shape; of the values of sparse and ragged tensors.

        Raises:
            TypeError: for keys of another dtype.
        """
        self._check_keys(keys)
        flat = keys.values if isinstance(keys, SparseTensor | RaggedTensor) else keys
        if isinstance(flat, RaggedTensor):
            return over_values(keys, self.lookup(flat))
        tensor = convert_to_tensor(flat)
        return over_values(keys, self._entries.find(tensor, tuple(tensor.aval.shape)))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and all values, in the order in which the keys came."""
        return self._entries.export()


class StaticVocabularyTable(LookupInterface):
    """A table of ids in which keys that are not there get one by their hash.

    Args:
        initializer: fills it with ids; None for hashes alone.
        num_oov_buckets: how many ids beyond the entries' there are for other keys.
        lookup_key_dtype: of the keys that are looked up, which integers may be of any dtype.
        experimental_is_anonymous: of no effect.

    Raises:
        ValueError: when ``num_oov_buckets`` is not positive.
        TypeError: when keys are neither integers nor strings, or values no integers.

    Example:
        >>> import tfpy as tf
        >>> ids = tf.constant([0, 1], tf.int64)
        >>> words = tf.lookup.KeyValueTensorInitializer(["cat", "dog"], ids)
        >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
        >>> table.lookup(tf.constant(["dog", "cow"])).numpy().tolist()
        [1, 2]
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        kind = dtypes.string
        if initializer:
            kind = as_dtype(lookup_key_dtype or initializer.key_dtype)
            _check_vocabulary(initializer, kind)
        super().__init__(kind, dtypes.int64)
        self._buckets = int(num_oov_buckets)
        self._table = StaticHashTable(initializer, -1) if initializer else None

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries and buckets; a scalar."""
        count = convert_to_tensor(self._buckets, dtypes.int64)
        return count if self._table is None else self._table.size() + count

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The ids of keys: those of the entries, else the number of entries plus a hash.

        Raises:
            TypeError: for keys of another dtype.
        """
        self._check_keys(keys)
        values = keys.values if isinstance(keys, SparseTensor | RaggedTensor) else keys
        if isinstance(values, RaggedTensor):
            return over_values(keys, self.lookup(values))
        said = values if values.dtype == dtypes.string else primitives.as_string(values)
        ids: Tensor = text.hash_bucket_fast(said, num_buckets=self._buckets)
        if self._table is not None:
            found = self._table.lookup(values)
            unknown = logic.equal(found, self._table.default_value)
            ids = where(unknown, ids + self._table.size(), found)
        return over_values(keys, ids)


def _check_vocabulary(initializer: Any, kind: DType) -> None:
    keys = initializer.key_dtype
    if keys not in (dtypes.int64, dtypes.string) or keys.is_integer != kind.is_integer:
        wanted = "integer" if kind.is_integer else "string"
        raise TypeError(f"Invalid `key_dtype`, expected {wanted} but got {keys}.")
    if initializer.value_dtype != dtypes.int64:
        raise TypeError(
            f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}."
        )


def check_fits(keys: Tensor, rank: int, values: Tensor, item: tuple[int, ...]) -> None:
    """Raises InvalidArgumentError unless there is a value of shape ``item`` for each key."""
    lead = tuple(keys.aval.closed.shape[: keys.ndim - rank])
    if tuple(values.aval.closed.shape) != (*lead, *item):
        raise invalid(
            "lookup", f"Expected shape {[*lead, *item]} for value, got {list(values.shape)}"
        )
