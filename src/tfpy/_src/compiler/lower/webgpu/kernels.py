"""The steps of each named kernel on WebGPU."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.strides import dense_strides, merge
from tfpy._src.compiler.lower import fused
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.shaders.kernels import DIRECT, Planner, block_of
from tfpy._src.compiler.lower.shaders.products import Tiles, planners, whole_operands
from tfpy._src.compiler.lower.shaders.steps import Params, chunk_of, flags_of, inputs_of
from tfpy._src.compiler.lower.webgpu import (
    convolution,
    groups,
)
from tfpy._src.compiler.lower.webgpu.groups import few_rows, flat
from tfpy._src.compiler.lower.webgpu.products import add_product
from tfpy._src.compiler.lower.webgpu.steps import MIN_INPUTS, WebGPUSteps, groups_of
from tfpy._src.compiler.lower.webgpu.tiles import Product
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP

SHORTEST = 16
"""Smallest size of both dimensions of a transpose in tiles. Smaller ones leave tiles empty."""

SMALL_TRANSPOSE = 1 << 16
"""Number of elements below which a transpose without tiles reads from caches."""

SIDE = 32
"""Side of a transposed tile. A side of 64 takes 1.7 times as long if whole texels are read."""


def strided(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a strided copy.

    The copy uses tiles if the contiguous dimensions of input and output differ.
    """
    if not steps.tiles or not _in_tiles(steps, call, inputs, output):
        DIRECT["strided"](steps, call, inputs, output)


def _in_tiles(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    """Add the step if tiles are the fastest way. Return True if it was added."""
    p: Params = dict(call.params)
    dims, (strides,) = merge(p["dims"], [p["strides"]])
    *outer, last = range(len(dims))
    inner = next((d for d in outer if strides[d] == 1), None)
    if inner is None or strides[last] == 1 or math.prod(dims) < SMALL_TRANSPOSE:
        return False
    if min(dims[inner], dims[last]) < SHORTEST:
        return False
    dense = dense_strides(dims)
    others = [d for d in outer if d != inner]
    pitches = [strides[d] for d in range(len(dims)) if d != inner]
    quads = all(n % 4 == 0 for n in (dims[last], p["offset"], *pitches))
    down, across = (-(-dims[d] // SIDE) for d in (inner, last))
    params: Params = {"rows": dims[inner], "columns": dims[last], "offset": p["offset"]}
    params |= {"pitch": strides[last], "step": dense[inner], "down": down, "across": across}
    params |= {
        "dims": [dims[d] for d in others] or [1],
        "strides": [strides[d] for d in others] or [0],
        "steps": [dense[d] for d in others] or [0],
    }
    defines = [f"RANK {len(params['dims'])}", f"SIDE {SIDE}", f"GROUP {GROUP}"]
    defines += flags_of(QUADS=quads)
    groups = flat(math.prod(params["dims"]) * down * across)
    steps.step("transpose_tile", inputs_of(call, inputs), output, params, defines, groups)
    return True


def matmul(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    """Add the steps of a product of few rows, or of a product in tiles. Return True if it did."""
    p: Params = dict(call.params)
    transposed = p["transpose_a"] == "true", p["transpose_b"] == "true"
    product = Product(p["batch"], p["m"], p["n"], p["k"], *whole_operands(p), *transposed)
    strides = {name: p[name] for name in ("a_batch_stride", "b_batch_stride")}
    if few_rows(steps, call, inputs, output, product, strides):
        return True
    return add_product(steps, inputs_of(call, inputs), output, product, strides)


def dynamic_update_slice(
    steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int
) -> None:
    """Add the step that writes the updates only, unless an epilogue changes all elements."""
    if call.epilogue is not None:
        DIRECT[call.name](steps, call, inputs, output)
        return
    params, defines = block_of(call)
    count = math.prod(params["sizes"])
    named = inputs_of(call, inputs)
    whole = named.pop("x")
    params |= {"count": count}
    steps.step("block_update", named, output, params, defines, groups_of(count), whole)


def add_kernel(
    program: Program,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    max_inputs: int = MIN_INPUTS,
    tiles: bool = True,
    matrices: Collection[DType] = (),
) -> None:
    """Add the steps of a named kernel.

    Args:
        max_inputs: Number of arrays that a kernel can read on the device.
        tiles: True if large products are computed in tiles.
        matrices: Dtypes that are multiplied by subgroup matrices.

    Raises:
        KeyError: If no kernel has this name.
    """
    steps = WebGPUSteps(program, call, inputs, output, max_inputs, tiles, matrices)
    plan(steps, call, steps.inputs, output)


def plan(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a named kernel without its prologue and epilogue, which `steps` applies.

    Raises:
        KeyError: If no kernel has this name.
    """
    planner = _KERNELS.get(call.name) or fused.planner_of("webgpu", call.name)
    planner(steps, call, inputs, output)


_TILES: Tiles[WebGPUSteps] = Tiles(
    matmul=matmul,
    conv=convolution.conv,
    conv_input=convolution.conv_input,
    conv_filter=convolution.conv_filter,
    chunk=chunk_of,
)

_KERNELS: Mapping[str, Planner[WebGPUSteps]] = {
    **DIRECT,
    "strided": strided,
    "dynamic_update_slice": dynamic_update_slice,
    "reduce": groups.reduce,
    **planners(_TILES),
}
"""Kernels of op records; those of fused kernels are in their records."""
