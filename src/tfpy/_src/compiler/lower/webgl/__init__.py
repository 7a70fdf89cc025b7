"""Graph → Program of WebGL2 fragment shaders.

``lowering.py`` takes the calls of a Graph one by one. An expression goes to ``glsl/``; a named
kernel to ``kernels.py``, which knows its steps (``steps.py`` and a file for each group of kernels),
and from there to ``glsl/``, too. ``target.py`` is what passes ask.
"""

from tfpy._src.compiler.ir.op import add_backend
from tfpy._src.compiler.lower.webgl.lowering import lower
from tfpy._src.compiler.lower.webgl.target import WebGLTarget

__all__ = ["WebGLTarget", "lower"]

add_backend("webgl", lambda op: op.host_only or op.sequential)
