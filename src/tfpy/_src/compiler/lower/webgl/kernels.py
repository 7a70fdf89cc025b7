"""The steps of each named kernel on WebGL2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower import fused
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.shaders.kernels import DIRECT, Planner
from tfpy._src.compiler.lower.shaders.products import Tiles, planners, whole_operands
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgl import convolution
from tfpy._src.compiler.lower.webgl.bands import add_bands, bands_of
from tfpy._src.compiler.lower.webgl.steps import MIN_TARGETS, WebGLSteps
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


def add_kernel(
    program: Program,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    targets: int = MIN_TARGETS,
    block: int = 0,
) -> None:
    """Add the steps of a named kernel.

    Args:
        targets: Number of textures that a fragment may write at once: 4 or 8.
        block: Number of bytes of an input that it may read through a uniform block.

    Raises:
        KeyError: If no kernel has this name.
    """
    steps = WebGLSteps(program, call, inputs, output, targets, block)
    plan = _KERNELS.get(call.name) or fused.planner_of("webgl", call.name)
    plan(steps, call, steps.inputs, output)


_TILES: Tiles[WebGLSteps] = Tiles(
    matmul=matmul,
    conv=convolution.conv,
    conv_input=convolution.conv_input,
    conv_filter=convolution.conv_filter,
    chunk=chunk,
)

_KERNELS: Mapping[str, Planner[WebGLSteps]] = {
    **DIRECT,
    **planners(_TILES),
}
"""Kernels of op records; those of fused kernels are in their records."""
