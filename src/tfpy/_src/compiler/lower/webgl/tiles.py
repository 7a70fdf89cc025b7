"""Products in tiles on WebGL2: a fragment computes several texels, for fewer reads of each input.

The speed of a product depends on the number of multiplications per texel read. A fragment that
writes four rows of two texels (eight layers) does ten of them; a fragment that writes a single
texel does three. A last step joins the layers. It also sums the chunks into which long sums are
split if there are few tiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfpy._src.compiler.ir.kernel import Param
from tfpy._src.compiler.lower.shaders.steps import flags_of
from tfpy._src.compiler.lower.webgl.steps import WebGLSteps

ROWS = 4
"""Rows of a tile."""

SMALL = 1 << 20
"""Number of multiplications up to which tiles do not pay, because of the step that joins them."""

SHORT = 64
"""Number of terms of sums above which tiles always pay."""

ENOUGH_TILES = 8192
"""Number of tiles from which long sums are not split further for parallelism."""

SHORTEST_CHUNK = 32
"""Smallest number of terms that one fragment sums."""


@dataclass(frozen=True)
class Tiling:
    """The output [batch, m, n] in tiles of ROWS rows and `columns` texels.

    Two tiles that are computed together have row numbers that differ in bit `spread`.
    """

    batch: int
    m: int
    n: int
    columns: int
    spread: int = 2

    @property
    def numbers(self) -> int:
        """Rows of tiles per batch element, an even number."""
        block = 2 << max(self.spread, 2)
        return -(-self.m // block) * block // ROWS

    @property
    def tiles(self) -> int:
        return self.batch * self.numbers * -(-self.n // (4 * self.columns))

    def layer(self, chunks: int) -> int:
        """Return the number of elements of a layer of tiles; see `tile_at` in the library.

        Tiles are stored in groups of two by two, so a layer must have an even number of lines.
        """
        fours = chunks * self.batch * self.numbers // 2 * -(-self.n // (8 * self.columns))
        line = max(2, line_of(4 * fours))
        return -(-4 * fours // (2 * line)) * 2 * line * 4


def line_of(texels: int) -> int:
    """Return the number of texels in a line of the runtime's textures."""
    return 1 << math.ceil(math.log2(max(1, texels)) / 2)


def spread_of(step: int, texels: int, m: int) -> int:
    """Return the bit in which rows that are read together should differ.

    Texture caches serve two texels at a time unless they are at the same position of different
    blocks (4 texels of 16 bytes by 8 lines, on the measured device).

    Args:
        step: Number of texels from the beginning of a row to the next row.
        texels: Number of texels of the whole operand.
        m: Number of rows.
    """
    line = line_of(texels)
    for spread in (2, 1, 0, 3, 4, 5, 6, 7):
        across, down = (step << spread) % line, (step << spread) // line
        if (across % 4 or down % 8) and (spread <= 2 or 8 << spread <= m):
            return spread
    return 2


def chunk_of(tiles: int, terms: int, shortest: int = SHORTEST_CHUNK) -> int:
    """Return how many terms of its sum a tile adds: all, or a multiple of four. At least 1."""
    wanted = -(-ENOUGH_TILES // max(1, tiles))
    chunk = max(shortest, -(-terms // wanted))
    return -(-chunk // 4) * 4 if chunk < terms else max(1, terms)


def tiles_pay(rows: int, columns: int, terms: int) -> bool:
    """Return True if sums of this many products, in rows and columns, are faster in tiles."""
    return rows >= ROWS and (rows * columns * terms > SMALL or terms > SHORT)


def columns_of(steps: WebGLSteps, n: int) -> int:
    """Return the width in texels of the tiles of an output with `n` columns."""
    return steps.targets // ROWS if n > 16 else 1


def add_tiles(
    steps: WebGLSteps,
    name: str,
    inputs: Mapping[str, int],
    output: int,
    params: Mapping[str, Param],
    defines: Sequence[str],
    tiling: Tiling,
    chunks: int = 1,
) -> None:
    """Add the variant of a template that computes tiles, and the step that joins the tiles."""
    columns = f"COLUMNS {tiling.columns}"
    tiles = steps.like(output, tiling.layer(chunks), ROWS * tiling.columns)
    shape = {"spread": tiling.spread, "tiles": tiling.numbers}
    steps.step(f"{name}_tile", inputs, tiles, {**params, **shape}, ["QUADS", columns, *defines])
    quads = tiling.n % 4 == 0
    join = shape | {"m": tiling.m, "n": tiling.n // 4 if quads else tiling.n}
    join |= {"batch": tiling.batch, "chunks": chunks}
    steps.step("join", {"x": tiles}, output, join, [columns, *flags_of(QUADS=quads)])
