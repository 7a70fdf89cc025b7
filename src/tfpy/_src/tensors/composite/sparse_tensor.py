"""`tf.SparseTensor`: values at indices, with a copy of the indices on the host."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import elementwise, indexing
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.operand import CompositeOperand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape

Ints = np.ndarray[Any, Any]


def _int64(numbers: Any) -> Tensor:
    """Convert int32 or int64 numbers to an int64 tensor."""
    if isinstance(numbers, Tensor):
        is_narrow = numbers.dtype in dtypes.INDICES and numbers.dtype != dtypes.int64
        numbers = cast(numbers, dtypes.int64) if is_narrow else numbers
    return convert_to_tensor(numbers, dtypes.int64)


OF_GRAPHS: list[type[SparseTensor]] = []
"""The class that replaces SparseTensor in graphs of TensorFlow 1, once these are used."""


class SparseTensor(CompositeOperand):
    """A tensor that is zero except at the given indices.

    The functions of `tf.sparse` accept sparse tensors. A sparse tensor can also be multiplied with
    a dense tensor or divided by one, and elementwise functions that map 0 to 0 can be applied.

    The indices and the shape are read back to Python, so creating a sparse tensor waits until they
    have been computed. A `tf.function` that computes them runs eagerly, without compilation.

    Args:
        indices: Indices of the values, an integer tensor of shape `[n, rank]`, usually in row-major
            order.
        values: Values at these indices, a tensor of shape `[n]`.
        dense_shape: Shape of the dense tensor, an integer tensor of shape `[rank]`.

    Raises:
        ValueError: If the shapes of the arguments do not match.

    Example:
        >>> import tfpy as tf
        >>> s = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])
        >>> tf.sparse.to_dense(s * 2.0).numpy().tolist()
        [[0.0, 10.0], [0.0, 0.0], [14.0, 0.0]]

    See also: `tf.sparse.from_dense`, `tf.sparse.to_dense`, `tf.RaggedTensor`.
    """

    __slots__ = ("dense_shape", "host_indices", "host_shape", "indices", "values")
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __new__(cls, *args: Any, **kwargs: Any) -> SparseTensor:
        in_graph = cls is SparseTensor and bool(tracing.local.active) and OF_GRAPHS
        return object.__new__(OF_GRAPHS[0] if in_graph and tracing.active_graph() else cls)

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: ShapeLike) -> None:
        self._take_components(indices, values, dense_shape)
        self.host_indices: Ints = self.indices.host_view()
        if self.dense_shape.ndim != 1 or self.values.ndim != 1 or self.indices.ndim != 2:
            raise ValueError(
                "SparseTensor: indices must be a matrix, values and dense_shape vectors, got "
                f"shapes {self.indices.shape}, {self.values.shape} and {self.dense_shape.shape}"
            )
        self.host_shape: tuple[int, ...] = tuple(self.dense_shape.host_view().tolist())
        wanted = (self.values.aval.shape[0], len(self.host_shape))
        for found, size in zip(self.indices.aval.shape, wanted, strict=True):
            if found != size:
                raise ValueError(
                    f"SparseTensor: Dimensions {found} and {size} are not compatible: indices of "
                    f"shape {self.indices.shape} do not match {self.values.shape[0]} values of a "
                    f"tensor of rank {len(self.host_shape)}"
                )

    def _take_components(self, indices: Any, values: Any, dense_shape: Any) -> None:
        """Convert the components to tensors, and store them."""
        self.indices = _int64(indices)
        self.values = convert_to_tensor(values)
        self.dense_shape = _int64(dense_shape)

    @property
    def shape(self) -> TensorShape:
        """Shape of the dense tensor."""
        return TensorShape(self.host_shape)

    def get_shape(self) -> TensorShape:
        """Return the shape of the dense tensor, as `shape` does.

        Returns:
            A `tf.TensorShape`.

        Example:
            >>> import tfpy as tf
            >>> tf.SparseTensor([[0, 1]], [5.0], [3, 2]).get_shape()
            TensorShape([3, 2])
        """
        return self.shape

    @property
    def dtype(self) -> DType:
        """Dtype of the values."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions of the dense tensor."""
        return len(self.host_shape)

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """Return a sparse tensor with new values at the same indices.

        Args:
            new_values: New values, a tensor of shape `[n]` with one value for each index.

        Returns:
            A `tf.SparseTensor` with the dtype of `new_values`.

        Raises:
            ValueError: If `new_values` does not contain one value for each index.

        Example:
            >>> import tfpy as tf
            >>> s = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])
            >>> tf.sparse.to_dense(s.with_values([1, 2])).numpy().tolist()
            [[0, 1], [0, 0], [2, 0]]
        """
        return SparseTensor(self.indices, new_values, self.dense_shape)

    @property
    def positions(self) -> Ints:
        """Row-major position of each value in the dense tensor.

        Raises:
            InvalidArgumentError: If an index is outside of the shape.
        """
        outside = (self.host_indices < 0) | (self.host_indices >= np.array(self.host_shape))
        if outside.any():
            row = int(np.argwhere(outside)[0, 0])
            raise invalid_value(
                "sparse",
                f"indices[{row}] = {self.host_indices[row].tolist()} is out of bounds: need 0 <= "
                f"index < {list(self.host_shape)}",
            )
        if not self.host_shape:
            return np.zeros(len(self.host_indices), np.int64)
        if not self.host_indices.size:
            return np.zeros(0, np.int64)
        columns = tuple(self.host_indices.astype(np.int64).T)
        return np.asarray(np.ravel_multi_index(columns, self.host_shape))

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self.indices!s}, values={self.values!s}, "
            f"dense_shape={self.dense_shape!s})"
        )

    __eq__ = object.__eq__
    __ne__ = object.__ne__

    def __iter__(self) -> Any:
        raise TypeError("'SparseTensor' object is not iterable; use tf.sparse.slice")

    def __getitem__(self, key: Any) -> Any:
        raise TypeError("'SparseTensor' object is not subscriptable; use tf.sparse.slice")

    @classmethod
    def from_value(
        cls, sparse_tensor_value: SparseTensor | tuple[TensorLike, TensorLike, ShapeLike]
    ) -> SparseTensor:
        """Convert a named tuple of TensorFlow 1, `SparseTensorValue`, to a sparse tensor.

        Args:
            sparse_tensor_value: A named tuple with the fields `indices`, `values` and
                `dense_shape`, or a `tf.SparseTensor`, which is returned unchanged.

        Returns:
            A `tf.SparseTensor`.

        Raises:
            TypeError: If the argument is neither such a named tuple nor a `tf.SparseTensor`.

        Example:
            >>> import tfpy as tf
            >>> s = tf.SparseTensor([[0, 1]], [5.0], [3, 2])
            >>> tf.SparseTensor.from_value(s) is s
            True
        """
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        if not _is_value(sparse_tensor_value):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor "
                "SparseTensorValue."
            )
        return cls(*sparse_tensor_value)

    def set_shape(self, shape: ShapeLike) -> None:
        """Check that the shape is compatible with an expected shape.

        Args:
            shape: Expected shape. A dimension of None matches any size.

        Raises:
            ValueError: If the shapes are not compatible.

        Example:
            >>> import tfpy as tf
            >>> s = tf.SparseTensor([[0, 1]], [5.0], [3, 2])
            >>> s.set_shape([None, 2])  # does not raise an error
        """
        wanted = TensorShape(shape)
        if not self.shape.is_compatible_with(wanted):
            raise ValueError(f"Shapes {self.shape} and {wanted} are not compatible")

    # Ops

    def apply_op(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Apply an op that keeps zeros, or multiply with or divide by a dense tensor.

        Args:
            op: Record of the op.
            inputs: Operands of the op.
            attrs: Attributes of the op.

        Returns:
            A SparseTensor with the same indices.

        Raises:
            ValueError: If the op would change elements that are not stored.
        """
        if len(inputs) == 1 and op.laws.sparse:
            return self.with_values(op(self.values, **attrs))
        others = [x for x in inputs if x is not self]
        divides = op is elementwise.real_div and inputs[0] is self
        scales = op is elementwise.multiply or divides
        if scales and len(others) == 1 and not isinstance(others[0], CompositeOperand):
            other = convert_to_tensor(others[0], self.dtype)
            return self.with_values(op(self.values, self.dense_at(other)))
        raise ValueError(
            f"{op.name} does not support a SparseTensor; use a function of tf.sparse, or convert "
            "it with tf.sparse.to_dense"
        )

    def dense_at(self, dense: Tensor) -> Tensor:
        """Return the elements of a dense tensor, broadcast to the shape, at the indices.

        Args:
            dense: Tensor whose shape broadcasts to `dense_shape`.

        Returns:
            Tensor of shape `[number of values]` with the dtype of `dense`.
        """
        if dense.ndim == 0:
            return dense
        spread = np.broadcast_to(
            np.arange(dense.size).reshape(dense.aval.shape), _broadcast(dense, self.host_shape)
        )
        at = spread.reshape(-1)[self.positions].astype(np.int32)
        return indexing.gather(reshape(dense, [-1]), constant(at), axis=0, batch_dims=0)

    @property
    def differentiable(self) -> Tensor:
        return self.values

    def with_differentiable(self, tensor: Any) -> SparseTensor:
        return self.with_values(tensor)

    @property
    def components(self) -> tuple[Tensor, ...]:
        return (self.indices, self.values, self.dense_shape)

    def with_components(self, components: Sequence[Any]) -> SparseTensor:
        return SparseTensor(*components)


def _broadcast(dense: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape if the tensor broadcasts to it, and raise an error otherwise."""
    lead = (1,) * (len(shape) - dense.ndim)
    fits = dense.ndim <= len(shape) and all(
        n in (1, m) for n, m in zip((*lead, *dense.aval.shape), shape, strict=True)
    )
    if not fits:
        raise invalid(
            "sparse",
            f"the dense operand of shape {list(dense.shape)} does not broadcast to the shape of "
            f"the sparse operand, {list(shape)}",
        )
    return shape


def filled(values: Tensor, default: Any, where: Ints, shape: tuple[int, ...]) -> Tensor:
    """Create a dense tensor from the index into `values` for each position; -1 means `default`."""
    fill = broadcast_to(convert_to_tensor(default, values.dtype), [1])
    rows = np.where(where < 0, values.size, where).astype(np.int32)
    picked = indexing.gather(concat([values, fill], 0), constant(rows), axis=0, batch_dims=0)
    return reshape(picked, shape)


def positions_to_indices(positions: Ints, shape: tuple[int, ...]) -> Ints:
    """Return the indices `[n, rank]` of row-major positions."""
    if not math.prod(shape) or not shape:
        return np.zeros((len(positions), len(shape)), np.int32)
    return np.stack(np.unravel_index(positions, shape), axis=1).astype(np.int32)


def checked(value: Any) -> SparseTensor:
    """Return a sparse tensor itself, or the sparse tensor of a `SparseTensorValue`.

    Raises:
        TypeError: If the value is something else.
    """
    found = from_value(value)
    if not isinstance(found, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(value).__name__}")
    return found


def from_value(value: Any) -> Any:
    """Return the sparse tensor of a `SparseTensorValue`, and other values unchanged."""
    return SparseTensor(*value) if _is_value(value) else value


def _is_value(value: Any) -> bool:
    """Return True for `tf.compat.v1.SparseTensorValue` and named tuples with the same fields."""
    return getattr(value, "_fields", ()) == ("indices", "values", "dense_shape")


def made(indices: Any, values: Tensor, shape: Sequence[int]) -> SparseTensor:
    """Create a sparse tensor from indices on the host."""
    rank = len(shape)
    found = np.ascontiguousarray(np.asarray(indices, np.int32).reshape(-1, rank))
    return SparseTensor(constant(found), values, constant(np.array(shape, np.int32)))


def _none_of_its_own(self: SparseTensor, other: Any) -> Any:
    """Return NotImplemented, so that Python tries the other operand and then raises an error."""
    return NotImplemented


def _refused(sign: str) -> Any:
    def refuse(self: SparseTensor) -> Any:
        raise TypeError(f"bad operand type for {sign}: 'SparseTensor'")

    return refuse


for _symbol in ("add", "sub", "mod", "floordiv", "pow", "and", "or", "xor", "matmul"):
    setattr(SparseTensor, f"__{_symbol}__", _none_of_its_own)
    setattr(SparseTensor, f"__r{_symbol}__", _none_of_its_own)
for _symbol in ("rmul", "rtruediv", "lt", "le", "gt", "ge"):
    setattr(SparseTensor, f"__{_symbol}__", _none_of_its_own)
for _symbol, _sign in {"neg": "unary -", "abs": "abs()", "invert": "unary ~"}.items():
    setattr(SparseTensor, f"__{_symbol}__", _refused(_sign))
