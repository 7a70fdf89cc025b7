"""Products in tiles on WebGL2: a fragment computes several texels, for fewer reads of each input.

How fast a product runs is how many multiplications come to one texel read. A fragment that writes
four rows of two texels (eight layers) does ten of them; one that writes a single texel, three. A
last step joins the layers; it also adds up the chunks into which long sums are split where there
are few tiles.
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
"""Multiplications up to which tiles do not make up for the step that joins them..."""

SHORT = 64
"""... unless the sums are longer than this, which takes a fragment long without tiles."""

ENOUGH_TILES = 8192
"""With so many tiles a long sum is not split further for the sake of parallelism."""

SHORTEST_CHUNK = 32
"""Terms of a sum that one fragment adds up at least."""


@dataclass(frozen=True)
class Tiling:
    """How the output [batch, m, n] lies in tiles of ROWS rows and ``columns`` texels.

    Two tiles that are computed together have rows whose numbers differ in bit ``spread``.
    """

    batch: int
    m: int
    n: int
    columns: int
    spread: int = 2

    @property
    def numbers(self) -> int:
        """Rows of tiles for each of the batch; an even number."""
        block = 2 << max(self.spread, 2)
        return -(-self.m // block) * block // ROWS

    @property
    def tiles(self) -> int:
        return self.batch * self.numbers * -(-self.n // (4 * self.columns))

    def layer(self, chunks: int) -> int:
        """Elements of one of the layers in which the tiles lie; see ``tile_at`` in the library.

        Tiles lie in fours, two by two, so a layer must have an even number of lines.
        """
        fours = chunks * self.batch * self.numbers // 2 * -(-self.n // (8 * self.columns))
        line = max(2, line_of(4 * fours))
        return -(-4 * fours // (2 * line)) * 2 * line * 4


def line_of(texels: int) -> int:
    """Texels in a line of the runtime's textures."""
    return 1 << math.ceil(math.log2(max(1, texels)) / 2)


def spread_of(step: int, texels: int, m: int) -> int:
    """The bit in which rows that are read together should differ.

    Texture caches serve two texels at a time unless they lie at the same place of different blocks
    (4 texels of 16 bytes by 8 lines, on the device measured).

    Args:
        step: texels from the beginning of a row to that of the next.
        texels: of the whole operand.
        m: rows.
    """
    line = line_of(texels)
    for spread in (2, 1, 0, 3, 4, 5, 6, 7):
        across, down = (step << spread) % line, (step << spread) // line
        if (across % 4 or down % 8) and (spread <= 2 or 8 << spread <= m):
            return spread
    return 2


def chunk_of(tiles: int, terms: int, shortest: int = SHORTEST_CHUNK) -> int:
    """How many terms of its sum a tile adds up: all, or fewer (a multiple of four); at least 1."""
    wanted = -(-ENOUGH_TILES // max(1, tiles))
    chunk = max(shortest, -(-terms // wanted))
    return -(-chunk // 4) * 4 if chunk < terms else max(1, terms)


def tiles_pay(rows: int, columns: int, terms: int) -> bool:
    """Whether sums of so many products, in rows and columns, are computed in tiles."""
    return rows >= ROWS and (rows * columns * terms > SMALL or terms > SHORT)


def columns_of(steps: WebGLSteps, n: int) -> int:
    """How many texels the tiles of an output with ``n`` columns are wide."""
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
    """Adds the variant of a template that computes tiles, and the step that joins these."""
    columns = f"COLUMNS {tiling.columns}"
    tiles = steps.like(output, tiling.layer(chunks), ROWS * tiling.columns)
    shape = {"spread": tiling.spread, "tiles": tiling.numbers}
    steps.step(f"{name}_tile", inputs, tiles, {**params, **shape}, ["QUADS", columns, *defines])
    quads = tiling.n % 4 == 0
    join = shape | {"m": tiling.m, "n": tiling.n // 4 if quads else tiling.n}
    join |= {"batch": tiling.batch, "chunks": chunks}
    steps.step("join", {"x": tiles}, output, join, [columns, *flags_of(QUADS=quads)])
