"""Graph → Program of WebGL2 fragment shaders."""

from tfpy._src.ir.op import add_backend
from tfpy._src.lower.webgl.lowering import WebGLTarget, lower

__all__ = ["WebGLTarget", "lower"]

add_backend("webgl", lambda op: op.host_only or op.sequential)
