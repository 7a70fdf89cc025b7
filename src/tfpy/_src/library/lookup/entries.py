"""The entries of lookup tables, on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.effects import on_host

Key = Any
"""A key: bytes, an int, or a tuple of these if keys are vectors."""


def array_of(items: Sequence[Any], shape: tuple[int, ...], dtype: DType) -> Any:
    """Return items as an array of a shape; strings become objects."""
    flat = np.empty(len(items), object) if dtype == dtypes.string else None
    if flat is None:
        return np.array(items, dtype.as_numpy_dtype).reshape(shape)
    flat[:] = items
    return flat.reshape(shape)


class Entries:
    """The pairs of keys and values of a table, on the host.

    Args:
        key_dtype: Dtype of the keys.
        default: Value of missing keys.
    """

    def __init__(self, key_dtype: DType, default: Tensor) -> None:
        self.key_dtype = key_dtype
        self.default = default
        self.pairs: dict[Key, Any] = {}

    def find(self, keys: Tensor, shape: tuple[int, ...], default: Tensor | None = None) -> Tensor:
        """Return the values of keys as a tensor of a shape; a trace looks them up at each run."""
        item = tuple(self.default.aval.shape)
        aval = Aval((*shape, *item), self.default.dtype)
        count = len(keys.aval.shape) - len(shape)
        given = [keys] if default is None else [keys, default]
        return on_host(LookUp(self, count, aval), given, [aval])[0]

    @staticmethod
    def names(keys: Any, rank: int = 0) -> list[Key]:
        """Return the keys of an array as Python values; its last `rank` dimensions hold one key."""
        if not rank:
            return keys.reshape(-1).tolist()
        return [tuple(row) for row in keys.reshape(-1, keys.shape[-1]).tolist()]

    def values(self, names: Sequence[Key], unknown: Any, shape: tuple[int, ...]) -> Any:
        """Return the values of keys as an array; `unknown` is one value or one for each key."""
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
        """Return the number of entries."""
        return on_host(self.counted, [], [Aval((), dtypes.int64)])[0]

    def counted(self) -> list[Tensor]:
        """Return the number of entries at this time."""
        return [convert_to_tensor(len(self.pairs), dtypes.int64)]

    def export(self, key_shape: tuple[int, ...] = ()) -> tuple[Tensor, Tensor]:
        """Return all keys and all values, in the order of insertion.

        Raises:
            NotTraceableError: If a function is traced, because the number of entries is not known.
        """
        if tracing.local.active:
            raise NotTraceableError(
                "export of a table is not supported while a function is traced, because the number "
                "of entries is only known at run time. Call it outside of tf.function."
            )
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


class LookUp:
    """The look-up of keys in a table, as a step of a compiled function.

    Look-ups in the same table are equal, so that traces for different sizes can be compared.

    Args:
        entries: Entries of the table.
        count: Number of the last dimensions of the keys that hold one key.
        aval: Aval of the result.
    """

    def __init__(self, entries: Entries, count: int, aval: Aval) -> None:
        self.entries, self.count = entries, count
        self._shape = aval.closed.shape

    def __call__(self, *tensors: Tensor) -> list[Tensor]:
        entries = self.entries
        names = entries.names(tensors[0].host_view(), self.count)
        unknown = (tensors[1] if len(tensors) > 1 else entries.default).host_view()
        return [convert_to_tensor(entries.values(names, unknown, self._shape))]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LookUp)
            and self.entries is other.entries
            and self.count == other.count
        )

    def __hash__(self) -> int:
        return hash((id(self.entries), self.count))
