"""The steps of the matrix product on WebGL2."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.ir.kernel import KernelCall
from tfpy._src.lower.shaders.reduction import sum_chunks
from tfpy._src.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.lower.webgl.bands import add_bands, bands_of
from tfpy._src.lower.webgl.steps import WebGLSteps
from tfpy._src.lower.webgl.tiles import (
    Tiling,
    add_tiles,
    chunk_of,
    columns_of,
    spread_of,
    tiles_pay,
)

SHORTEST_CHUNK = 128
"""Terms of a sum that one fragment adds up at least, where a step of its own adds up the chunks."""


def matmul(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """In bands or tiles where that pays, else a fragment for each texel; long sums in chunks."""
    p: Params = dict(call.params)
    m, n, k = p["m"], p["n"], p["k"]
    a_transposed, b_transposed = p["transpose_a"] == "true", p["transpose_b"] == "true"
    a_whole = (m if a_transposed else k) % 4 == 0 and p["a_batch_stride"] % 4 == 0
    b_whole = (k if b_transposed else n) % 4 == 0 and p["b_batch_stride"] % 4 == 0
    named = inputs_of(call, inputs)
    bands = bands_of(steps, p, named["a"], named["b"])
    if bands is not None:
        add_bands(steps, p, named["a"], named["b"], output, bands)
        return
    if tiles_pay(m, p["batch"] * n, k):
        texels = -(-steps.program.buffers[named["a"]].count // 4)
        spread = 2 if a_transposed else spread_of(-(-k // 4), texels, m)
        tiling = Tiling(p["batch"], m, n, columns_of(steps, n), spread)
        p["chunk"] = chunk_of(tiling.tiles, k)
        chunks = -(-k // p["chunk"])
        fours = not (a_transposed and b_transposed)
        flags = flags_of(A_WHOLE=a_whole, B_WHOLE=b_whole and fours)
        add_tiles(steps, "matmul", named, output, p, flags, tiling, chunks)
        return
    count = p["batch"] * m * n
    p["chunk"] = chunk_of(-(-count // 4), k, SHORTEST_CHUNK)
    chunks = max(1, -(-k // p["chunk"]))
    dot = b_transposed and not a_transposed
    quads = n % 4 == 0 and (dot or (b_whole and not b_transposed))
    a_quads = a_whole and not a_transposed and not b_transposed
    if quads:
        p["n"] //= 4
        if not dot:
            p["b_batch_stride"] //= 4
    target = output if chunks == 1 else steps.like(output, chunks * count)
    flags = flags_of(QUADS=quads, DOT=dot, A_QUADS=a_quads)
    if dot:
        flags += flags_of(A_WHOLE=a_whole, B_WHOLE=b_whole)
    steps.step("matmul", named, target, p, flags)
    if chunks > 1:
        sum_chunks(steps, target, output, chunks)
