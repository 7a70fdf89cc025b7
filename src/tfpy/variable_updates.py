"""Updates of Variables that few programs use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tfpy.errors import OutOfRangeError

if TYPE_CHECKING:
    from tfpy.tensor import Tensor
    from tfpy.variable import Variable


class UncommonUpdates:
    """Methods of :class:`~tfpy.variable.Variable`."""

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replaces rows within each batch.

        Args:
            sparse_delta: ``tf.IndexedSlices`` with indices [*batch, n], whose ``batch`` are the
                Variable's first dimensions, and values [*batch, n, ...].

        Raises:
            TypeError: for something else.
            InvalidArgumentError: when the shapes do not go together.
        """
        from tfpy.array import expand_dims
        from tfpy.indexed_slices import IndexedSlices
        from tfpy.scattering import tensor_scatter_nd_update, with_batch_index

        own = cast("Variable", self)
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received: {sparse_delta}"
            )
        at = expand_dims(sparse_delta.indices, -1)
        if at.ndim > 2:
            at = with_batch_index("batch_scatter_update", own.tensor, at, at.ndim - 2)
        return own.assign(tensor_scatter_nd_update(own.tensor, at, sparse_delta.values))

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 to an integer scalar; gives the value of before.

        Raises:
            OutOfRangeError: when it has reached ``limit``.
            TypeError: for a Variable of floats.
        """
        own = cast("Variable", self)
        if not own.dtype.is_integer:
            raise TypeError(f"count_up_to: the Variable must be an integer, not {own.dtype.name}")
        before = own.read_value()
        if int(before.host_view()) >= limit:
            raise OutOfRangeError(None, "CountUpTo", f"Reached limit of {limit}")
        own.assign_add(1)
        return before
