"""The steps of each named kernel on WebGPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.ir.kernel import KernelCall
from tfpy._src.lower.program import Program
from tfpy._src.lower.shaders.kernels import DIRECT, Planner
from tfpy._src.lower.webgpu import convolution, matmul
from tfpy._src.lower.webgpu.steps import MIN_INPUTS, WebGPUSteps


def add_kernel(
    program: Program,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    max_inputs: int = MIN_INPUTS,
) -> None:
    """Adds the steps of a named kernel.

    Args:
        max_inputs: arrays that a kernel can read on the device.

    Raises:
        KeyError: when no kernel has that name.
    """
    steps = WebGPUSteps(program, call, inputs, output, max_inputs)
    _KERNELS[call.name](steps, call, steps.inputs, output)


_KERNELS: Mapping[str, Planner[WebGPUSteps]] = {
    **DIRECT,
    "matmul": matmul.matmul,
    "conv2d": convolution.conv,
    "conv2d_backprop_input": convolution.conv_input,
    "conv2d_backprop_filter": convolution.conv_filter,
    "conv3d": convolution.conv,
    "conv3d_backprop_input": convolution.conv_input,
    "conv3d_backprop_filter": convolution.conv_filter,
}
