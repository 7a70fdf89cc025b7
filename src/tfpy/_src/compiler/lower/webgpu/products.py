"""Products in tiles on WebGPU: of threads, or of subgroup matrices if the device has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.base.dtypes import float16, float32
from tfpy._src.compiler.lower.shaders.reduction import sum_chunks
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of
from tfpy._src.compiler.lower.webgpu import matrices, tiles
from tfpy._src.compiler.lower.webgpu.groups import flat
from tfpy._src.compiler.lower.webgpu.matrices import MatrixTile
from tfpy._src.compiler.lower.webgpu.steps import MAX_GROUPS, WebGPUSteps
from tfpy._src.compiler.lower.webgpu.tiles import FILLS, Product, Tile
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP

SMALL = 1 << 20
"""Number of multiplications below which one invocation per output is as fast."""

SHORTEST_CHUNK = 96
"""Smallest number of terms that one workgroup sums."""

ROW_LANES = 64
"""Number of threads that share a row of which they find the scale."""


def add_product(
    steps: WebGPUSteps,
    inputs: Mapping[str, int],
    output: int,
    product: Product,
    params: Params,
    flags: Sequence[str] = (),
) -> bool:
    """Add the steps of a product in tiles, if that is the fastest way.

    Args:
        inputs: The left operand and the right operand.
        params: Parameters of the operands' readers, in addition to the product's sizes.
        flags: Flags of the operands' readers; see `library/operands.wgsl`.

    Returns:
        True if steps were added.
    """
    if not steps.tiles or not steps.result_dtype(output).is_floating or product.size < SMALL:
        return False
    split = "BLOCKS" in flags
    tile = _matrix_tile(steps, inputs, product, split) or tiles.tile_for(product)
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
    name = "matmul_tile"
    if isinstance(tile, MatrixTile):
        name = "matmul_matrix"
        defines += flags_of(SPLIT=split)
        if split:
            inputs = {**inputs, "scales": row_scales(steps, inputs["a"], product)}
    steps.step(
        name,
        inputs,
        target,
        {**params, **sizes, "chunk": chunk},
        [*tile.defines(), *defines, *flags],
        groups,
    )
    if chunks > 1:
        sum_chunks(steps, target, output, chunks)
    return True


def chunk_for(product: Product, tile: Tile | MatrixTile) -> int:
    """Return the part of k that a workgroup sums, a multiple of the tile's depth."""
    chunks = 1
    while tile.count(product) * chunks < FILLS and product.k >= 2 * chunks * SHORTEST_CHUNK:
        chunks *= 2
    unit = 4 * tile.depth
    return -(-product.k // (chunks * unit)) * unit


def takes_halves(steps: WebGPUSteps, operands: Sequence[int]) -> bool:
    """Return True if subgroup matrices can multiply these operands as they are."""
    return float16 in steps.matrices and all(steps.dtype_of(x) == float16 for x in operands)


def _matrix_tile(
    steps: WebGPUSteps, inputs: Mapping[str, int], product: Product, split: bool
) -> MatrixTile | None:
    """Return the tile of subgroup matrices that is the fastest for a product, or None."""
    fits = float16 in steps.matrices if split else takes_halves(steps, [*inputs.values()])
    return matrices.half_tile_for(product, split) if fits else None


def row_scales(steps: WebGPUSteps, x: int, product: Product) -> int:
    """Return the buffer of the rows' scales, which products of the same rows share."""
    program = steps.program
    sizes: Params = {"rows": product.m, "n": product.k}
    for step in program.steps:
        is_scales = program.kernels[step.kernel].name == "row_scales"
        if is_scales and step.inputs == (x,) and step.params == sizes:
            return step.outputs[0]
    scales = program.add_buffer([product.m], float32)
    across = GROUP // ROW_LANES
    defines = [f"LANES {ROW_LANES}", f"ACROSS {across}", *flags_of(WHOLE=product.whole_a)]
    steps.step("row_scales", {"x": x}, scales, sizes, defines, flat(-(-product.m // across)))
    return scales
