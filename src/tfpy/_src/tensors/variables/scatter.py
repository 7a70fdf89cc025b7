"""Methods of Variables that read or change parts of the value."""

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
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array import scattering, slicing
from tfpy._src.tensors.array.reshaping import expand_dims, squeeze
from tfpy._src.tensors.array.segments import unsorted_segment_prod


class ScatterMethods(Holder):
    """Methods that change parts of the value and return the Variable.

    The methods `scatter_nd_*` accept index vectors, and the other methods `tf.IndexedSlices`. All
    methods raise an `InvalidArgumentError` if the updates do not have the shape of the parts.
    """

    @property
    @abstractmethod
    def shape(self) -> TensorShape:
        """Shape of the Variable."""

    @abstractmethod
    def _changed(self, value: Tensor) -> Any:
        """Store a value with changed parts, and return the Variable."""

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Return the slices of the value at the given indices, as `tf.gather_nd` does.

        Args:
            indices: Integer tensor of shape `[..., depth]`. Each row is the index of one slice.

        Returns:
            Tensor of shape `[..., *shape[depth:]]`, where `shape` is the shape of the Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([[1, 2], [3, 4]]).gather_nd([[0, 1], [1, 0]]).numpy().tolist()
            [2, 3]
        """
        return scattering.gather_nd(self.value(), indices)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Return rows of the value, as `tf.gather` does.

        Args:
            indices: Indices of the rows, an integer tensor of any shape.

        Returns:
            Tensor of shape `[*indices.shape, *shape[1:]]`, where `shape` is the shape of the
            Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([10, 20, 30]).sparse_read([2, 0]).numpy().tolist()
            [30, 10]
        """
        return slicing.gather(self.value(), indices)

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Self:
        """Replace slices of the value at the given indices.

        If the same index occurs more than once, its last update is stored.

        Args:
            indices: Integer tensor of shape `[..., depth]`. Each row is the index of one slice.
            updates: One update for each index, a tensor of shape `[..., *shape[depth:]]` with the
                dtype of the Variable, where `shape` is the shape of the Variable.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1, 2, 3]).scatter_nd_update([[1]], [9]).numpy().tolist()
            [1, 9, 3]
        """
        return self._scatter("update", indices, updates)

    def scatter_nd_add(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Self:
        """Add updates to slices of the value at the given indices.

        Args:
            indices: Integer tensor of shape `[..., depth]`. Each row is the index of one slice.
            updates: One update for each index, a tensor of shape `[..., *shape[depth:]]` with the
                dtype of the Variable, where `shape` is the shape of the Variable.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1, 2, 3]).scatter_nd_add([[1], [1]], [10, 10]).numpy().tolist()
            [1, 22, 3]
        """
        return self._scatter("add", indices, updates)

    def scatter_nd_sub(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Self:
        """Subtract updates from slices of the value at the given indices.

        Args:
            indices: Integer tensor of shape `[..., depth]`. Each row is the index of one slice.
            updates: One update for each index, a tensor of shape `[..., *shape[depth:]]` with the
                dtype of the Variable, where `shape` is the shape of the Variable.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1, 2, 3]).scatter_nd_sub([[1]], [9]).numpy().tolist()
            [1, -7, 3]
        """
        return self._scatter("sub", indices, updates)

    def scatter_nd_max(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Self:
        """Replace slices at the given indices by the maximum of the slice and its update.

        Args:
            indices: Integer tensor of shape `[..., depth]`. Each row is the index of one slice.
            updates: One update for each index, a tensor of shape `[..., *shape[depth:]]` with the
                dtype of the Variable, where `shape` is the shape of the Variable.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([5, 5, 5]).scatter_nd_max([[0], [2]], [3, 9]).numpy().tolist()
            [5, 5, 9]
        """
        return self._scatter("max", indices, updates)

    def scatter_nd_min(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Self:
        """Replace slices at the given indices by the minimum of the slice and its update.

        Args:
            indices: Integer tensor of shape `[..., depth]`. Each row is the index of one slice.
            updates: One update for each index, a tensor of shape `[..., *shape[depth:]]` with the
                dtype of the Variable, where `shape` is the shape of the Variable.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([5, 5, 5]).scatter_nd_min([[0], [2]], [3, 9]).numpy().tolist()
            [3, 5, 5]
        """
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
        """Return the parts that are changed. Each of several replicas may change other parts."""
        replica = tracing.local.replica
        if replica is None:
            return indices, updates
        given = convert_to_tensor(indices), convert_to_tensor(updates, self.tensor.dtype)
        found: tuple[Tensor, Tensor] = replica.agreed_parts(self, f"scatter_{kind}", *given)
        return found

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Replace rows of the value by the values of `sparse_delta`.

        If the same index occurs more than once, its last update is stored.

        Args:
            sparse_delta: `tf.IndexedSlices` with values of shape `[n, *shape[1:]]` and the indices
                of their `n` rows, where `shape` is the shape of the Variable.
            use_locking: Has no effect.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1, 2, 3])
            >>> v.scatter_update(tf.IndexedSlices([9], [1])).numpy().tolist()
            [1, 9, 3]
        """
        return self._scatter("update", *_rows(sparse_delta))

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Add to rows of the value.

        Args:
            sparse_delta: `tf.IndexedSlices` with values of shape `[n, *shape[1:]]` and the indices
                of their `n` rows, where `shape` is the shape of the Variable.
            use_locking: Has no effect.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1, 2, 3])
            >>> v.scatter_add(tf.IndexedSlices([10, 10], [1, 1])).numpy().tolist()
            [1, 22, 3]
        """
        return self._scatter("add", *_rows(sparse_delta))

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Subtract from rows of the value.

        Args:
            sparse_delta: `tf.IndexedSlices` with values of shape `[n, *shape[1:]]` and the indices
                of their `n` rows, where `shape` is the shape of the Variable.
            use_locking: Has no effect.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1, 2, 3])
            >>> v.scatter_sub(tf.IndexedSlices([9], [1])).numpy().tolist()
            [1, -7, 3]
        """
        return self._scatter("sub", *_rows(sparse_delta))

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Replace rows of the value by the maximum of the row and its update.

        Args:
            sparse_delta: `tf.IndexedSlices` with values of shape `[n, *shape[1:]]` and the indices
                of their `n` rows, where `shape` is the shape of the Variable.
            use_locking: Has no effect.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([5, 5, 5])
            >>> v.scatter_max(tf.IndexedSlices([3, 9], [0, 2])).numpy().tolist()
            [5, 5, 9]
        """
        return self._scatter("max", *_rows(sparse_delta))

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Replace rows of the value by the minimum of the row and its update.

        Args:
            sparse_delta: `tf.IndexedSlices` with values of shape `[n, *shape[1:]]` and the indices
                of their `n` rows, where `shape` is the shape of the Variable.
            use_locking: Has no effect.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([5, 5, 5])
            >>> v.scatter_min(tf.IndexedSlices([3, 9], [0, 2])).numpy().tolist()
            [3, 5, 5]
        """
        return self._scatter("min", *_rows(sparse_delta))

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Multiply rows of the value by the values of `sparse_delta`.

        Args:
            sparse_delta: `tf.IndexedSlices` with values of shape `[n, *shape[1:]]` and the indices
                of their `n` rows, where `shape` is the shape of the Variable.
            use_locking: Has no effect.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1.0, 2.0, 3.0])
            >>> v.scatter_mul(tf.IndexedSlices([10.0], [1])).numpy().tolist()
            [1.0, 20.0, 3.0]
        """
        changed: Self = self._changed(self.tensor * self._factors("mul", sparse_delta))
        return changed

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Divide rows of the value by the values of `sparse_delta`.

        Args:
            sparse_delta: `tf.IndexedSlices` with values of shape `[n, *shape[1:]]` and the indices
                of their `n` rows, where `shape` is the shape of the Variable.
            use_locking: Has no effect.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1.0, 2.0, 3.0])
            >>> v.scatter_div(tf.IndexedSlices([2.0], [1])).numpy().tolist()
            [1.0, 1.0, 3.0]
        """
        factors = self._factors("div", sparse_delta)
        changed: Self = self._changed(elementwise.real_div(self.tensor, factors))
        return changed

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Self:
        """Replace rows separately in each element of a batch.

        Args:
            sparse_delta: `tf.IndexedSlices` with values of shape `[*batch, n, ...]` and indices of
                shape `[*batch, n]`, for a Variable of shape `[*batch, rows, ...]`.
            use_locking: Has no effect.

        Returns:
            The Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([[1, 2], [3, 4]])
            >>> v.batch_scatter_update(tf.IndexedSlices([[9], [8]], [[0], [1]])).numpy().tolist()
            [[9, 2], [3, 8]]
        """
        at, values = _rows(sparse_delta)
        if at.ndim > 2:
            at = scattering.with_batch_index("batch_scatter_update", self.tensor, at, at.ndim - 2)
        return self._scatter("update", at, values)

    def _factors(self, kind: str, sparse_delta: Any) -> Tensor:
        """Return the factor of each row, which is 1 for rows without an index."""
        at, values = self._of_replicas(kind, *_rows(sparse_delta))
        return unsorted_segment_prod(values, squeeze(at, [-1]), self.shape[0])


def _rows(sparse_delta: Any) -> tuple[Tensor, Tensor]:
    """Return the index vectors and values of indexed slices.

    Raises:
        TypeError: If the value is not a `tf.IndexedSlices`.
    """
    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(
            f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}"
        )
    return expand_dims(sparse_delta.indices, -1), sparse_delta.values
