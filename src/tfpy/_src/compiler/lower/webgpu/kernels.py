"""The steps of each named kernel on WebGPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower import fused
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.shaders.kernels import DIRECT, Planner
from tfpy._src.compiler.lower.shaders.products import Tiles, planners
from tfpy._src.compiler.lower.shaders.steps import chunk_of
from tfpy._src.compiler.lower.webgpu import (
    convolution,
    groups,
    matmul,
    transposition,
)
from tfpy._src.compiler.lower.webgpu.steps import MIN_INPUTS, WebGPUSteps


def add_kernel(
    program: Program,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    max_inputs: int = MIN_INPUTS,
    tiles: bool = True,
    matrices: bool = False,
) -> None:
    """Add the steps of a named kernel.

    Args:
        max_inputs: Number of arrays that a kernel can read on the device.
        tiles: True if large products are computed in tiles.
        matrices: True if products of bytes are computed by subgroup matrices.

    Raises:
        KeyError: If no kernel has this name.
    """
    steps = WebGPUSteps(program, call, inputs, output, max_inputs, tiles, matrices)
    plan = _KERNELS.get(call.name) or fused.planner_of("webgpu", call.name)
    plan(steps, call, steps.inputs, output)


_TILES: Tiles[WebGPUSteps] = Tiles(
    matmul=matmul.matmul,
    conv=convolution.conv,
    conv_input=convolution.conv_input,
    conv_filter=convolution.conv_filter,
    chunk=chunk_of,
)

_KERNELS: Mapping[str, Planner[WebGPUSteps]] = {
    **DIRECT,
    "strided": transposition.strided,
    "reduce": groups.reduce,
    **planners(_TILES),
}
"""Kernels of op records; those of fused kernels are in their records."""
