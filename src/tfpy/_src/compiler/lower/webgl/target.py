"""What fusion passes may do for WebGL2."""

from __future__ import annotations

from tfpy._src.compiler.lower.shaders.target import ShaderTarget
from tfpy._src.compiler.lower.webgl.steps import MAX_TEXTURES


class WebGLTarget(ShaderTarget):
    """See :class:`tfpy._src.compiler.lower.target.Target`."""

    def __init__(self) -> None:
        super().__init__("webgl", MAX_TEXTURES)
