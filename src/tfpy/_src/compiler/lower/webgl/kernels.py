"""The steps of each named kernel on WebGL2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower import fused
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.shaders.kernels import DIRECT, Planner
from tfpy._src.compiler.lower.shaders.products import Tiles, planners
from tfpy._src.compiler.lower.webgl import convolution, matmul
from tfpy._src.compiler.lower.webgl.steps import MIN_TARGETS, WebGLSteps


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
    matmul=matmul.matmul,
    conv=convolution.conv,
    conv_input=convolution.conv_input,
    conv_filter=convolution.conv_filter,
    chunk=matmul.chunk,
)

_KERNELS: Mapping[str, Planner[WebGLSteps]] = {
    **DIRECT,
    **planners(_TILES),
}
"""Kernels of op records; those of fused kernels are in their records."""
