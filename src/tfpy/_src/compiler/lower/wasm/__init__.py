"""The lowering from a Graph to a Program of the wasm runtime (`csrc/xnnpack_glue`)."""

from tfpy._src.compiler.ir.op import add_backend
from tfpy._src.compiler.lower.wasm.lowering import lower
from tfpy._src.compiler.lower.wasm.target import WasmTarget

__all__ = ["WasmTarget", "lower"]

add_backend("wasm", lambda op: op.host_only)
