"""``scatter_…`` of Variables, which replace parts of the value or combine them with updates, and
what reads such parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

from tfpy._src.base import tracing
from tfpy._src.compiler.ops import elementwise
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.operand import Holder
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.tensors.array import scattering, slicing
from tfpy._src.tensors.array.reshaping import expand_dims, squeeze
from tfpy._src.tensors.array.segments import unsorted_segment_prod


class ScatterMethods(Holder):
    """Methods that assign the value with some of its parts changed, and give the Variable.

    ``scatter_nd_…`` take ``indices`` [..., depth] that name parts, and ``updates``
    [..., *a part's shape]; the others take ``tf.IndexedSlices``, whose indices name rows.
    All raise InvalidArgumentError for updates of another shape.
    """

    @property
    @abstractmethod
    def shape(self) -> TensorShape:
        """The value's sizes."""

    @abstractmethod
    def _changed(self, value: Tensor) -> Any:
        """Takes the value of which parts were changed, and returns the Variable."""

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """``tf.gather_nd`` of the value."""
        return scattering.gather_nd(self.value(), indices)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The rows at ``indices``."""
        return slicing.gather(self.value(), indices)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Replaces what ``indices`` [..., depth] name (``tf.tensor_scatter_nd_update``)."""
        return self._scatter("update", indices, updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Adds to what ``indices`` [..., depth] name."""
        return self._scatter("add", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Subtracts from what ``indices`` [..., depth] name."""
        return self._scatter("sub", indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Keeps the larger of what ``indices`` [..., depth] name and the updates."""
        return self._scatter("max", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Keeps the smaller of what ``indices`` [..., depth] name and the updates."""
        return self._scatter("min", indices, updates)

    def _scatter(self, kind: str, indices: Any, updates: Any) -> Self:
        functions: dict[str, Callable[..., Tensor]] = {
            "update": scattering.tensor_scatter_nd_update,
            "add": scattering.tensor_scatter_nd_add,
            "sub": scattering.tensor_scatter_nd_sub,
            "max": scattering.tensor_scatter_nd_max,
            "min": scattering.tensor_scatter_nd_min,
        }
        indices, updates = self._of_replicas(kind, indices, updates)
        changed: Self = self._changed(functions[kind](self.tensor, indices, updates))
        return changed

    def _of_replicas(self, kind: str, indices: Any, updates: Any) -> tuple[Any, Any]:
        """The parts that are changed, of which each of several replicas may have others."""
        replica = tracing.local.replica
        if replica is None:
            return indices, updates
        given = convert_to_tensor(indices), convert_to_tensor(updates, self.tensor.dtype)
        found: tuple[Tensor, Tensor] = replica.agreed_parts(self, f"scatter_{kind}", *given)
        return found

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Replaces the rows that ``tf.IndexedSlices`` hold; of equal indices the last one stays."""
        return self._scatter("update", *_rows(sparse_delta))

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Adds ``tf.IndexedSlices`` to their rows."""
        return self._scatter("add", *_rows(sparse_delta))

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Subtracts ``tf.IndexedSlices`` from their rows."""
        return self._scatter("sub", *_rows(sparse_delta))

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Keeps the larger of the rows and ``tf.IndexedSlices``."""
        return self._scatter("max", *_rows(sparse_delta))

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Keeps the smaller of the rows and ``tf.IndexedSlices``."""
        return self._scatter("min", *_rows(sparse_delta))

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Multiplies the rows by ``tf.IndexedSlices``."""
        changed: Self = self._changed(self.tensor * self._factors("mul", sparse_delta))
        return changed

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Divides the rows by ``tf.IndexedSlices``."""
        factors = self._factors("div", sparse_delta)
        changed: Self = self._changed(elementwise.real_div(self.tensor, factors))
        return changed

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Replaces rows within each batch: indices [*batch, n], values [*batch, n, ...]."""
        at, values = _rows(sparse_delta)
        if at.ndim > 2:
            at = scattering.with_batch_index("batch_scatter_update", self.tensor, at, at.ndim - 2)
        return self._scatter("update", at, values)

    def _factors(self, kind: str, sparse_delta: Any) -> Tensor:
        """What each row is to be multiplied by; 1 where no index names it."""
        at, values = self._of_replicas(kind, *_rows(sparse_delta))
        return unsorted_segment_prod(values, squeeze(at, [-1]), self.shape[0])


def _rows(sparse_delta: Any) -> tuple[Tensor, Tensor]:
    """Index vectors and values of indexed slices.

    Raises:
        TypeError: for something else.
    """
    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(
            f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}"
        )
    return expand_dims(sparse_delta.indices, -1), sparse_delta.values
