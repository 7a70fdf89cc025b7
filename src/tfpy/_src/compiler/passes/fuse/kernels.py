"""The records of fused kernels.

A new kernel needs a record here, a pattern, a shader and a test.
"""

from __future__ import annotations

from tfpy._src.compiler.lower.fused import FusedKernel, OnDevice, register
from tfpy._src.compiler.passes.block_weights import (
    PRODUCT,
    ROWS,
    VALUES,
    multiply_block_weights,
)
from tfpy._src.compiler.passes.fuse.attention import fuse_attention
from tfpy._src.compiler.passes.fuse.layer_norm import fuse_layer_norm
from tfpy._src.compiler.passes.fuse.softmax import fuse_softmax
from tfpy._src.compiler.passes.quantize import quantize
from tfpy._src.compiler.passes.stored_weights import multiply_stored_weights

_WASM = "wasm.lowering.add_kernel"

FUSIONS = (
    FusedKernel(
        "attention",
        fuse_attention,  # before softmax, which is a part of attention
        {
            "wasm": OnDevice(_WASM, takes="wasm.target.takes_attention"),
            "webgl": OnDevice("webgl.attention.attention", takes="webgl.attention.pays"),
            "webgpu": OnDevice("webgpu.attention.attention", takes="webgpu.attention.pays"),
        },
    ),
    FusedKernel(
        "softmax",
        fuse_softmax,
        {
            "wasm": OnDevice(_WASM),
            "webgl": OnDevice("shaders.rows.softmax"),
            "webgpu": OnDevice("webgpu.groups.softmax"),
        },
    ),
    FusedKernel(
        "log_softmax",
        fuse_softmax,
        {
            "wasm": OnDevice(_WASM),
            "webgl": OnDevice("shaders.rows.softmax"),
            "webgpu": OnDevice("webgpu.groups.softmax"),
        },
    ),
    FusedKernel(
        "layer_norm",
        fuse_layer_norm,
        {
            "wasm": OnDevice(_WASM),
            "webgl": OnDevice("shaders.rows.layer_norm"),
            "webgpu": OnDevice("webgpu.groups.layer_norm"),
        },
    ),
)
"""Kernels of `fusion` equations, in the order in which the patterns are matched."""

QUANTIZED = (
    FusedKernel(
        "quantized_matmul",
        quantize,
        {
            "wasm": OnDevice(_WASM, takes="wasm.target.takes_quantized_product"),
            "webgpu": OnDevice(takes="webgpu.packed.gains"),
        },
    ),
    FusedKernel(
        "quantized_conv2d",
        quantize,
        {
            "wasm": OnDevice(_WASM, takes="wasm.target.takes_quantized_convolution"),
            "webgpu": OnDevice(takes="webgpu.packed.gains"),
        },
    ),
    FusedKernel("pack_bytes", quantize, {"webgpu": OnDevice("webgpu.packed.pack")}),
    FusedKernel("pack_nibbles", quantize, {"webgpu": OnDevice("webgpu.packed.nibbles")}),
    FusedKernel("packed_conv2d", quantize, {"webgpu": OnDevice("webgpu.packed.conv")}),
    FusedKernel(
        "packed_rows",
        quantize,
        {"webgpu": OnDevice("webgpu.packed.few_rows", takes="webgpu.packed.takes_few_rows")},
    ),
)
"""Kernels of ops that the quantizing pass creates."""

STORED = (
    FusedKernel(
        "multiply_stored",
        multiply_stored_weights,
        {"wasm": OnDevice(_WASM), "webgpu": OnDevice("webgpu.stored.multiply")},
    ),
    FusedKernel(
        "gather_stored",
        multiply_stored_weights,
        {"wasm": OnDevice(_WASM), "webgpu": OnDevice("webgpu.stored.gather")},
    ),
)
"""Kernels that read int8 weights as they are stored."""

BLOCKS = tuple(
    FusedKernel(
        name,
        multiply_block_weights,
        {"wasm": OnDevice(_WASM), "webgpu": OnDevice(f"webgpu.blocks.{planner}")},
    )
    for name, planner in ((PRODUCT, "multiply"), (ROWS, "gather"), (VALUES, "dequantize"))
)
"""Kernels that read weights in block formats."""

for _kernel in (*FUSIONS, *QUANTIZED, *STORED, *BLOCKS):
    register(_kernel)

PATTERNS = tuple(dict.fromkeys(kernel.pattern for kernel in FUSIONS))
"""Passes that create fusions, in their order."""
