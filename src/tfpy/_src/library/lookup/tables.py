"""Tables that map keys to values.

Entries live on the host, as strings do. In a compiled function a look-up is a step of the host.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import logic, text
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.lookup.entries import Entries, Key
from tfpy._src.library.lookup.initializers import TableInitializerBase, has_two_values
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


class TrackableResource:
    """A base class of objects with state that is not a Variable. In tfpy, these are lookup tables.

    Use it with `isinstance` to find the tables among the objects of a model. Unlike in TensorFlow,
    programs cannot define other resources by deriving from it.

    Example:
        >>> import tfpy as tf
        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, -1)
        >>> isinstance(table, tf.saved_model.experimental.TrackableResource)
        True

    See also: `tf.lookup.StaticHashTable`, `tf.saved_model.save`.
    """


class LookupInterface(TrackableResource):
    """A base class of lookup tables, which map keys to values.

    Args:
        key_dtype: Dtype of the keys.
        value_dtype: Dtype of the values.
    """

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def entries(self) -> Entries | None:
        """Entries of the table, or None if it consists of other tables."""
        return getattr(self, "_entries", None)

    @property
    def key_dtype(self) -> DType:
        """Dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """Dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """Always None, because tables do not have names in tfpy."""
        return None

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of entries.

        Returns:
            Scalar int64 tensor (int32 unless the environment variable `TFPY_ENABLE_X64` is set).
        """
        raise NotImplementedError

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Look up the values of keys.

        Args:
            keys: Tensor of keys.

        Returns:
            Tensor with a value for each key.
        """
        raise NotImplementedError

    def __getitem__(self, keys: Any) -> Any:
        """Return the values of keys like `lookup`."""
        return self.lookup(keys)

    def _check_keys(self, keys: Any) -> None:
        """Raise TypeError if the keys do not have the table's key dtype."""
        if as_dtype(keys.dtype) != self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}"
            )


def over_values(keys: Any, values: Any) -> Any:
    """Return `values` with the structure of sparse or ragged keys."""
    composite = isinstance(keys, SparseTensor | RaggedTensor)
    return keys.with_values(values) if composite else values


