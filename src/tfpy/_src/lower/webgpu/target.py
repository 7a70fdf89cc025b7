"""What fusion passes may do for WebGPU."""

from __future__ import annotations

from tfpy._src.lower.shaders.target import ShaderTarget
from tfpy._src.lower.webgpu.steps import MIN_INPUTS, stored_dtypes

KERNELS = frozenset({"softmax", "log_softmax", "layer_norm", "pack_bytes", "packed_conv2d"})


class WebGPUTarget(ShaderTarget):
    """See :class:`tfpy._src.lower.target.Target`.

    Args:
        max_inputs: arrays that a kernel can read on the device.
        half: whether the device has float16.
    """

    def __init__(self, max_inputs: int = MIN_INPUTS, half: bool = False) -> None:
        super().__init__(max_inputs, KERNELS, stored_dtypes(half))
