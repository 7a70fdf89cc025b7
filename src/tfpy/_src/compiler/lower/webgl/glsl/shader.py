"""A whole fragment shader: header, parameters, the parts of the library that it uses, and the body.

The header (types, parameters) is generated here. A body defines `V value(int i)`, the output at
position `i`. Positions count elements or, with `QUADS`, texels of four elements. A kernel with
output layers defines `void tile(int i)`, which sets `result0`, `result1`, ... Bodies are read from
`shaders/glsl/<kernel>.glsl`, or rendered from an expression (`expression.py`). An epilogue is
applied to the four elements of a texel before they are stored.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.expr import B, F, I
from tfpy._src.compiler.ir.kernel import Param
from tfpy._src.compiler.lower.shaders.arrays import ArrayOperand
from tfpy._src.compiler.lower.shaders.library import words_of
from tfpy._src.compiler.lower.webgl.glsl.language import GLSL
from tfpy._src.compiler.lower.webgl.glsl.library import (
    GuardedBlock,
    block,
    library,
    needed,
    operand,
)


@dataclass(frozen=True)
class Finish:
    """Code that defines `finish(four elements of the body's result, int t)`."""

    text: str
    dtype: DType
    """Element type of the body's result."""


@dataclass(frozen=True)
class Source:
    """A fragment shader, and the parameters that it reads."""

    text: str
    members: frozenset[str]


def kernel_source(
    body: str,
    inputs: Sequence[ArrayOperand],
    out: DType,
    params: Mapping[str, Param],
    defines: Sequence[str] = (),
    layers: int = 1,
    layered: Collection[str] = (),
    finish: Finish | None = None,
) -> Source:
    """Return the whole fragment shader.

    Args:
        body: Code that defines `V value(int i)` or, with several layers, `void tile(int i)`.
        inputs: Arrays that the body reads. Input `x` defines `x_at(element)`, `x_texel(texel)`,
            `x_value(position)` and `x_four(element)`: that element and the three after it.
        out: Element type of the stored result.
        params: Numbers and lists of numbers, which become members of the uniform block `Params`,
            and strings: `max` for the parameter `kind` becomes `#define KIND_MAX`.
        defines: Additional `#define` lines, e.g. `"QUADS"` or `"RANK 3"`.
        layers: Number of layers of the output. A fragment writes one texel of each.
        layered: Inputs with layers: `x_texel(layer, texel)`, `x_at(layer, element)`.
        finish: Epilogue that is applied to the body's result.
    """
    names = [f"{k}_{v}".upper() for k, v in params.items() if isinstance(v, str)]
    members = [(k, _declaration(k, v)) for k, v in params.items() if not isinstance(v, str)]
    operands = [(operand, operand.name in layered) for operand in inputs]
    return _source(body, tuple(operands), out, tuple(members), (*defines, *names), layers, finish)


@functools.lru_cache(maxsize=256)  # unrolled loops repeat the same kernel
def _source(
    body: str,
    operands: Sequence[tuple[ArrayOperand, bool]],
    out: DType,
    members: Sequence[tuple[str, str]],
    defines: Sequence[str],
    layers: int,
    finish: Finish | None,
) -> Source:
    quads = "QUADS" in defines
    readers = [
        operand(x, array, *GLSL.stored(dtype), layered) for (x, dtype, array), layered in operands
    ]
    types = _type_blocks(out if finish is None else finish.dtype, quads)
    main = _main(quads, layers, finish is not None, "PROLOGUE" in defines)
    body = "\n".join([body.strip(), *([] if finish is None else [finish.text]), *main])
    flags = [f"#define {text}" for text in defines]
    header = [*_results(layers, out), *_store_tile(layers)]
    blocks = needed("\n".join([*flags, body]), (*types, *chain(*readers), *library()), defines)
    code = [*flags, *(b.code for b in blocks), body]
    used = words_of("\n".join(code))
    arrays = dict.fromkeys(array for (_, _, array), _ in operands)
    shifts = ["out_shift", *(f"{x}_shift" for x in arrays)]
    members = [*((name, f"int {name}") for name in shifts), *members]
    text = [
        *("#version 300 es", "precision highp float;", "precision highp int;"),
        *header,
        "layout(std140) uniform Params {",
        *(f"    {declaration};" for name, declaration in members if name in used),
        "};",
        *code,
        "",
    ]
    return Source("\n".join(text), used.intersection(name for name, _ in members))


@functools.cache
def _type_blocks(out: DType, quads: bool) -> tuple[GuardedBlock, ...]:
    """Return definitions of the names of a result's types and numbers."""
    scalar, vector = GLSL.stored(out)
    lowest, highest = ("-infinity()", "infinity()") if out == F else _INT_RANGE[out]
    meanings = {
        "T": scalar,
        "T4": vector,
        "V": vector if quads else scalar,
        "T_LOWEST": lowest,
        "T_HIGHEST": highest,
        "T_FROM_BITS": "intBitsToFloat" if out == F else "int",
    }
    return tuple(block(f"#define {name} {meaning}") for name, meaning in meanings.items())


def _results(layers: int, out: DType) -> list[str]:
    return [f"layout(location = {i}) out {GLSL.stored(out)[1]} result{i};" for i in range(layers)]


def _store_tile(layers: int) -> list[str]:
    """Return the macro `STORE_TILE(s0, s1)`, which stores four rows of one or two texels."""
    if layers == 1:
        return []
    results = [f"result{i} = s{i // 4}.r{i % 4}" for i in range(layers)]
    return [f"#define STORE_TILE(s0, s1) {'; '.join(results)}"]


# A bool is stored as the int 0 or 1.
_INT_RANGE = {I: ("int(0x80000000u)", "0x7fffffff"), B: ("0", "1")}


def _declaration(name: str, value: Param) -> str:
    if isinstance(value, Sequence):
        return f"int {name}[{len(value)}]"
    return f"{'float' if isinstance(value, float) else 'int'} {name}"


def _main(quads: bool, layers: int, finishes: bool, rolled: bool) -> list[str]:
    """Return the function `main`.

    With `rolled` it has one call of a long `value` instead of four.
    """
    statements = []
    if layers > 1:
        statements = ["tile(t)"]
    else:
        result = f"T4({', '.join(f'value(4 * t + {i})' for i in range(4))})"
        if quads:
            result = "value(t)"
        elif rolled:
            statements = ["T4 four", "for (int i = 0; i < 4; i++) four[i] = value(4 * t + i)"]
            result = "four"
        statements.append(f"result0 = {f'finish({result}, t)' if finishes else result}")
    return [
        "void main() {",
        "    int t = (int(gl_FragCoord.y) << out_shift) + int(gl_FragCoord.x);",
        *(f"    {statement};" for statement in statements),
        "}",
    ]
