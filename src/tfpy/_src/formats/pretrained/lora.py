"""The matrices of LoRA in Keras and in PEFT.

Keras multiplies two matrices along the last axis of a kernel: `a @ b` with the shapes
[..., rank] and [rank, size]. PEFT multiplies the flattened inputs by one matrix and the result by
another one: `lora_A` [rank, inputs] and `lora_B` [outputs, rank]. If a kernel has several axes of
outputs (the heads of queries), Keras has one matrix per head on the side of the inputs and shares
the other one. In PEFT this is a product with a rank that is larger by the number of heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.formats.pretrained.correspondence import Link, LinkedWeight

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Factors:
    """Two matrices with the product `up @ down`, which is added to a weight.

    Attributes:
        down: Matrix of the shape [rank, inputs].
        up: Matrix of the shape [outputs, rank].
    """

    down: Floats
    up: Floats

    @property
    def rank(self) -> int:
        """Number of columns of the first factor."""
        return len(self.down)


class Axes:
    """The axes of a kernel, sorted for products along its last axis.

    The last axis is an axis of inputs or of outputs. All other axes of the same kind are its
    neighbors (usually none, or the heads), and the axes of the other kind are opposite.

    Args:
        link: The kernel of a layer.
        weight: The weight that contains the kernel's values.
        rows_are_inputs: True if the weight has the shape [inputs, outputs].
    """

    def __init__(self, link: Link, weight: LinkedWeight, rows_are_inputs: bool) -> None:
        assert link.kernel is not None
        kinds = link.kernel.is_input
        self.last_is_input = kinds[-1]
        self._opposite = [n for n, kind in enumerate(kinds) if kind != kinds[-1]]
        self._near = [n for n, kind in enumerate(kinds[:-1]) if kind == kinds[-1]]
        self._shape = link.positions.shape
        rows, columns = np.divmod(link.positions, weight.shape[1])
        outputs, inputs = (columns, rows) if rows_are_inputs else (rows, columns)
        ours, other = (inputs, outputs) if kinds[-1] else (outputs, inputs)
        last = len(kinds) - 1
        self.places = self._sorted(ours, (*self._opposite, *self._near, last))[0]
        """Positions of the last axis's kind in the weight, with the shape [near, size]."""
        self.others = self._sorted(other, (*self._opposite, *self._near, last))[:, 0, 0]
        """Positions of the other kind in the weight, a vector."""

    @property
    def near(self) -> int:
        """Number of combinations of the neighbors."""
        return prod(self._shape[n] for n in self._near)

    def _sorted(self, values: Any, order: tuple[int, ...]) -> Any:
        return np.transpose(values, order).reshape(-1, self.near, self._shape[-1])

    def grouped(self, a: Floats) -> Floats:
        """Return the first matrix of Keras with the shape [opposite, near, rank]."""
        order = (*self._opposite, *self._near, len(self._shape) - 1)
        return np.transpose(a, order).reshape(-1, self.near, a.shape[-1])

    def ungrouped(self, a: Floats) -> Floats:
        """Return a matrix of the shape [opposite, near, rank] as the first matrix of Keras."""
        order = [*self._opposite, *self._near, len(self._shape) - 1]
        sizes = [*(self._shape[n] for n in order[:-1]), a.shape[-1]]
        return np.transpose(a.reshape(sizes), np.argsort(order))


def to_peft(
    a: Floats, b: Floats, axes: Axes, weight: LinkedWeight, rows_are_inputs: bool
) -> Factors:
    """Return the matrices of PEFT for the matrices of a layer of Keras.

    Args:
        a: First matrix of Keras.
        b: Second matrix of Keras.
        axes: Axes of the layer's kernel.
        weight: The weight that contains the kernel.
        rows_are_inputs: True if the weight has the shape [inputs, outputs].
    """
    rank, near = b.shape[0], axes.near
    outputs, inputs = weight.shape[::-1] if rows_are_inputs else weight.shape
    ours, other = (inputs, outputs) if axes.last_is_input else (outputs, inputs)
    shared = np.zeros((ours, near, rank), np.float32)
    for head, places in enumerate(axes.places):
        shared[places, head] = b.T
    separate = np.zeros((other, near, rank), np.float32)
    separate[axes.others] = axes.grouped(a)
    first, second = (m.reshape(len(m), near * rank) for m in (shared, separate))
    return Factors(first.T, second) if axes.last_is_input else Factors(second.T, first)


def to_keras(factors: Factors, axes: Axes, shares: bool) -> tuple[Floats, Floats]:
    """Return the matrices of Keras with the smallest rank that have the product of PEFT's.

    Args:
        factors: Matrices of the weight that contains the layer's kernel.
        axes: Axes of the kernel.
        shares: True if other layers have parts of the weight, and parts of the rank may be theirs.
    """
    ours, other = factors.up, factors.down.T
    if axes.last_is_input:
        ours, other = other, ours
    other = other[axes.others]
    parts = ours[axes.places]
    if shares:
        used = parts.any(axis=(0, 1))
        other, parts = other[:, used], parts[..., used]
    if axes.near == 1:
        return axes.ungrouped(other[:, None]), np.ascontiguousarray(parts[0].T)
    shared = _shared(parts)
    if shared is not None:
        return axes.ungrouped(other.reshape(len(other), axes.near, -1)), shared
    rows = parts.transpose(0, 2, 1).astype(np.float64)
    basis = _row_space(rows.reshape(-1, rows.shape[-1]))
    a = np.einsum("or,nrk->onk", other.astype(np.float64), rows @ basis.T)
    with np.errstate(over="ignore"):  # the product may be infinite
        return axes.ungrouped(a.astype(np.float32)), basis.astype(np.float32)


def _shared(parts: Floats) -> Floats | None:
    """Return the matrix that all neighbors share, if each of them has its own part of the rank.

    Args:
        parts: Matrices of the shape [near, size, rank].
    """
    near, size, rank = parts.shape
    if rank % near:
        return None
    blocks = parts.reshape(near, size, near, -1)
    expected = np.zeros_like(blocks)
    expected[np.arange(near), :, np.arange(near)] = blocks[0, :, 0]
    if not np.array_equal(blocks, expected):
        return None
    return np.ascontiguousarray(blocks[0, :, 0].T)


def _row_space(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an orthonormal basis of the rows of a matrix, at least one row."""
    _, lengths, basis = np.linalg.svd(matrix, full_matrices=False)
    least = lengths[0] * max(matrix.shape) * np.finfo(np.float32).eps / 8
    return basis[: max(int((lengths > least).sum()), 1)]


def product(factors: Factors, link: Link, rows_are_inputs: bool) -> Floats:
    """Return the product of PEFT's matrices in the shape of a kernel."""
    with np.errstate(over="ignore"):  # the product may be infinite
        whole = factors.up @ factors.down
    flat = np.ascontiguousarray(whole.T if rows_are_inputs else whole).ravel()
    found: Floats = flat[link.positions]
    return found
