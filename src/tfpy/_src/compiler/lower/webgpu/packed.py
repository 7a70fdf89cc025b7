"""The steps of products of packed bytes on WebGPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.base.dtypes import int8
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.kernels import DIRECT
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.shaders.windows import is_pointwise, shaped, size_of
from tfpy._src.compiler.lower.webgpu import matrices
from tfpy._src.compiler.lower.webgpu.groups import BUSY, MOST_ROWS, flat, lanes_of, spread
from tfpy._src.compiler.lower.webgpu.matrices import MatrixTile
from tfpy._src.compiler.lower.webgpu.steps import MakerSteps, WebGPUSteps
from tfpy._src.compiler.lower.webgpu.tiles import (
    FILLS,
    LARGE,
    MEDIUM,
    MEDIUM_SHORT,
    SMALL_SHORT,
    SMALL_TILE,
    Product,
    Tile,
)
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP

LARGE_BYTES = Tile(4, 2, 16, 8, depth=2)
"""Sums of bytes need few registers for their operands, so that a thread has more sums."""

TEXEL = 16
"""Bytes of a texel."""

READY = 4
"""Largest number of texels of a channel that a thread reads before the few rows are quantized."""

MADE = 4
"""Largest number of words of a row that a thread makes."""

MANY = 1 << 18
"""Number of threads up to which that holds. 132 multiprocessors hold them."""

MIN_USES = 64
"""Number of output channels from which int8 pays."""

MIN_DEPTH = 64
"""Number of input channels from which int8 pays."""

MIN_PACKED = 1 << 22
"""Number of multiplications from which int8 pays if the kernel that computes rows packs them."""

MIN_PRODUCTS = 1 << 27
"""Number of multiplications from which int8 pays if a separate step packs rows."""

MIN_WEIGHTS = 1 << 20
"""Number of weights from which products of few rows pay, because they read less."""

MOST_BYTES = 8192
"""Largest number of bytes of few rows that each workgroup quantizes."""


def pack(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step that packs rows, with enough threads per row to keep the device busy.

    Computing an operand takes longer than reading it, so then a thread has fewer words.
    """
    p: Params = dict(call.params)
    words = p["parts"] * 4 * -(-p["k"] // TEXEL)
    if call.maker is None:
        lanes, busy = lanes_of(p["k"] * p["parts"]), GROUP * BUSY
    else:
        lanes, busy = max(4, 1 << (words // MADE - 1).bit_length()), MANY
    lanes = spread(lanes, words, p["rows"], busy)
    across = GROUP // lanes
    sizes = {"LANES": lanes, "ACROSS": across, "HELD": -(-words // lanes)}
    defines = ["QUADS", *(f"{k} {v}" for k, v in sizes.items()), *flags_of(WHOLE=p["k"] % 4 == 0)]
    groups = flat(max(1, -(-p["rows"] // across)))
    if call.maker is None:
        steps.step("pack_bytes", inputs_of(call, inputs), output, p, defines, groups)
    else:
        maker = MakerSteps(steps, call.maker, inputs, output)
        DIRECT[call.maker.name](maker, call.maker, maker.inputs, output)
        maker.add("pack_bytes", call.inputs[0], p, defines, groups)


def takes_maker(call: KernelCall, maker: KernelCall) -> bool:
    """Return True if a call's kernel can compute the result of `maker`.

    This holds for pixels that are packed, and for few rows that are normalized.
    """
    if call.name == "pack_bytes":
        return makes_pixels(maker)
    if call.name != "packed_rows" or maker.name != "layer_norm":
        return False
    p: Params = dict(call.params)
    is_whole = maker.prologue is None and maker.epilogue is None and maker.maker is None
    return bool(is_whole and maker.params["n"] == p["k"] and p["k"] % 4 == 0)


def makes_pixels(maker: KernelCall) -> bool:
    """Return True if a kernel computes pixels texel by texel, independently."""
    p: Params = dict(maker.params)
    return maker.name == "depthwise_conv2d" and p["in_c"] % 4 == 0 and p["multiplier"] == 1


def conv(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps in tiles."""
    p: Params = dict(call.params)
    product = Product(1, p["batch"] * size_of(p, "out"), p["out_c"], p["in_c"], True, True)
    named = inputs_of(call, inputs)
    if is_pointwise(p):
        add_product(steps, named, output, product)
    else:
        tile = _tile(steps, product, pointwise=False)
        params, flags = shaped(p, ["WINDOWS"])
        params |= {"taps": size_of(p, "filter")}
        _in_tiles(steps, "packed_tile", named, output, product, tile, params, flags)


def add_product(
    steps: WebGPUSteps, named: Mapping[str, int], output: int, product: Product
) -> None:
    """Add the step of a product of packed rows `x` and packed columns `filter`.

    It uses subgroup matrices if the device has them.
    """
    matrix = matrices.tile_for(product) if int8 in steps.matrices else None
    name = "packed_tile" if matrix is None else "packed_matrix"
    tile = matrix or _tile(steps, product, pointwise=True)
    _in_tiles(steps, name, named, output, product, tile, {"taps": 1}, [])


def _tile(steps: WebGPUSteps, product: Product, pointwise: bool) -> Tile:
    finished = steps.call.epilogue is not None
    return tile_for(product, pointwise, finished) if steps.tiles else SMALL_SHORT


def _in_tiles(
    steps: WebGPUSteps,
    name: str,
    named: Mapping[str, int],
    output: int,
    product: Product,
    tile: Tile | MatrixTile,
    params: Params,
    flags: list[str],
) -> None:
    texels = -(-product.k // TEXEL)
    sizes = {"m": product.m, "n": product.n, "texels": texels}
    flags = flags + flags_of(QUADS=product.n % 4 == 0, CHECK_K=texels % tile.depth != 0)
    groups = max(1, -(-product.n // tile.columns)), max(1, -(-product.m // tile.rows)), 1
    steps.step(name, named, output, params | sizes, [*tile.defines(), *flags], groups)


def tile_for(product: Product, pointwise: bool, finished: bool) -> Tile:
    """Return the tile for a product's shape.

    Args:
        pointwise: True if threads may share the depth of a tile, unlike for taps of windows.
        finished: True if an epilogue follows. With an epilogue, drivers do not unroll the loop over
            many sums, which then do not stay in registers.
    """
    short = product.k <= TEXEL * SMALL_TILE.depth or not pointwise
    large = LARGE if short or finished else LARGE_BYTES
    if large.count(product) >= 2 * FILLS and product.n > MEDIUM_SHORT.columns:
        return large
    if short:
        return MEDIUM_SHORT if MEDIUM_SHORT.count(product) >= 2 * FILLS else SMALL_SHORT
    return MEDIUM if MEDIUM.count(product) >= FILLS else SMALL_TILE


def few_rows(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step of a product of few rows.

    Threads share a channel. All threads of a workgroup quantize the rows, and normalize them first
    if required.
    """
    p: Params = dict(call.params)
    k, n, bits = p["k"], p["n"], p.pop("bits")
    lanes = 64
    while lanes > 8 and (lanes > p["texels"] or n * lanes >= 2 * GROUP * BUSY):
        lanes //= 2
    across = GROUP // lanes
    x, y, _ = flat(-(-n // across))
    texels = p["texels"] * (8 // bits)
    sizes = {"ROWS": p["m"], "LANES": lanes, "ACROSS": across, "TEXELS": texels}
    sizes |= {"HELD": -(-4 * texels // GROUP), "READY": min(READY, -(-p["texels"] // lanes))}
    flags = flags_of(WHOLE=k % 4 == 0, NIBBLES=bits == 4, NORM=call.maker is not None)
    names = call.inputs
    if call.maker is not None:
        names = (*call.maker.inputs, *call.inputs[1:])
        p = {**call.maker.params, **p}
    defines = [*(f"{k} {v}" for k, v in sizes.items()), *flags]
    named = dict(zip(names, inputs, strict=True))
    steps.step("packed_rows", named, output, p | {"across": x}, defines, (x, y, 1))


def takes_few_rows(call: KernelCall) -> bool:
    """Return True if a workgroup can hold the rows of a call."""
    p: Params = dict(call.params)
    return _are_few(p["m"], p["k"])


def _are_few(m: int, k: int) -> bool:
    return 0 < m <= MOST_ROWS and m * k <= MOST_BYTES


def nibbles(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    steps.step("pack_nibbles", inputs_of(call, inputs), output, call.params, ["QUADS"])


def gains(call: KernelCall) -> bool:
    """Return True if a product is faster in int8.

    A separate step that packs rows costs the gain of all but large products. Packing by the kernel
    that computes the rows, or by the kernel of few rows, costs almost nothing.
    """
    p: Params = dict(call.params)
    if call.name == "quantized_matmul":
        m, n, depth, taps = p["m"], p["n"], p["k"], 1
        if _are_few(m, depth):
            return bool(n * depth >= MIN_WEIGHTS)
    else:
        m, n = p["batch"] * size_of(p, "out"), p["out_c"]
        depth, taps = p["in_c"], size_of(p, "filter")
    packed = call.maker is not None and makes_pixels(call.maker)
    least = MIN_PACKED if packed else MIN_PRODUCTS
    return bool(n >= MIN_USES and depth >= MIN_DEPTH and m * n * depth * taps >= least)
