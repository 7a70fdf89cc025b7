"""Weights that stay in the blocks of their file, as values of Keras's variables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.backends.registry import active_backend
from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ops.block_formats import BlockFormat, by_fields
from tfpy._src.compiler.ops.blocks import dequantize_blocks, multiply_blocks
from tfpy._src.compiler.ops.indexing import gather
from tfpy._src.compiler.ops.movement import reshape, transpose
from tfpy._src.compiler.ops.sorting import argsort
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.tensors.variables.variable import Variable

Move = Callable[[NDArray[Any]], NDArray[Any]]
"""A function that moves the elements of an array, without a change of their values."""


@dataclass(frozen=True)
class Matrix:
    """A matrix in a file.

    Attributes:
        how: Format of its blocks.
        blocks: The blocks of all rows.
        shape: Number of rows and of columns.
        columns: For each column of the blocks, its position in the matrix, or None if the blocks
            have the order of the matrix.
    """

    how: BlockFormat
    blocks: NDArray[Any]
    shape: tuple[int, int]
    columns: NDArray[np.int32] | None = None

    def transposed(self) -> Matrix | None:
        """Return the transpose, or None if its rows have no blocks with the same values."""
        n, k = self.shape
        if self.how.packing is None or self.how.packing.scales or n % self.how.size:
            return None
        (field,) = self.how.packing.bits
        values = np.ascontiguousarray(self.blocks[field.field].reshape(n, k).T)
        return Matrix(self.how, values.reshape(-1).view(self.how.layout), (k, n))


class BlockFile(WeightFile):
    """A file with some weights in block formats."""

    @abstractmethod
    def matrix(self, name: str) -> Matrix | None:
        """Return the blocks of a weight, or None if it is not a matrix in blocks."""

    @abstractmethod
    def bytes_of_blocks(self, name: str) -> int:
        """Return the number of bytes of a matrix in blocks, or 0 for other weights."""

    @abstractmethod
    def moves(self, name: str) -> Sequence[Move]:
        """Return the functions that turn the matrix into the weight."""


@dataclass(frozen=True)
class Placement:
    """The position of the rows and columns of a matrix in the weights of a layer.

    Attributes:
        rows: The rows of the matrix that the weights contain, in their order.
        shape: Shape of these rows, with dimensions of rows before dimensions of columns.
        perm: The dimensions of `shape` in the order of the weights.
    """

    rows: NDArray[Any]
    shape: tuple[int, ...]
    perm: tuple[int, ...]


def supports_blocks() -> bool:
    """Return True if the active backend multiplies by weights in blocks."""
    return multiply_blocks.name in active_backend().target.kernels


def placement_of(shape: tuple[int, int], moves: Sequence[Move]) -> Placement | None:
    """Return where functions move the rows and columns of a matrix.

    Returns:
        The placement, or None if the functions mix rows and columns, or drop or reorder columns.
    """
    n, k = shape
    rows = np.broadcast_to(np.arange(n, dtype=np.int32)[:, None], shape)
    columns = np.broadcast_to(np.arange(k, dtype=np.int32), shape)
    for move in moves:
        rows, columns = move(rows), move(columns)
    down, across = _axes(rows), _axes(columns)
    if set(down) & set(across) or rows.size % k:
        return None
    still = [i for i in range(rows.ndim) if i not in across]
    of_columns = columns.transpose(*still, *across).reshape(-1, k)[:1]
    of_rows = rows.transpose(*still, *across).reshape(-1, prod(rows.shape[i] for i in across))
    if not np.array_equal(of_columns[0], np.arange(k)):
        return None
    order = (*still, *across)
    sizes = tuple(rows.shape[i] for i in order)
    return Placement(of_rows[:, 0], sizes, tuple(order.index(i) for i in range(rows.ndim)))


def placed(
    matrix: Matrix, moves: Sequence[Move], is_kernel: bool
) -> tuple[Matrix, Placement] | None:
    """Return a matrix, or its transpose, and its position in the weights of a layer.

    Products with a kernel read rows of the blocks, so a kernel is transposed if its rows are inputs
    of the layer.

    Returns:
        None if the functions mix rows and columns, or drop or reorder columns.
    """
    direct = placement_of(matrix.shape, moves)
    if is_kernel and (direct is None or _is_order(direct.perm)):
        turned = matrix.transposed()
        other = None if turned is None else placement_of(turned.shape, [np.transpose, *moves])
        if turned is not None and other is not None:
            return turned, other
    return None if direct is None else (matrix, direct)


def _axes(indices: NDArray[Any]) -> list[int]:
    """Return the axes along which an array changes."""
    return [
        axis
        for axis in range(indices.ndim)
        if indices.strides[axis] and (indices != indices.take([0], axis)).any()
    ]


class BlockWeights:
    """The values of a matrix, which are computed from its blocks whenever they are read.

    Compiled functions multiply by the blocks themselves. An instance takes the place of the
    `tf.Variable` in a variable of Keras.

    Args:
        matrix: The matrix.
        placement: Position of its rows and columns in the weights.
        name: Name of the variable.
    """

    dtype = float32
    trainable = False

    def __init__(self, matrix: Matrix, placement: Placement, name: str) -> None:
        n, k = matrix.shape
        blocks = matrix.blocks.reshape(n, -1)
        rows = placement.rows
        if not np.array_equal(rows, np.arange(n)):
            blocks = blocks[rows]
        self.name, self._placement = name, placement
        self._attrs: dict[str, Any] = {"form": matrix.how.name, "shape": (len(rows), k)}
        self._bytes = Variable(
            by_fields(matrix.how, blocks.reshape(-1)), trainable=False, name=name
        )
        self._columns = None
        if matrix.columns is not None:
            self._columns = Variable(matrix.columns, trainable=False, name=f"{name}/columns")

    @property
    def shape(self) -> TensorShape:
        """Shape of the weights."""
        return TensorShape([self._placement.shape[i] for i in self._placement.perm])

    def value(self) -> Tensor:
        """Return the weights as float32."""
        where = self._placement
        found = dequantize_blocks(self._bytes, **self._attrs)
        if self._columns is not None:
            places = argsort(self._columns, k=self._attrs["shape"][1], descending=False)
            found = gather(found, places, axis=1, batch_dims=0)
        if where.shape != self._attrs["shape"]:
            found = reshape(found, shape=where.shape)
        return found if _is_order(where.perm) else transpose(found, perm=where.perm)

    def numpy(self) -> NDArray[np.float32]:
        """Return the weights as an array."""
        return self.value().numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.numpy(), dtype)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return self.value()

    def assign(self, value: Any, **options: Any) -> None:
        """Refuse new values.

        Raises:
            TypeError: Always.
        """
        raise TypeError(
            f"the weights {self.name!r} are in a block format and cannot be changed. Train "
            "additional weights instead (`backbone.enable_lora(rank)`), or load all weights as "
            "float32 with `trainable=True`"
        )


def _is_order(perm: Sequence[int]) -> bool:
    return list(perm) == sorted(perm)
