"""The steps of products with weights that stay as they are stored, and of their rows, on WebGPU.

Kernels read int8 arrays as words of four bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgpu.groups import BUSY, flat
from tfpy._src.compiler.lower.webgpu.kernels import plan
from tfpy._src.compiler.lower.webgpu.steps import WebGPUSteps
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP

WORD = 4
"""Number of bytes of a word."""

MOST_ROWS = 8
"""Number of rows up to which reading the weights takes most of the time of a product."""

SHORTEST_CHUNK = 4
"""Number of rows of the weights that a thread reads at once."""


def _stride(length: int, bits: int) -> int:
    """Return the number of bytes of a row of weights."""
    return -(-length * bits // 8)


def multiply(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a product.

    The numbers are converted while they are multiplied with few rows. Otherwise a separate step
    writes them as floats to temporary memory, which the steps of all products share.
    """
    p: Params = dict(call.params)
    named = inputs_of(call, inputs)
    turned = p["transpose_b"] == "true"
    length = p["k" if turned else "n"]
    stride = _stride(length, p["bits"])
    whole = length * p["bits"] % (8 * WORD) == 0
    if 0 < p["m"] <= MOST_ROWS and p["k"] and whole:
        few_rows = _turned if turned else _columns
        few_rows(steps, p | {"words": stride // WORD}, named, output)
    else:
        _by_floats(steps, p | {"stride": stride}, named, output, turned)


def _columns(steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int) -> None:
    """Add the step of a matrix [k, n]. Adjacent threads read adjacent words of a row."""
    across = 32
    while across > 8 and -(-p["words"] // across) < BUSY:
        across //= 2
    lanes = GROUP // across
    chunk = -(-p["k"] // (lanes * SHORTEST_CHUNK)) * SHORTEST_CHUNK
    groups = flat(-(-p["words"] // across))
    params = p | {"chunk": chunk, "across": groups[0]}
    defines = [*_sizes(p, named, lanes), "QUADS"]
    steps.step("stored_columns", named, output, params, defines, groups)


def _turned(steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int) -> None:
    """Add the step of a matrix [n, k]. Adjacent threads read adjacent words of a column."""
    lanes = 64
    while lanes > 8 and (lanes > p["words"] or p["n"] * lanes >= 2 * GROUP * BUSY):
        lanes //= 2
    groups = flat(-(-p["n"] * lanes // GROUP))
    params = p | {"across": groups[0]}
    steps.step("stored_rows", named, output, params, _sizes(p, named, lanes), groups)


def _sizes(p: Params, named: Mapping[str, int], lanes: int) -> list[str]:
    sizes = {"ROWS": p["m"], "BITS": p["bits"], "LANES": lanes, "ACROSS": GROUP // lanes}
    return [*(f"{k} {v}" for k, v in sizes.items()), *flags_of(SCALED="scale" in named)]


def _by_floats(
    steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int, turned: bool
) -> None:
    m, n, k = p["m"], p["n"], p["k"]
    shape = (n, k) if turned else (k, n)
    floats = steps.program.add_buffer(shape, float32)
    read = {name: buffer for name, buffer in named.items() if name != "x"}
    defines = [f"BITS {p['bits']}"]
    quads = math.prod(shape) % 4 == 0
    defines += flags_of(SCALED="scale" in named, TURNED=turned, QUADS=quads)
    steps.step("stored_floats", read, floats, p | {"width": shape[1]}, defines)
    product = {"batch": 1, "m": m, "n": n, "k": k, "a_batch_stride": 0, "b_batch_stride": 0}
    flags = {"transpose_a": "false", "transpose_b": p["transpose_b"]}
    call = KernelCall("matmul", ("a", "b"), product | flags)
    plan(steps, call, [named["x"], floats], output)


def gather(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step that reads rows of weights."""
    p: Params = dict(call.params)
    w, indices = inputs
    params = p | {"stride": _stride(p["width"], p["bits"])}
    named = {"w": w, "indices": indices}
    steps.step("gather_stored", named, output, params, [f"BITS {p['bits']}"])
