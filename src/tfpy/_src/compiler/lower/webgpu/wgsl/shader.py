"""A whole compute kernel: parameters, arrays, the parts of the library that it uses, and the body.

A body defines `fn value(i: i32) -> V`, the output at position `i`; one invocation computes each.
Positions count elements or, with `QUADS`, texels of four elements. A body with cooperating
invocations has its own entry point instead (`@compute`), and calls `store(position, value)`. Bodies
are read from `shaders/wgsl/<kernel>.wgsl`, or rendered from an expression.

An epilogue is the function `finish` of a result and its position, which `store` applies.

Arrays of float16 are read as f32. The body's result is f32, and `store` rounds it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.expr import B, H, I
from tfpy._src.compiler.ir.kernel import Param, float_bits
from tfpy._src.compiler.lower.shaders.arrays import ArrayOperand
from tfpy._src.compiler.lower.shaders.library import Block, needed, words_of
from tfpy._src.compiler.lower.webgpu.wgsl.language import WGSL
from tfpy._src.compiler.lower.webgpu.wgsl.library import block, library, specialized

GROUP = 256
"""Number of invocations of a workgroup if each computes an output independently."""


@dataclass(frozen=True)
class Finish:
    """Code that defines `finish(the body's result, position)`."""

    text: str
    dtype: DType
    """Element type of the body's result."""


@dataclass(frozen=True)
class Source:
    """A compute kernel, and the parameters that it reads, in their order in memory."""

    text: str
    members: tuple[str, ...]

    def values(self, params: Mapping[str, Param]) -> dict[str, Param]:
        """Return the parameters for the runtime: integers, and floats as their bits."""
        found: dict[str, Param] = {}
        for name in self.members:
            value = params[name]
            found[name] = float_bits(value) if isinstance(value, float) else value
        return found


def kernel_source(
    body: str,
    inputs: Sequence[ArrayOperand],
    out: DType,
    params: Mapping[str, Param],
    defines: Sequence[str] = (),
    finish: Finish | None = None,
) -> Source:
    """Return the whole kernel.

    Args:
        body: Code that defines `value`, or an entry point.
        inputs: Arrays that the body reads. Input `x` defines `x_at(element)`, `x_texel(texel)`,
            `x_value(position)` and `x_four(element)`: that element and the three after it.
        out: Element type of the stored result.
        params: Numbers and lists of integers, which become members of the struct `p`, and strings:
            `max` for the parameter `kind` becomes the flag `KIND_MAX`.
        defines: Additional flags, e.g. `"QUADS"` or `"RANK 3"`.
        finish: Epilogue that is applied to the body's result.
    """
    names = [f"{k}_{v}".upper() for k, v in params.items() if isinstance(v, str)]
    numbers = {k: v for k, v in params.items() if not isinstance(v, str)}
    lists = sorted(k for k, v in numbers.items() if isinstance(v, Sequence))
    members = [(k, _declaration(k, numbers[k])) for k in (*lists, *sorted(numbers.keys() - lists))]
    return _source(body, tuple(inputs), out, tuple(members), (*defines, *names), finish)


