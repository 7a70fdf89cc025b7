"""The fusions that WebGPU kernels support."""

from __future__ import annotations

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.target import FURTHER_ARRAYS, ShaderTarget
from tfpy._src.compiler.lower.webgpu.packed import takes_maker
from tfpy._src.compiler.lower.webgpu.steps import MIN_INPUTS, stored_dtypes


class WebGPUTarget(ShaderTarget):
    """The target of WebGPU; see :class:`tfpy._src.compiler.lower.target.Target`.

    Args:
        max_inputs: Number of arrays that a kernel can read on the device.
        half: True if the device supports float16.
    """

    def __init__(self, max_inputs: int = MIN_INPUTS, half: bool = False) -> None:
        super().__init__("webgpu", max_inputs, stored_dtypes(half))

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        """Return True also for kernels that products of bytes can include."""
        if call.maker is None:
            return super().takes_prologue(call, arrays)
        fits = arrays + FURTHER_ARRAYS <= self.max_inputs
        return fits and takes_maker(call, call.maker)
