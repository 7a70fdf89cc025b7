"""Products of packed bytes by subgroup matrices, 16 x 16 x 32, on devices that support them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfpy._src.compiler.lower.webgpu.tiles import FILLS, Product

SIDE = 16
"""Rows and columns of the sums that a subgroup's threads hold together."""


@dataclass(frozen=True)
class MatrixTile:
    """A workgroup of `down` by `along` subgroups for `rows` rows of `columns` channels.

    Its memory contains `depth` texels of each row and channel at once, two per matrix.
    """

    rows: int
    columns: int
    down: int
    along: int
    depth: int

    def count(self, product: Product) -> int:
        """Return the number of tiles of a product's output."""
        return -(-product.m // self.rows) * -(-product.n // self.columns)

    @property
    def bytes(self) -> int:
        """Memory of a workgroup in bytes.

        It consists of pieces of 32 bytes with gaps of 16, and the sums of each subgroup.
        """
        pieces = (self.rows + self.columns) * self.depth // 2
        return 48 * pieces + 4 * SIDE * SIDE * self.down * self.along

    @property
    def defines(self) -> list[str]:
        """Sizes, and the unrolled statements for the matrices of a subgroup's sums."""
        down = range(self.rows // SIDE // self.down)
        along = range(self.columns // SIDE // self.along)
        sums = list(itertools.product(down, along))
        texts = {
            "SUMS": [f"var sum{i}_{j}: Sums;" for i, j in sums],
            "LEFTS": [f"let left{i} = left_at(piece, a_block + {i});" for i in down],
            "PRODUCTS": [line for j in along for line in _products(j, down)],
            "RESULTS": [
                f"store_sums(sum{i}_{j}, subgroup, lane, row + {16 * i}, column + {16 * j});"
                for i, j in sums
            ],
        }
        sizes = {"ROWS": self.rows, "COLUMNS": self.columns, "DOWN": self.down}
        sizes |= {"ALONG": self.along, "DEPTH": self.depth}
        numbers = [f"{name} {value}" for name, value in sizes.items()]
        return numbers + [f"{name} {' '.join(lines)}" for name, lines in texts.items()]


def _products(j: int, down: Iterable[int]) -> Iterator[str]:
    """Yield statements that add the products with one matrix of channels."""
    yield f"let right{j} = right_at(piece, b_block + {j});"
    for i in down:
        found = f"subgroupMatrixMultiplyAccumulate(left{i}, right{j}, sum{i}_{j})"
        yield f"sum{i}_{j} = {found};"


LARGE = MatrixTile(128, 128, 2, 4, depth=4)
SMALL = MatrixTile(64, 64, 2, 2, depth=8)
"""The fastest of about twenty tiles on an NVIDIA H200."""

MATRIX_BYTES = LARGE.bytes
"""Memory of a workgroup that the largest tiles need."""

MIN_DEPTH = 64
"""Bytes of a row from which filling the matrices pays."""


def tile_for(product: Product) -> MatrixTile | None:
    """Return the tile for a product's shape, or None if another kernel is as fast."""
    if product.k < MIN_DEPTH or SMALL.count(product) < FILLS:
        return None
    return LARGE if LARGE.count(product) >= FILLS else SMALL
