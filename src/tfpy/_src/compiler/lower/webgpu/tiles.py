"""Products in tiles on WebGPU: which tile, and in how many parts a sum is computed.

The tiles are those that were fastest on an NVIDIA H200 among some 60, by the shape of the product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfpy._src.compiler.lower.shaders.reduction import sum_chunks
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of
from tfpy._src.compiler.lower.webgpu.steps import MAX_GROUPS, WebGPUSteps

SMALL = 1 << 20
"""Multiplications below which an invocation for each output does as well."""

SHORT = 64
"""A sum so short ends before sharing it among threads pays."""

FILLS = 96
"""With so many workgroups a device is busy; 132 multiprocessors were."""

MANY = 8 * FILLS
"""With more workgroups than that it does not pay that threads share the depth of a tile."""

WASTE = 1.15
"""How many times as much as smaller tiles the largest ones may compute, with what is outside."""

TILE_BYTES = 17408
"""Memory of a workgroup that the largest tiles take."""

SHORTEST_CHUNK = 96
"""Terms of a sum that one workgroup adds up at least."""


@dataclass(frozen=True)
class Tile:
    """A workgroup of ``tx`` by ``ty`` threads, ``parts`` times along k.

    Each computes ``tm`` fours of rows and ``tn`` fours of columns; ``depth`` fours of k are in
    workgroup memory at once.
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
        """Tiles of a product's output."""
        down, across = -(-product.m // self.rows), -(-product.n // self.columns)
        return product.batch * down * across

    def area(self, product: Product) -> int:
        """Elements of all tiles."""
        return self.count(product) * self.rows * self.columns

    @property
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
    """[batch, m, k] times [batch, k, n].

    ``whole_a``, ``whole_b``: four neighbours of an operand are read at once.
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
    """The tile for a product's shape."""
    if product.k <= SHORT:
        return MEDIUM_SHORT if MEDIUM_SHORT.count(product) >= 2 * FILLS else SMALL_SHORT
    is_full = LARGE.area(product) <= WASTE * MEDIUM.area(product)
    if is_full and LARGE.count(product) >= 2 * FILLS:
        return LARGE
    wide = min(product.m, product.n) > SMALL_TILE.rows
    if wide and (product.k >= 512 or SMALL_TILE.count(product) > 2 * FILLS):
        return MEDIUM_SHORT if MEDIUM_SHORT.count(product) > MANY else MEDIUM
    return SMALL_TILE


def chunk_for(product: Product, tile: Tile) -> int:
    """How much of k a workgroup adds up: a multiple of the tile's depth."""
    chunks = 1
    while tile.count(product) * chunks < FILLS and product.k >= 2 * chunks * SHORTEST_CHUNK:
        chunks *= 2
    unit = 4 * tile.depth
    return -(-product.k // (chunks * unit)) * unit


def add_product(
    steps: WebGPUSteps,
    inputs: Mapping[str, int],
    output: int,
    product: Product,
    params: Params,
    flags: Sequence[str] = (),
) -> bool:
    """Adds the steps of a product in tiles, if that is how it is best computed.

    Args:
        params: what the readers of the operands read, beside the product's sizes.
        flags: how the operands are read; see ``matmul_tile.wgsl``.

    Returns:
        whether it did.
    """
    if not steps.tiles or not steps.result_dtype(output).is_floating or product.size < SMALL:
        return False
    tile = tile_for(product)
    chunk = chunk_for(product, tile)
    chunks = -(-product.k // chunk)
    groups = (
        -(-product.n // tile.columns),
        -(-product.m // tile.rows),
        product.batch * chunks,
    )
    if max(groups) > MAX_GROUPS:
        return False
    count = product.batch * product.m * product.n
    target = output if chunks == 1 else steps.like(output, chunks * count)
    sizes: Params = {"batch": product.batch, "m": product.m, "n": product.n, "k": product.k}
    defines = flags_of(
        QUADS=product.n % 4 == 0,
        A_WHOLE=product.whole_a,
        B_WHOLE=product.whole_b,
        TRANSPOSE_A_TRUE=product.transpose_a,
        TRANSPOSE_B_TRUE=product.transpose_b,
        CHECK_K=product.k % (4 * tile.depth) != 0,
    )
    steps.step(
        "matmul_tile",
        inputs,
        target,
        {**params, **sizes, "chunk": chunk},
        [*tile.defines, *defines, *flags],
        groups,
    )
    if chunks > 1:
        sum_chunks(steps, target, output, chunks)
    return True
