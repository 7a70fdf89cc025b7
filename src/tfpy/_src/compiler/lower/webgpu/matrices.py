"""Tiles of subgroup matrices: 16 x 16 x 32 of packed bytes, and 16 x 16 x 16 of float16."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfpy._src.base.dtypes import float16, int8
from tfpy._src.compiler.lower.webgpu.tiles import FILLS, Product

SIDE = 16
"""Rows and columns of the sums that a subgroup's threads hold together."""


@dataclass(frozen=True)
class MatrixTile:
    """A workgroup of `down` by `along` subgroups for `rows` rows of `columns` columns.

    Its memory contains `depth` pieces of each row and column at once: texels of 16 bytes, or fours
    of float16. With `split`, each number is the sum of two in float16.
    """

    rows: int
    columns: int
    down: int
    along: int
    depth: int
    line: int = 2
    """Number of pieces in 32 bytes, which are a line of a matrix."""
    split: bool = False

    def count(self, product: Product) -> int:
        """Return the number of tiles of a product's output."""
        return product.batch * -(-product.m // self.rows) * -(-product.n // self.columns)

    @property
    def bytes(self) -> int:
        """Memory of a workgroup in bytes.

        It consists of lines of 32 bytes with gaps of 16, and the sums of each subgroup.
        """
        lines = (self.rows + self.columns) * self.depth // self.line * (1 + self.split)
        return 48 * lines + 4 * SIDE * SIDE * self.down * self.along

    def defines(self) -> list[str]:
        """Return sizes, and the unrolled statements for the matrices of a subgroup's sums."""
        down = range(self.rows // SIDE // self.down)
        along = range(self.columns // SIDE // self.along)
        sums = list(itertools.product(down, along))
        statements = {
            "SUMS": [f"var sum{i}_{j}: Sums;" for i, j in sums],
            "LEFTS": [line for i in down for line in self._operand("left", "a", i)],
            "PRODUCTS": [line for j in along for line in self._products(j, down)],
            "RESULTS": [
                f"store_sums(sum{i}_{j}, slice, subgroup, lane, row + {16 * i}, column + {16 * j});"
                for i, j in sums
            ],
        }
        sizes = {"ROWS": self.rows, "COLUMNS": self.columns, "DOWN": self.down}
        sizes |= {"ALONG": self.along, "DEPTH": self.depth}
        numbers = [f"{name} {value}" for name, value in sizes.items()]
        return numbers + [f"{name} {' '.join(lines)}" for name, lines in statements.items()]

    def _operand(self, side: str, x: str, i: int) -> Iterator[str]:
        """Yield statements that read a matrix of an operand."""
        yield f"let {side}{i} = {side}_at(piece, {x}_block + {i});"
        if self.split:
            yield f"let {side}_rest{i} = {side}_rest_at(piece, {x}_block + {i});"

    def _products(self, j: int, down: Iterable[int]) -> Iterator[str]:
        """Yield statements that add the products with one matrix of columns."""
        yield from self._operand("right", "b", j)
        pairs = [("left", "right")]
        if self.split:
            pairs += [("left_rest", "right"), ("left", "right_rest")]
        for i in down:
            for left, right in pairs:
                terms = f"{left}{i}, {right}{j}, sum{i}_{j}"
                yield f"sum{i}_{j} = subgroupMatrixMultiplyAccumulate({terms});"


LARGE = MatrixTile(128, 128, 2, 4, depth=4)
SMALL = MatrixTile(64, 64, 2, 2, depth=8)
"""The fastest of about twenty tiles for bytes on an NVIDIA H200."""

HALVES = (
    (512, MatrixTile(128, 128, 2, 4, depth=4, line=4)),
    (FILLS, MatrixTile(128, 64, 2, 2, depth=8, line=4)),
    (0, MatrixTile(64, 64, 2, 2, depth=8, line=4)),
)
"""The fastest of about twenty tiles for float16, with the number of tiles from which they pay."""

SPLITS = (
    (FILLS, MatrixTile(128, 64, 4, 2, depth=8, line=4, split=True)),
    (0, MatrixTile(64, 32, 2, 2, depth=8, line=4, split=True)),
)
"""The same for numbers that are sums of two in float16."""

MATRIX_BYTES = {
    int8: max(LARGE.bytes, SMALL.bytes),
    float16: max(tile.bytes for _, tile in (*HALVES, *SPLITS)),
}
"""Memory of a workgroup that the largest tiles of a dtype need."""

MIN_DEPTH = 64
"""Bytes of a row from which filling the matrices pays."""

MIN_SIDE = 32
"""Rows and columns from which tiles of float16 pay."""

MIN_TERMS = 32
"""Terms of sums from which tiles of float16 pay."""

LONG = 512
"""Terms of a sum for which a further workgroup per tile pays."""


def tile_for(product: Product) -> MatrixTile | None:
    """Return the tile for a product of bytes, or None if another kernel is as fast."""
    if product.k < MIN_DEPTH or SMALL.count(product) < FILLS:
        return None
    return LARGE if LARGE.count(product) >= FILLS else SMALL


def half_tile_for(product: Product, split: bool) -> MatrixTile | None:
    """Return the tile for a product of float16, or None if another kernel is as fast.

    Args:
        split: True if the operands are sums of two numbers in float16.
    """
    if min(product.m, product.n) < MIN_SIDE or product.k < MIN_TERMS:
        return None
    tiles = SPLITS if split else HALVES
    parts = max(1, product.k // LONG)
    return next(tile for least, tile in tiles if tile.count(product) * parts >= least)
