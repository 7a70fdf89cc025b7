"""What fusion passes may do for WebGPU."""

from __future__ import annotations

from tfpy._src.ir.aval import Aval
from tfpy._src.ir.kernel import Epilogue, KernelCall, Prologue
from tfpy._src.lower.webgpu.steps import MIN_INPUTS


class WebGPUTarget:
    """See :class:`tfpy._src.lower.target.Target`.

    Args:
        max_inputs: arrays that a kernel can read on the device.
    """

    fuses_loops = True
    fuses_prologues = True
    kernels = frozenset({"softmax", "log_softmax", "layer_norm"})

    def __init__(self, max_inputs: int = MIN_INPUTS) -> None:
        self.max_inputs = max_inputs

    def takes(self, call: KernelCall) -> bool:
        """All sizes."""
        return call.name in self.kernels

    def takes_epilogue(self, call: KernelCall, epilogue: Epilogue, out: Aval) -> bool:
        """Any expression, as long as the kernel's last step reads no more arrays than it can."""
        # The last step of some kernels reads one array more than the call.
        return len(call.inputs) + 1 + len(epilogue.views) <= self.max_inputs

    def takes_prologue(self, call: KernelCall, prologue: Prologue) -> bool:
        """Kernels that read each element of their operand about once, with arrays left for the
        operands of the prologue."""
        reads = len(call.inputs) - 1 + len(prologue.views)
        reads += len(call.epilogue.views) if call.epilogue else 0
        return call.name in ("reduce", "arg_reduce", "concat") and reads <= self.max_inputs
