"""Graph → Program of the wasm runtime (``csrc/xnnpack_glue``)."""

from tfpy._src.ir.op import add_backend
from tfpy._src.lower.wasm.lowering import lower
from tfpy._src.lower.wasm.target import WasmTarget

__all__ = ["WasmTarget", "lower"]

add_backend("wasm", lambda op: op.host_only)
