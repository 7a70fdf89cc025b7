"""The lowering from a Graph to a Program of WebGPU compute kernels.

`lowering.py` lowers the calls of a Graph one by one. Expressions are written by `wgsl/`. Named
kernels are planned by `kernels.py` and then written by `wgsl/`. Code that is shared with WebGL2's
lowering is in `lower/shaders`. Passes query `target.py`.
"""

from tfpy._src.compiler.ir.op import add_backend
from tfpy._src.compiler.lower.webgpu.lowering import lower
from tfpy._src.compiler.lower.webgpu.matrices import MATRIX_BYTES
from tfpy._src.compiler.lower.webgpu.steps import MIN_INPUTS
from tfpy._src.compiler.lower.webgpu.target import WebGPUTarget
from tfpy._src.compiler.lower.webgpu.tiles import TILE_BYTES

__all__ = ["MATRIX_BYTES", "MIN_INPUTS", "TILE_BYTES", "WebGPUTarget", "lower"]

add_backend("webgpu", lambda op: op.host_only or op.sequential)