@functools.lru_cache(maxsize=256)  # unrolled loops repeat the same kernel
def _source(
    body: str,
    operands: Sequence[ArrayOperand],
    out: DType,
    members: Sequence[tuple[str, str]],
    defines: tuple[str, ...],
    finish: Finish | None,
) -> Source:
    quads = "QUADS" in defines
    result = out if finish is None else finish.dtype
    flags = (*defines, "FLOATS") if result.is_floating else defines
    body = specialized(body, flags).strip()
    text = [body, *([] if finish is None else [finish.text])]
    if "@compute" not in body:
        text.append(_MAIN)
    readers = [_readers(operand, quads) for operand in operands]
    store = block(_store(result, out, quads, finish is not None))
    known = (*_types(result, quads), *chain(*readers), *library(flags), store)
    blocks = needed("\n".join(text), known)
    code = [*(b.code for b in blocks), *text]
    used = words_of("\n".join(code))
    members = [member for member in members if member[0] in used]
    bound = {array: WGSL.memory(dtype)[1] for _, dtype, array in operands}
    arrays = [
        f"@group(0) @binding({number}) var<storage, read> {array}_data: array<{vector}>;"
        for number, (array, vector) in enumerate(bound.items(), 1)
    ]
    stored = WGSL.memory(out)[quads]
    half = "f16" in used or H in (out, *(dtype for _, dtype, _ in operands))
    whole = [
        *(["enable f16;"] if half else []),
        *(_MATRICES if "subgroupMatrixLoad" in used else []),
        "struct Params {",
        *(f"    {declaration}," for _, declaration in members),
        *([] if members else ["    unused: i32,"]),
        "}",
        "@group(0) @binding(0) var<uniform> p: Params;",
        *arrays,
        f"@group(0) @binding({len(arrays) + 1}) var<storage, read_write> result_data: "
        f"array<{stored}>;",
        *code,
    ]
    return Source("\n".join(whole), tuple(name for name, _ in members))


def _declaration(name: str, value: Param) -> str:
    if isinstance(value, Sequence):
        return f"{name}: array<vec4<i32>, {len(value)}>"
    return f"{name}: {'f32' if isinstance(value, float) else 'i32'}"


@functools.cache
def _readers(operand: ArrayOperand, quads: bool) -> tuple[Block, ...]:
    """Return the functions that read an operand."""
    x, dtype, array = operand
    scalar, vector = WGSL.stored(dtype)
    reader, kind = ("texel", vector) if quads else ("at", scalar)
    four = ", ".join(f"{x}_at(i + {k})" if k else f"{x}_at(i)" for k in range(4))
    texts = (
        f"alias {x}_type = {scalar};",
        f"fn {x}_texel(t: i32) -> {vector} {{ return {vector}({array}_data[t]); }}",
        f"fn {x}_at(i: i32) -> {scalar} {{ return {scalar}({array}_data[i >> 2][i & 3]); }}",
        f"fn {x}_four(i: i32) -> {vector} {{ return {vector}({four}); }}",
        f"fn {x}_value(i: i32) -> {kind} {{ return {x}_{reader}(i); }}",
    )
    return tuple(map(block, texts))


# A bool is stored as the int 0 or 1.
_INT_RANGE = {I: ("i32(-2147483648)", "2147483647"), B: ("0", "1")}


@functools.cache
def _types(dtype: DType, quads: bool) -> tuple[Block, ...]:
    """Return definitions of the names of a result's types and numbers."""
    scalar, vector = WGSL.stored(dtype)
    lowest, highest = _INT_RANGE.get(dtype, ("-infinity()", "infinity()"))
    of_bits = "bitcast<f32>(bits)" if dtype.is_floating else "bits"
    texts = (
        f"alias T = {scalar};",
        f"alias T4 = {vector};",
        f"alias V = {vector if quads else scalar};",
        f"fn T_lowest() -> {scalar} {{ return {lowest}; }}",
        f"fn T_highest() -> {scalar} {{ return {highest}; }}",
        f"fn T_from_bits(bits: i32) -> {scalar} {{ return {of_bits}; }}",
    )
    return tuple(map(block, texts))


def _store(result: DType, out: DType, quads: bool, finishes: bool) -> str:
    value = "to_half_v(value)" if result == H else "value"
    if finishes:
        value = f"finish({value}, at)"
    if out == H:
        value = f"{WGSL.memory(out)[quads]}({value})"
    return f"fn store(at: i32, value: V) {{ result_data[at] = {value}; }}"


_MATRICES = (
    "enable subgroups;",
    "enable chromium_experimental_subgroup_matrix;",
    "requires subgroup_id;",
)

_MAIN = f"""\
@compute @workgroup_size({GROUP})
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {{
    let i = i32(at.x + at.y * n.x * {GROUP}u);
    if (i < p.positions) {{ store(i, value(i)); }}
}}"""
