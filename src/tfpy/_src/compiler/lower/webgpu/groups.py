"""Kernels with cooperating threads: reductions, softmax, layer norm, and products of few rows."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders import reduction, rows
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgpu.steps import MAX_GROUPS, WebGPUSteps
from tfpy._src.compiler.lower.webgpu.tiles import Product
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP

SHORTEST = 64
"""Smallest number of elements that threads share. One thread combines fewer as fast."""

BUSY = 128
"""Number of workgroups below which a large device is idle, so that long reductions are split."""

SPLIT = 512
"""Number of workgroups into which they are split."""

MOST_HELD = 8
"""Largest number of texels of a row that one thread holds."""

MOST_ROWS = 4
"""Largest number of rows of a product that is limited by reading the matrix."""


def reduce(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a reduction.

    The threads of a workgroup share each output, or chunks of long reductions.
    """
    p: Params = dict(call.params)
    (source,) = inputs
    outer, n, inner = p["outer"], p["n"], p["inner"]
    if n < SHORTEST or outer * inner == 0:
        reduction.reduce(steps, call, inputs, output)
        return
    quads = inner % 4 == 0
    width = inner // 4 if quads else inner
    contiguous = inner == 1
    lanes = spread(lanes_of(n), n, outer, GROUP * BUSY) if contiguous else 16
    across = GROUP // lanes
    groups = -(-outer // across) if contiguous else outer * -(-width // across)
    longest = lanes * (16 if contiguous else 4)
    chunks = 1 if groups >= BUSY else max(1, min(-(-SPLIT // groups), n // longest))
    chunk = -(-n // (4 * chunks)) * 4
    chunks = -(-n // chunk)
    target = output if chunks == 1 else steps.like(output, outer * chunks * inner)
    params: Params = {"kind": p["kind"], "n": n, "chunk": chunk, "chunks": chunks, "inner": width}
    defines = [f"LANES {lanes}", f"ACROSS {across}"]
    flags = flags_of(QUADS=quads, CONTIGUOUS=contiguous)
    lines = outer * chunks
    count = -(-lines // across) if contiguous else lines * -(-width // across)
    steps.step("reduce_group", {"x": source}, target, params, [*defines, *flags], flat(count))
    if chunks > 1:
        rest = {**call.params, "n": chunks}
        reduce(steps, KernelCall(call.name, call.inputs, rest), [target], output)


def softmax(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    flags = flags_of(LOGARITHM=call.name == "log_softmax")
    if not _row_step(steps, "softmax_group", call, inputs, output, flags):
        rows.softmax(steps, call, inputs, output)


def layer_norm(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    flags = flags_of(CENTER=call.params["center"] == "true")
    if not _row_step(steps, "layer_norm_group", call, inputs, output, flags):
        rows.layer_norm(steps, call, inputs, output)


def _row_step(
    steps: WebGPUSteps,
    name: str,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    flags: Sequence[str],
) -> bool:
    """Add the step of a kernel with threads that hold whole rows, if the rows allow it."""
    if not holds_rows(call):
        return False
    p: Params = dict(call.params)
    n = p["n"]
    lanes = spread(lanes_of(n), n // 4, p["rows"], GROUP * BUSY)
    across = GROUP // lanes
    held = -(-n // (4 * lanes))
    defines = ["QUADS", f"LANES {lanes}", f"ACROSS {across}", f"HELD {held}", *flags]
    groups = flat(-(-p["rows"] // across))
    steps.step(name, inputs_of(call, inputs), output, {**p, "n": n // 4}, defines, groups)
    return True


def holds_rows(call: KernelCall) -> bool:
    """Return True if a workgroup's threads can hold whole rows of `n` elements.

    It is also the size rule of a kernel that has no other form.
    """
    p: Params = dict(call.params)
    n = p["n"]
    return bool(n % 4 == 0 and SHORTEST <= n <= GROUP * 4 * MOST_HELD and p["rows"])


def few_rows(
    steps: WebGPUSteps,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    product: Product,
    strides: Params,
) -> bool:
    """Add the step of a product of few rows, if the product has few and sizes are whole texels."""
    if not 0 < product.m <= MOST_ROWS or product.transpose_a or product.k < SHORTEST:
        return False
    if not (product.whole_a and product.whole_b) or not steps.result_dtype(output).is_floating:
        return False
    if product.batch > MAX_GROUPS:
        return False
    fours = product.n if product.transpose_b else product.n // 4
    lanes = 64 if product.transpose_b else 128
    while lanes > 32 and product.batch * fours * lanes >= 2 * GROUP * BUSY:
        lanes //= 2
    across = GROUP // lanes
    x, y, _ = flat(-(-fours // across))
    params = {**strides, "n": product.n, "k": product.k, "across": x}
    defines = [f"ROWS {product.m}", f"LANES {lanes}", f"ACROSS {across}"]
    flags = flags_of(QUADS=not product.transpose_b, TRANSPOSE_B_TRUE=product.transpose_b)
    groups = (x, y, product.batch)
    named = inputs_of(call, inputs)
    steps.step("matvec", named, output, params, [*defines, *flags], groups)
    return True


def lanes_of(n: int) -> int:
    """Return the number of threads that share `n` adjacent elements, about eight texels each."""
    return min(GROUP, max(8, 1 << (n // 32).bit_length() - 1))


def spread(lanes: int, parts: int, rows: int, busy: int) -> int:
    """Return the number of threads that share a row of `parts`, larger if there are few rows."""
    while lanes < min(parts, GROUP) and rows * lanes < busy:
        lanes *= 2
    return lanes


def flat(count: int) -> tuple[int, int, int]:
    """Return a grid of `count` workgroups or more."""
    down = -(-count // MAX_GROUPS)
    return -(-count // down), down, 1
