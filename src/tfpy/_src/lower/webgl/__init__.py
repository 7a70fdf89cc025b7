"""Graph → Program of WebGL2 fragment shaders."""

from tfpy._src.lower.webgl.lowering import WebGLTarget, lower

__all__ = ["WebGLTarget", "lower"]
