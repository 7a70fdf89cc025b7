"""The steps of the matrix product on WebGPU."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.ir.kernel import KernelCall
from tfpy._src.lower.shaders.reduction import sum_chunks
from tfpy._src.lower.shaders.steps import Params, chunk_of, flags_of, inputs_of
from tfpy._src.lower.webgpu.groups import few_rows
from tfpy._src.lower.webgpu.steps import WebGPUSteps
from tfpy._src.lower.webgpu.tiles import Product, add_product


def matmul(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """In tiles, or an invocation for each texel and long sums in chunks."""
    p: Params = dict(call.params)
    m, n, k = p["m"], p["n"], p["k"]
    a_transposed, b_transposed = p["transpose_a"] == "true", p["transpose_b"] == "true"
    a_whole = (m if a_transposed else k) % 4 == 0 and p["a_batch_stride"] % 4 == 0
    b_whole = (k if b_transposed else n) % 4 == 0 and p["b_batch_stride"] % 4 == 0
    count = p["batch"] * m * n
    product = Product(p["batch"], m, n, k, a_whole, b_whole, a_transposed, b_transposed)
    strides = {name: p[name] for name in ("a_batch_stride", "b_batch_stride")}
    if few_rows(steps, call, inputs, output, product, strides):
        return
    if add_product(steps, inputs_of(call, inputs), output, product, strides):
        return
    p["chunk"] = chunk_of(k, count)
    chunks = max(1, -(-k // p["chunk"]))
    dot = b_transposed and not a_transposed
    quads = n % 4 == 0 and (dot or (b_whole and not b_transposed))
    if quads:
        p["n"] //= 4
        if not dot:
            p["b_batch_stride"] //= 4
    target = output if chunks == 1 else steps.like(output, chunks * count)
    a_quads = a_whole and not a_transposed and not b_transposed
    flags = flags_of(QUADS=quads, DOT=dot, A_QUADS=a_quads)
    if dot:
        flags += flags_of(A_WHOLE=a_whole, B_WHOLE=b_whole)
    steps.step("matmul", inputs_of(call, inputs), target, p, flags)
    if chunks > 1:
        sum_chunks(steps, target, output, chunks)
