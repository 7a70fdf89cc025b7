"""The steps of the matrix product on WebGPU with cooperating invocations."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.products import whole_operands
from tfpy._src.compiler.lower.shaders.steps import Params, inputs_of
from tfpy._src.compiler.lower.webgpu.groups import few_rows
from tfpy._src.compiler.lower.webgpu.steps import WebGPUSteps
from tfpy._src.compiler.lower.webgpu.tiles import Product, add_product


def matmul(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    """Add the steps of a product of few rows, or of a product in tiles. Return True if it did."""
    p: Params = dict(call.params)
    transposed = p["transpose_a"] == "true", p["transpose_b"] == "true"
    product = Product(p["batch"], p["m"], p["n"], p["k"], *whole_operands(p), *transposed)
    strides = {name: p[name] for name in ("a_batch_stride", "b_batch_stride")}
    if few_rows(steps, call, inputs, output, product, strides):
        return True
    return add_product(steps, inputs_of(call, inputs), output, product, strides)
