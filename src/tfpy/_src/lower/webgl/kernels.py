"""The steps of each named kernel on WebGL2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.ir.kernel import KernelCall
from tfpy._src.lower.program import Program
from tfpy._src.lower.shaders.kernels import DIRECT, Planner
from tfpy._src.lower.webgl import attention, convolution, matmul
from tfpy._src.lower.webgl.steps import MIN_TARGETS, WebGLSteps


def add_kernel(
    program: Program,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    targets: int = MIN_TARGETS,
    block: int = 0,
) -> None:
    """Adds the steps of a named kernel.

    Args:
        targets: how many textures a fragment may write at once: 4 or 8.
        block: bytes of an input that it may read through a uniform block.

    Raises:
        KeyError: when no kernel has that name.
    """
    steps = WebGLSteps(program, call, inputs, output, targets, block)
    _KERNELS[call.name](steps, call, steps.inputs, output)


_KERNELS: Mapping[str, Planner[WebGLSteps]] = {
    **DIRECT,
    "matmul": matmul.matmul,
    "conv2d": convolution.conv,
    "conv2d_backprop_input": convolution.conv_input,
    "conv2d_backprop_filter": convolution.conv_filter,
    "conv3d": convolution.conv,
    "conv3d_backprop_input": convolution.conv_input,
    "conv3d_backprop_filter": convolution.conv_filter,
    "attention": attention.attention,
}
