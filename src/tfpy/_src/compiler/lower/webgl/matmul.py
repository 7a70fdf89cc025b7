"""The steps of the matrix product on WebGL2, in bands or tiles where that pays."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.products import whole_operands
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgl.bands import add_bands, bands_of
from tfpy._src.compiler.lower.webgl.steps import WebGLSteps
from tfpy._src.compiler.lower.webgl.tiles import (
    Tiling,
    add_tiles,
    chunk_of,
    columns_of,
    spread_of,
    tiles_pay,
)

SHORTEST_CHUNK = 128
"""Smallest number of terms that one fragment sums if another step sums the chunks."""


def matmul(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    p: Params = dict(call.params)
    m, n, k = p["m"], p["n"], p["k"]
    named = inputs_of(call, inputs)
    bands = bands_of(steps, p, named["a"], named["b"])
    if bands is not None:
        add_bands(steps, p, named["a"], named["b"], output, bands)
        return True
    if not tiles_pay(m, p["batch"] * n, k):
        return False
    a_transposed, b_transposed = p["transpose_a"] == "true", p["transpose_b"] == "true"
    texels = -(-steps.program.buffers[named["a"]].count // 4)
    spread = 2 if a_transposed else spread_of(-(-k // 4), texels, m)
    tiling = Tiling(p["batch"], m, n, columns_of(steps, n), spread)
    p["chunk"] = chunk_of(tiling.tiles, k)
    chunks = -(-k // p["chunk"])
    a_whole, b_whole = whole_operands(p)
    fours = not (a_transposed and b_transposed)
    flags = flags_of(A_WHOLE=a_whole, B_WHOLE=b_whole and fours)
    add_tiles(steps, "matmul", named, output, p, flags, tiling, chunks)
    return True


def chunk(terms: int, outputs: int) -> int:
    """Return how many terms of its sum a fragment adds without tiles."""
    return chunk_of(-(-outputs // 4), terms, SHORTEST_CHUNK)
