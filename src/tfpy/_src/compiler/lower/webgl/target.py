"""The fusions that WebGL2 kernels support."""

from __future__ import annotations

from tfpy._src.compiler.lower.shaders.target import ShaderTarget
from tfpy._src.compiler.lower.webgl.steps import MAX_TEXTURES


class WebGLTarget(ShaderTarget):
    """The target of WebGL2; see :class:`tfpy._src.compiler.lower.target.Target`."""

    def __init__(self) -> None:
        super().__init__("webgl", MAX_TEXTURES)
