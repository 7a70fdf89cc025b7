"""Graph → Program of WebGPU compute kernels.

``lowering.py`` takes the calls of a Graph one by one. An expression goes to ``wgsl/``; a named
kernel to ``kernels.py``, which knows its steps, and from there to ``wgsl/``, too. What WebGL2's
lowering does alike stands in ``lower/shaders``. ``target.py`` is what passes ask.
"""

from tfpy._src.compiler.ir.op import add_backend
from tfpy._src.compiler.lower.webgpu.lowering import lower
from tfpy._src.compiler.lower.webgpu.matrices import MATRIX_BYTES
from tfpy._src.compiler.lower.webgpu.steps import MIN_INPUTS
from tfpy._src.compiler.lower.webgpu.target import WebGPUTarget
from tfpy._src.compiler.lower.webgpu.tiles import TILE_BYTES

__all__ = ["MATRIX_BYTES", "MIN_INPUTS", "TILE_BYTES", "WebGPUTarget", "lower"]

add_backend("webgpu", lambda op: op.host_only or op.sequential)
