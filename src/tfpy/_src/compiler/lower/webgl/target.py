"""What fusion passes may do for WebGL2."""

from __future__ import annotations

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.target import ShaderTarget
from tfpy._src.compiler.lower.webgl import attention
from tfpy._src.compiler.lower.webgl.steps import MAX_TEXTURES


class WebGLTarget(ShaderTarget):
    """See :class:`tfpy._src.compiler.lower.target.Target`."""

    def __init__(self) -> None:
        kernels = frozenset({"softmax", "log_softmax", "layer_norm", "attention"})
        super().__init__(MAX_TEXTURES, kernels)

    def takes(self, call: KernelCall) -> bool:
        """All sizes, but for attention only small products."""
        return attention.pays(call) if call.name == "attention" else super().takes(call)
