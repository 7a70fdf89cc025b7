"""What fusion passes may do for WebGPU."""

from __future__ import annotations

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.target import FURTHER_ARRAYS, ShaderTarget
from tfpy._src.compiler.lower.webgpu import attention
from tfpy._src.compiler.lower.webgpu.packed import gains, takes_few_rows, takes_maker
from tfpy._src.compiler.lower.webgpu.steps import MIN_INPUTS, stored_dtypes

KERNELS = frozenset(
    {
        *("softmax", "log_softmax", "layer_norm", "attention"),
        *("pack_bytes", "pack_nibbles", "packed_conv2d", "packed_rows"),
    }
)

_RULES = {
    "quantized_matmul": gains,
    "quantized_conv2d": gains,
    "packed_rows": takes_few_rows,
    "attention": attention.pays,
}
"""Of kernels that are not for all sizes."""


class WebGPUTarget(ShaderTarget):
    """See :class:`tfpy._src.compiler.lower.target.Target`.

    Args:
        max_inputs: arrays that a kernel can read on the device.
        half: whether the device has float16.
    """

    def __init__(self, max_inputs: int = MIN_INPUTS, half: bool = False) -> None:
        super().__init__(max_inputs, KERNELS, stored_dtypes(half))

    def takes(self, call: KernelCall) -> bool:
        """All sizes, but for products of few rows rows that a workgroup can hold; of attention and
        in int8 what gains by it."""
        rule = _RULES.get(call.name, super().takes)
        return rule(call)

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        """Also kernels that products of bytes take in."""
        if call.maker is None:
            return super().takes_prologue(call, arrays)
        fits = arrays + FURTHER_ARRAYS <= self.max_inputs
        return fits and takes_maker(call, call.maker)
