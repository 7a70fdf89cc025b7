"""`tf.map_fn` and `tf.vectorized_map` for extension types, which are encoded as tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.type_spec import RecordSpec

Function = Callable[..., Any]


def has_records(*nests: Any) -> bool:
    """Return True if a nest contains a record or the spec of one."""
    leaves = (leaf for structure in nests for leaf in nest.flatten(structure))
    return any(isinstance(leaf, FieldRecord | RecordSpec) for leaf in leaves)


class RecordRows:
    """A function of rows of records as a function of rows of tensors.

    Args:
        fn: Function of a row of `elems`.
        elems: Nest with records.
        signature: Nest of dtypes and specs of the results. Default: the rows of `elems`.
    """

    def __init__(self, fn: Function, elems: Any, signature: Any = None) -> None:
        self._fn, self._elems = fn, elems
        leaves = nest.flatten(elems)
        self._specs = [x.__spec__() if isinstance(x, FieldRecord) else None for x in leaves]
        pairs = list(zip(leaves, self._specs, strict=True))
        self.encoded = [x if s is None else s.__encode__(x, 1) for x, s in pairs]
        """Nest of the tensors of `elems`."""
        self._rows = [None if s is None else s.__unbatched__() for s in self._specs]
        self._like = signature
        if signature is None:
            rows = zip(leaves, self._rows, strict=True)
            self._like = nest.pack_sequence_as(
                elems, [x.dtype if r is None else r for x, r in rows]
            )
        self._results = nest.flatten(self._like)

    @property
    def signature(self) -> list[Any]:
        """Specs and dtypes of the encoded results."""
        return [s.__encoding__() if isinstance(s, RecordSpec) else s for s in self._results]

    def row(self, encoded: Sequence[Any]) -> list[Any]:
        """Apply the function to an encoded row, and return the encoded result."""
        result = self._called(encoded)
        nest.assert_same_structure(self._like, result)
        pairs = zip(nest.flatten(result), self._results, strict=True)
        return [s.__encode__(x, 0) if isinstance(s, RecordSpec) else x for x, s in pairs]

    def row_of_any(self, encoded: Sequence[Any]) -> list[Any]:
        """Apply the function to an encoded row, and use the structure of the result from now on."""
        result = self._called(encoded)
        leaves = nest.flatten(result)
        specs = [x.__spec__() if isinstance(x, FieldRecord) else None for x in leaves]
        self._like, self._results = result, specs
        pairs = zip(leaves, specs, strict=True)
        return [x if s is None else s.__encode__(x, 0) for x, s in pairs]

    def _called(self, encoded: Sequence[Any]) -> Any:
        pairs = zip(self._rows, encoded, strict=True)
        given = [x if spec is None else spec.__decode__(x) for spec, x in pairs]
        return self._fn(nest.pack_sequence_as(self._elems, given))

    def decoded(self, encoded: Sequence[Any], count: int) -> Any:
        """Return the nest of results for the encoded results of all rows."""
        pairs = zip(self._results, encoded, strict=True)
        found = [
            spec.__batched__(count).__decode__(x) if isinstance(spec, RecordSpec) else x
            for spec, x in pairs
        ]
        return nest.pack_sequence_as(self._like, found)
