"""Tiles of products on WebGPU, and their selection.

The tiles were the fastest of about 60 on an NVIDIA H200, by the shape of the product.
"""

from __future__ import annotations

from dataclasses import dataclass

from tfpy._src.compiler.lower.shaders.steps import flags_of

SHORT = 64
"""Number of terms up to which sharing a sum among threads does not pay."""

FILLS = 96
"""Number of workgroups that keep a device busy (measured on 132 multiprocessors)."""

MANY = 8 * FILLS
"""Number of workgroups above which sharing the depth of a tile among threads does not pay."""

WASTE = 1.15
"""Largest ratio of the areas of the largest and smaller tiles, including the parts outside."""

TILE_BYTES = 17408
"""Memory of a workgroup that the largest tiles need."""


@dataclass(frozen=True)
class Tile:
    """A workgroup of `tx` by `ty` threads, `parts` times along k.

    Each thread computes `tm` fours of rows and `tn` fours of columns. The workgroup memory contains
    `depth` fours of k at once.
    """

    tm: int
    tn: int
    tx: int
    ty: int
    depth: int
    parts: int = 1

    @property
    def rows(self) -> int:
        return 4 * self.tm * self.ty

    @property
    def columns(self) -> int:
        return 4 * self.tn * self.tx

    def count(self, product: Product) -> int:
        """Return the number of tiles of a product's output."""
        down, across = -(-product.m // self.rows), -(-product.n // self.columns)
        return product.batch * down * across

    def area(self, product: Product) -> int:
        """Return the number of elements of all tiles."""
        return self.count(product) * self.rows * self.columns

    def defines(self) -> list[str]:
        sizes = {"TM": self.tm, "TN": self.tn, "TX": self.tx, "TY": self.ty}
        sizes |= {"DEPTH": self.depth, "PARTS": self.parts}
        return [f"{k} {v}" for k, v in sizes.items()] + flags_of(SHARED_DEPTH=self.parts > 1)


LARGE = Tile(2, 2, 16, 16, depth=2)
MEDIUM = Tile(2, 2, 8, 8, depth=4, parts=4)
SMALL_TILE = Tile(1, 1, 8, 8, depth=8, parts=4)
MEDIUM_SHORT = Tile(2, 2, 8, 8, depth=2)
SMALL_SHORT = Tile(1, 1, 8, 8, depth=2)


@dataclass(frozen=True)
class Product:
    """The product of [batch, m, k] and [batch, k, n].

    `whole_a`, `whole_b`: True if four adjacent elements of an operand are read at once.
    """

    batch: int
    m: int
    n: int
    k: int
    whole_a: bool
    whole_b: bool
    transpose_a: bool = False
    transpose_b: bool = False

    @property
    def size(self) -> int:
        return self.batch * self.m * self.n * self.k


def tile_for(product: Product) -> Tile:
    """Return the tile for a product's shape."""
    if product.k <= SHORT:
        return MEDIUM_SHORT if MEDIUM_SHORT.count(product) >= 2 * FILLS else SMALL_SHORT
    is_full = LARGE.area(product) <= WASTE * MEDIUM.area(product)
    if is_full and LARGE.count(product) >= 2 * FILLS:
        return LARGE
    wide = min(product.m, product.n) > SMALL_TILE.rows
    if wide and (product.k >= 512 or SMALL_TILE.count(product) > 2 * FILLS):
        return MEDIUM_SHORT if MEDIUM_SHORT.count(product) > MANY else MEDIUM
    return SMALL_TILE
