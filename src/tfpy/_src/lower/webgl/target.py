"""What fusion passes may do for WebGL2."""

from __future__ import annotations

from tfpy._src.ir.graph import Aval
from tfpy._src.ir.kernel import Epilogue, KernelCall, Prologue
from tfpy._src.lower.webgl import attention
from tfpy._src.lower.webgl.steps import MAX_TEXTURES


class WebGLTarget:
    """See :class:`tfpy._src.lower.target.Target`."""

    fuses_loops = True
    fuses_prologues = True
    max_inputs = MAX_TEXTURES
    kernels = frozenset({"softmax", "log_softmax", "layer_norm", "attention"})

    def takes(self, call: KernelCall) -> bool:
        """All sizes, but for attention only small products."""
        return attention.pays(call) if call.name == "attention" else call.name in self.kernels

    def takes_epilogue(self, call: KernelCall, epilogue: Epilogue, out: Aval) -> bool:
        """Any expression, as long as the kernel's last step reads no more textures than it can."""
        return len(call.inputs) + len(epilogue.views) <= MAX_TEXTURES

    def takes_prologue(self, call: KernelCall, prologue: Prologue) -> bool:
        """Kernels that read each element of their operand about once, with textures left for the
        operands of the prologue."""
        reads = len(call.inputs) - 1 + len(prologue.views)
        reads += len(call.epilogue.views) if call.epilogue else 0
        return call.name in ("reduce", "arg_reduce", "concat") and reads <= MAX_TEXTURES
