"""The steps of products with weights in block formats, and of their values, on WebGPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgpu.groups import flat
from tfpy._src.compiler.lower.webgpu.kernels import plan
from tfpy._src.compiler.lower.webgpu.products import add_product
from tfpy._src.compiler.lower.webgpu.steps import WebGPUSteps
from tfpy._src.compiler.lower.webgpu.tiles import Product

MOST_ROWS = 8
"""Number of rows up to which reading the weights takes most of the time of a product."""
FEWEST_LANES, MOST_LANES = 8, 64
"""Least and largest number of threads that share a row of the weights."""
ENOUGH = 1 << 18
"""Number of lanes of all rows above which fewer lanes share a row."""
MOST_HELD = 4
"""Largest number of rows of the weights that a thread reads with the same values of x."""
MOST_SUMS = 8
"""Largest number of sums of a thread."""
FEWEST_THREADS = 3 << 14
"""Number of threads below which it pays less that a thread reads several rows."""
FLOAT_BITS = 16
"""Number of bits of values that are floats."""


def multiply(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a product.

    For many rows, each tile of the product computes the values that it reads. Small products, and
    all products on devices without tiles, compute all values first, in temporary memory.
    """
    p: Params = dict(call.params)
    named = inputs_of(call, inputs)
    if p["transpose_b"] == "true" and 0 < p["m"] <= MOST_ROWS:
        _few_rows(steps, p, named, output)
        return
    transpose_b = p["transpose_b"] == "true"
    k, n = (p["k"], p["n"]) if transpose_b else (p["n"], p["k"])
    operands = {"a": named["x"], "w": named["w"]}
    in_tiles = Product(1, p["m"], n, k, k % 4 == 0, True, transpose_b=transpose_b)
    params = {"a_batch_stride": 0, "b_batch_stride": 0} | _fields(p)
    if add_product(steps, operands, output, in_tiles, params, ["BLOCKS", *_defines(p)]):
        return
    floats = steps.program.add_buffer((p["n"], p["k"]), float32)
    _values(steps, p, {"w": named["w"]}, floats)
    product = {"batch": 1, "m": p["m"], "n": n, "k": k, "a_batch_stride": 0, "b_batch_stride": 0}
    flags = {"transpose_a": "false", "transpose_b": p["transpose_b"]}
    plan(steps, KernelCall("matmul", ("a", "b"), product | flags), [named["x"], floats], output)


def dequantize(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step that computes all values."""
    _values(steps, dict(call.params), inputs_of(call, inputs), output)


def gather(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step that reads rows."""
    _values(steps, dict(call.params), inputs_of(call, inputs), output)


def _values(steps: WebGPUSteps, p: Params, named: dict[str, int], output: int) -> None:
    defines = ["QUADS", *_defines(p), *flags_of(GATHER="indices" in named)]
    steps.step("blocks_values", named, output, _uniforms(p), defines)


def _few_rows(steps: WebGPUSteps, p: Params, named: dict[str, int], output: int) -> None:
    """Add the step of a product of few rows. Adjacent threads read adjacent groups of a row.

    The numbers of threads and rows were among the fastest of 30 on an NVIDIA H200, for the matrices
    of models with 135 million and 1.5 billion weights.
    """
    groups, lanes, held = p["k"] // p["group"], MOST_LANES, 1
    while lanes > FEWEST_LANES and (lanes > groups or p["n"] * lanes > ENOUGH):
        lanes //= 2
    while (
        2 * held <= min(MOST_HELD, MOST_SUMS // p["m"])
        and p["n"] % (2 * held) == 0
        and p["n"] * lanes >= FEWEST_THREADS * 2 * held
    ):
        held *= 2
    across = MOST_LANES // lanes
    defines = [*_defines(p), f"ROWS {p['m']}", f"LANES {lanes}", f"ACROSS {across}", f"HELD {held}"]
    defines += flags_of(MINIMUM=p["minimum"] == "true")
    size = flat(-(-p["n"] // (held * across)))
    steps.step("blocks_rows", named, output, _uniforms(p), defines, size)


def _uniforms(p: Params) -> Params:
    """Return the parameters that differ between matrices of a format."""
    return {"n": p["n"], "k": p["k"], **_fields(p)}


def _fields(p: Params) -> Params:
    """Return the first bytes of the fields."""
    found: Params = {f"field{i}": begin for i, begin in enumerate(p["bits"][::5])}
    return found | {f"scale{i}": begin for i, begin in enumerate(p["scales"])}


def _defines(p: Params) -> list[str]:
    numbers = " ".join(_numbers(p))
    return [f"SIZE {p['size']}", f"VALUES {p['group']}", f"SCALE scale_{p['scale']}", numbers]


def _numbers(p: Params) -> Iterator[str]:
    """Yield the code of the function that reads four numbers of a block."""
    yield "NUMBERS"
    if p["table"]:
        yield f"const TABLE = array<f32, {len(p['table'])}>({', '.join(map(str, p['table']))});"
    yield "fn numbers_at(b: i32, i: i32) -> vec4<f32> {"
    if p["bits"][2] == FLOAT_BITS:
        yield f"return {p['scale']}_at(p.field0 + {p['bits'][1]} * b, i); }}"
        return
    parts = []
    for i in range(len(p["bits"]) // 5):
        _, pitch, bits, width, place = p["bits"][5 * i : 5 * i + 5]
        begin = f"p.field{i} + {pitch} * b"
        adjacent = f"adjacent_bits_at({begin}, i, {bits})"
        part = adjacent if width == 1 else f"bits_at({begin}, i, {bits}, {width})"
        parts.append(f"({part} << vec4<u32>({place}))" if place else part)
    yield f"let bits = {' | '.join(parts)};"
    if p["table"]:
        yield "return vec4<f32>(TABLE[bits.x], TABLE[bits.y], TABLE[bits.z], TABLE[bits.w]); }"
    else:
        yield f"return vec4<f32>(bits) - {p['offset']}.0; }}"
