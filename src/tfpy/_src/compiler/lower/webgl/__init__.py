"""The lowering from a Graph to a Program of WebGL2 fragment shaders.

`lowering.py` lowers the calls of a Graph one by one. Expressions are written by `glsl/`. Named
kernels are planned by `kernels.py` (with `steps.py` and a file for each group of kernels) and then
written by `glsl/`. Passes query `target.py`.
"""

from tfpy._src.compiler.ir.op import Op, add_backend
from tfpy._src.compiler.lower.webgl.lowering import lower
from tfpy._src.compiler.lower.webgl.target import WebGLTarget

__all__ = ["WebGLTarget", "lower"]


def _lacks(op: Op) -> str:
    return op.host_only or op.sequential or ("textures have no bytes" if op.reads_bytes else "")


add_backend("webgl", _lacks)
