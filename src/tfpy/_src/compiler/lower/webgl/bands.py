"""Products in bands on WebGL2: a is read through uniform blocks, b from a texture.

The speed of products in tiles depends on the number of texels that they read. In bands, neighboring
fragments share the reads of eight rows of the result: for each term of the sums a fragment reads
one texel of b, for 32 multiplications. A block contains the terms of one band, so a product is one
draw per band, and per split of sums that are too long for a block. That pays for large draws.
"""

from __future__ import annotations

from dataclasses import dataclass

from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of
from tfpy._src.compiler.lower.webgl.steps import WebGLSteps
from tfpy._src.compiler.lower.webgl.textures import Chunks
from tfpy._src.compiler.lower.webgl.tiles import ENOUGH_TILES, line_of

ROWS = 8
"""Rows of a band, one per layer that a fragment writes."""

LINES = 4
"""Lines of the rectangle of texels in which a band is drawn; see `chunk_at` in the library."""

TERM_BYTES = 4 * ROWS
"""Bytes of a block per term of the sums."""

MOST_SPLITS = 2
"""Largest number of splits of a sum; their layers take memory."""

LARGE_DRAW = 1 << 17
"""Columns times terms of a band from which drawing takes longer than issuing the draw."""

LARGEST_SIDE = 1 << 12
"""Largest side in texels of a texture with a given line length on most devices."""


@dataclass(frozen=True)
class Bands:
    """A product [batch, m, n] of sums of `splits * terms` terms, in bands."""

    batch: int
    m: int
    n: int
    splits: int
    terms: int

    @property
    def bands(self) -> int:
        """Number of bands per batch element."""
        return -(-self.m // ROWS)

    @property
    def chunks(self) -> int:
        return self.splits * self.batch * self.bands

    @property
    def room(self) -> int:
        """Terms for which a chunk has room, so that chunks begin at multiples of 256 bytes."""
        return -(-self.terms // 8) * 8

    @property
    def columns(self) -> int:
        """Texels in a row of b and of the result."""
        return -(-self.n // 4)

    @property
    def width(self) -> int:
        """Texels in a line of a band's rectangle, an even number."""
        return -(-self.columns // (2 * LINES)) * 2

    @property
    def line(self) -> int:
        """Texels in a line of the layers: one rectangle or more."""
        return max(line_of(self.chunks * LINES * self.width), 1 << (self.width - 1).bit_length())

    @property
    def layer(self) -> int:
        """Elements of one layer: whole lines of rectangles."""
        return -(-self.chunks // (self.line // self.width)) * self.line * LINES * 4

    @property
    def b_line(self) -> int:
        """Texels in a line of b's texture: about a row of b, so that rows are below each other."""
        return 1 << (self.columns.bit_length() - 1)

    @property
    def pays(self) -> bool:
        """True if draws and the number of fragments are large enough, and textures fit."""
        if self.n * self.terms < LARGE_DRAW or self.chunks * self.columns < ENOUGH_TILES:
            return False
        b_lines = self.batch * self.splits * self.terms * self.columns // self.b_line
        return max(self.line, b_lines) <= LARGEST_SIDE


def bands_of(steps: WebGLSteps, p: Params, a: int, b: int) -> Bands | None:
    """Return the bands of a product with these parameters, or None if they do not pay."""
    floats = all(steps.program.buffers[x].dtype == float32 for x in (a, b))
    if not floats or steps.targets < ROWS or steps.block == 0:
        return None
    splits = max(1, -(-p["k"] * TERM_BYTES // steps.block))
    bands = Bands(p["batch"], p["m"], p["n"], splits, p["k"] // splits)
    return bands if p["k"] % splits == 0 and splits <= MOST_SPLITS and bands.pays else None


def add_bands(steps: WebGLSteps, p: Params, a: int, b: int, output: int, bands: Bands) -> None:
    """Add the steps: the operands in their layouts, the product, and the join of the bands."""
    shape: Params = {"batch": bands.batch, "bands": bands.bands, "terms": bands.terms}
    packed = steps.like(output, bands.chunks * bands.room * ROWS)
    row_stride, term_stride = (1, p["m"]) if p["transpose_a"] == "true" else (p["k"], 1)
    pack = shape | {"row_stride": row_stride, "term_stride": term_stride}
    pack |= {"room": bands.room, "a_batch_stride": p["a_batch_stride"]}
    steps.step("pack_bands", {"a": a}, packed, pack, ["QUADS"])
    rows, b_batch_stride = _rows_of_b(steps, p, b, output, bands)
    layers = steps.like(output, bands.layer, ROWS, bands.line)
    shape["width"] = bands.width
    product = shape | {"n": bands.columns, "b_batch_stride": b_batch_stride}
    flags = ["QUADS", f"PAIRS {steps.block // (2 * TERM_BYTES)}"]
    chunks = Chunks(bands.chunks, bands.room * TERM_BYTES, bands.width, LINES)
    steps.step("matmul_bands", {"b": rows, "a": packed}, layers, product, flags, chunks)
    quads = bands.n % 4 == 0
    join = shape | {"m": bands.m, "n": bands.columns if quads else bands.n, "splits": bands.splits}
    steps.step("join_bands", {"x": layers}, output, join, flags_of(QUADS=quads))


def _rows_of_b(steps: WebGLSteps, p: Params, b: int, output: int, bands: Bands) -> tuple[int, int]:
    """Return a buffer with b as [batch, k, texels of a row], and the distance of batches in texels.

    The buffer is b itself if at most two of its rows are adjacent in a line of its texture.
    """
    n, k, stride, texels = p["n"], p["k"], p["b_batch_stride"], bands.columns
    transposed = p["transpose_b"] == "true"
    quads = not transposed and n % 4 == 0 and stride % 4 == 0
    if quads and line_of(steps.program.buffers[b].count // 4) <= 2 * texels:
        return b, stride // 4
    dims = [bands.batch if stride else 1, k, texels if quads else 4 * texels]
    strides = [stride, *((1, k) if transposed else (n, 1))]
    if quads:
        strides = [stride // 4, texels, 1]
    copy = steps.like(output, dims[0] * k * texels * 4, line=bands.b_line)
    params: Params = {"dims": dims, "strides": strides, "offset": 0}
    steps.step("strided", {"x": b}, copy, params, ["RANK 3", *flags_of(QUADS=quads)])
    return copy, k * texels if stride else 0