class StaticHashTable(LookupInterface):
    """A lookup table with entries from an initializer.

    The entries cannot be changed later. They are stored in Python's memory, so looking up keys on a
    GPU backend waits until the keys have been computed and read back.

    Args:
        initializer: Source of the entries, a `tf.lookup.KeyValueTensorInitializer` or
            `tf.lookup.TextFileInitializer`.
        default_value: Scalar that is returned for keys that are not in the table.
        experimental_is_anonymous: Has no effect.

    Raises:
        tf.errors.FailedPreconditionError: If the initializer has two different values for a key.
        ValueError: If `default_value` is not a scalar.
        TypeError: If `default_value` cannot be converted to the dtype of the values.

    Example:
        >>> import tfpy as tf
        >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8])
        >>> table = tf.lookup.StaticHashTable(init, default_value=-1)
        >>> print(table.lookup(tf.constant(["b", "?"])).numpy())
        [ 8 -1]

    See also: `tf.lookup.StaticVocabularyTable`, `tf.lookup.experimental.MutableHashTable`.
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: TensorLike,
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
        """Value that is returned for keys that are not in the table."""
        return self._default_value

    def fill(self, pairs: Iterable[tuple[Key, Any]]) -> None:
        """Add entries. The initializer of the table calls this method.

        Args:
            pairs: Pairs of a key and a value, as Python values.

        Raises:
            tf.errors.FailedPreconditionError: If a key already has a different value.

        Example:
            >>> import tfpy as tf
            >>> init = tf.lookup.KeyValueTensorInitializer(["a"], [7])
            >>> table = tf.lookup.StaticHashTable(init, default_value=-1)
            >>> table.fill([(b"b", 8)])
            >>> int(table.size())
            2
        """
        found = self._entries.pairs
        for key, value in pairs:
            if found.setdefault(key, value) != value:
                raise has_two_values(key, found[key], value)

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of entries.

        Returns:
            Scalar int64 tensor (int32 unless the environment variable `TFPY_ENABLE_X64` is set).

        Example:
            >>> import tfpy as tf
            >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8])
            >>> int(tf.lookup.StaticHashTable(init, default_value=-1).size())
            2
        """
        return self._entries.size()

    def lookup(
        self, keys: Tensor | RaggedTensor | SparseTensor, name: str | None = None
    ) -> Tensor | RaggedTensor | SparseTensor:
        """Look up the values of keys.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`. It may be sparse or ragged.

        Returns:
            Tensor with the shape of `keys` and the dtype `value_dtype`. It is sparse or ragged if
            `keys` is sparse or ragged.

        Raises:
            TypeError: If `keys` does not have the dtype `key_dtype`.

        Example:
            >>> import tfpy as tf
            >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8])
            >>> table = tf.lookup.StaticHashTable(init, default_value=-1)
            >>> table.lookup(tf.ragged.constant([["a", "b"], ["c"]])).to_list()
            [[7, 8], [-1]]
        """
        self._check_keys(keys)
        flat = keys.values if isinstance(keys, SparseTensor | RaggedTensor) else keys
        if isinstance(flat, RaggedTensor):
            return over_values(keys, self.lookup(flat))
        tensor = convert_to_tensor(flat)
        return over_values(keys, self._entries.find(tensor, tuple(tensor.aval.shape)))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Return all keys and all values, in the order in which they were added.

        A `tf.function` that calls this method runs eagerly, without compilation, because the number
        of entries is not known in advance.

        Returns:
            A tuple of a tensor of shape `[n]` with the keys and a tensor of shape `[n]` with the
            values.

        Raises:
            tf.errors.NotTraceableError: If the calling function must be compiled, for example by
                `tf.export`.

        Example:
            >>> import tfpy as tf
            >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8])
            >>> keys, values = tf.lookup.StaticHashTable(init, default_value=-1).export()
            >>> keys.numpy().tolist(), values.numpy().tolist()
            ([b'a', b'b'], [7, 8])
        """
        return self._entries.export()


class StaticVocabularyTable(LookupInterface):
    """A lookup table from keys to ids, in which unknown keys get the id of a bucket.

    The bucket of a key that is not in the table (an out-of-vocabulary or OOV key) is determined by
    its hash.

    Args:
        initializer: Source of the entries, with int64 values. If None, all keys are assigned to
            buckets.
        num_oov_buckets: Number of buckets. Their ids follow the ids of the entries.
        lookup_key_dtype: Dtype of the keys to look up. If the keys are integers, it may be any
            integer dtype. Default: the dtype of the initializer's keys, or string if `initializer`
            is None.
        experimental_is_anonymous: Has no effect.

    Raises:
        ValueError: If `num_oov_buckets` is not positive.
        TypeError: If the initializer's keys are neither int64 nor strings, its values are not
            int64, or `lookup_key_dtype` does not match its keys.

    Example:
        >>> import tfpy as tf
        >>> ids = tf.constant([0, 1], tf.int64)
        >>> words = tf.lookup.KeyValueTensorInitializer(["cat", "dog"], ids)
        >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
        >>> table.lookup(tf.constant(["dog", "cow"])).numpy().tolist()
        [1, 2]

    See also: `tf.lookup.StaticHashTable`.
    """

    def __init__(
        self,
        initializer: TableInitializerBase | None,
        num_oov_buckets: int,
        lookup_key_dtype: DTypeLike | None = None,
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
        """Return the number of entries plus the number of buckets.

        Returns:
            Scalar int64 tensor (int32 unless the environment variable `TFPY_ENABLE_X64` is set).

        Example:
            >>> import tfpy as tf
            >>> int(tf.lookup.StaticVocabularyTable(None, num_oov_buckets=3).size())
            3
        """
        count = convert_to_tensor(self._buckets, dtypes.int64)
        return count if self._table is None else self._table.size() + count

    def lookup(
        self, keys: Tensor | RaggedTensor | SparseTensor, name: str | None = None
    ) -> Tensor | RaggedTensor | SparseTensor:
        """Look up the ids of keys.

        The id of an unknown key is the number of entries plus the hash of the key modulo the number
        of buckets.

        Args:
            keys: Tensor of any shape with the dtype `key_dtype`. It may be sparse or ragged.

        Returns:
            Int64 tensor with the shape of `keys` (int32 unless the environment variable
            `TFPY_ENABLE_X64` is set). It is sparse or ragged if `keys` is sparse or ragged.

        Raises:
            TypeError: If `keys` does not have the dtype `key_dtype`.

        Example:
            >>> import tfpy as tf
            >>> words = tf.lookup.KeyValueTensorInitializer(["cat"], tf.constant([0], tf.int64))
            >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
            >>> table.lookup(tf.constant(["cat", "dog"])).numpy().tolist()
            [0, 1]
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
    """Raise TypeError if the dtypes of an initializer are not valid for a vocabulary."""
    keys = initializer.key_dtype
    if keys not in (dtypes.int64, dtypes.string) or keys.is_integer != kind.is_integer:
        wanted = "integer" if kind.is_integer else "string"
        raise TypeError(f"Invalid `key_dtype`, expected {wanted} but got {keys}.")
    if initializer.value_dtype != dtypes.int64:
        raise TypeError(
            f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}."
        )


def check_fits(keys: Tensor, rank: int, values: Tensor, item: tuple[int, ...]) -> None:
    """Raise InvalidArgumentError if there is no value of shape `item` for each key."""
    lead = tuple(keys.aval.closed.shape[: keys.ndim - rank])
    if tuple(values.aval.closed.shape) != (*lead, *item):
        raise invalid(
            "lookup", f"Expected shape {[*lead, *item]} for value, got {list(values.shape)}"
        )
