"""GLSL ES 3.00 text of the WebGL2 kernels.

A kernel is one fragment shader: a header made here (types, parameters), the parts of the library
that it uses (``glsl_library.py``), and a body that defines ``V value(int i)``, the output at
position ``i``. Positions count elements or, with ``QUADS``, texels of four elements. A kernel whose
output has layers defines ``void tile(int i)``, which sets ``result0``, ``result1``, ... Bodies come
from ``shaders/glsl/<kernel>.glsl``, or are rendered from a scalar expression. An epilogue takes the
four elements of a texel before they are stored.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from tfpy._src.dtypes import DType
from tfpy._src.ir.expr import B, F, I, U
from tfpy._src.ir.kernel import Param, float_bits
from tfpy._src.lower.render import Renderer, Value
from tfpy._src.lower.webgl.glsl_library import Block, block, library, needed, operand, words_of


class Glsl(Renderer):
    """Scalar GLSL ES 3.00; functions that are not built in are in the library."""

    types: ClassVar[Mapping[DType, str]] = {F: "float", I: "int", U: "uint", B: "bool"}
    operators: ClassVar[Mapping[str, str]] = {
        "floor": "floor({0})",
        "ceil": "ceil({0})",
        "round": "roundEven({0})",
        "sqrt": "sqrt({0})",
        "rsqrt": "inversesqrt({0})",
        "exp": "exponential({0})",
        "expm1": "exp_minus_1({0})",
        "log": "logarithm({0})",
        "log1p": "log_1_plus({0})",
        "sin": "sine({0})",
        "cos": "cosine({0})",
        "tan": "tangent({0})",
        "asin": "arc_sine({0})",
        "acos": "arc_cosine({0})",
        "atan": "arc_tangent({0})",
        "sinh": "hyperbolic_sine({0})",
        "cosh": "hyperbolic_cosine({0})",
        "asinh": "inverse_hyperbolic_sine({0})",
        "acosh": "inverse_hyperbolic_cosine({0})",
        "atanh": "inverse_hyperbolic_tangent({0})",
        "tanh": "hyperbolic_tangent({0})",
        "erf": "error_function({0})",
        "neg": "-{0}",
        "abs": "absolute({0})",
        "abs int32": "abs({0})",
        "sign": "sign_of({0})",
        "sign int32": "sign({0})",
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
        "mul": "{0} * {1}",
        "min": "minimum({0}, {1})",
        "min uint32": "min({0}, {1})",
        "max": "maximum({0}, {1})",
        "max uint32": "max({0}, {1})",
        "div": "{0} / {1}",
        "pow": "power({0}, {1})",
        "atan2": "arc_tangent_2({0}, {1})",
        "rem": "float_rem({0}, {1})",
        "idiv": "int_div({0}, {1})",
        "irem": "int_rem({0}, {1})",
        "and": "{0} & {1}",
        "and bool": "{0} && {1}",
        "or": "{0} | {1}",
        "or bool": "{0} || {1}",
        "xor": "{0} ^ {1}",
        "xor bool": "{0} != {1}",
        "shl": "{0} << {1}",
        "shr": "{0} >> {1}",
        "eq": "{0} == {1}",
        "ne": "{0} != {1}",
        "lt": "{0} < {1}",
        "lt bool": "!{0} && {1}",
        "le": "{0} <= {1}",
        "le bool": "!{0} || {1}",
        "not": "~{0}",
        "not bool": "!{0}",
        "isnan": "is_nan({0})",
        "mulhi": "mul_high({0}, {1})",
        "select": "{0} ? {1} : {2}",
    }

    def constant(self, value: Value, dtype: DType) -> str:
        if dtype == B:
            return "true" if value else "false"
        if dtype == U:
            return f"{int(value) & 0xFFFFFFFF}u"
        if dtype == I:
            return f"int({int(value) & 0xFFFFFFFF}u)" if value < 0 else str(int(value))
        bits = float_bits(float(value)) & 0xFFFFFFFF
        (rounded,) = struct.unpack("<f", struct.pack("<I", bits))
        if not math.isfinite(rounded) or 0 < abs(rounded) < 2.0**-126:
            return f"uintBitsToFloat({bits}u)"
        text = f"{rounded:.9g}"
        return text if any(c in text for c in ".e") else f"{text}.0"

    def cast(self, operand: str, source: DType, target: DType) -> str:
        if target == B:
            return f"{operand} != {self.types[source]}(0)"
        if source == F:
            return f"to_int({operand})" if target == I else f"uint(to_int({operand}))"
        return f"{self.types[target]}({operand})"

    def bitcast(self, operand: str, source: DType, target: DType) -> str:
        if source == F:
            return f"floatBitsTo{'Int' if target == I else 'Uint'}({operand})"
        if target == F:
            return f"{'int' if source == I else 'uint'}BitsToFloat({operand})"
        return f"{self.types[target]}({operand})"


@dataclass(frozen=True)
class Finish:
    """Text that defines ``finish(four elements of the body's result, int t)``."""

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
    inputs: Sequence[tuple[str, DType]],
    out: DType,
    params: Mapping[str, Param],
    defines: Sequence[str] = (),
    layers: int = 1,
    layered: Collection[str] = (),
    finish: Finish | None = None,
) -> Source:
    """The whole fragment shader.

    Args:
        body: text that defines ``V value(int i)`` or, with several layers, ``void tile(int i)``.
        inputs: the names by which the body reads its inputs, with their element types. Input
            ``x`` gives ``x_at(element)``, ``x_texel(texel)``, ``x_value(position)`` and
            ``x_four(element)``: that element and the three after it.
        out: the element type of what is stored.
        params: numbers and lists of numbers become members of the uniform block ``Params``, a
            string ``max`` of the parameter ``kind`` becomes ``#define KIND_MAX``.
        defines: further ``#define`` lines, for example ``"QUADS"`` or ``"RANK 3"``.
        layers: of the output; a fragment writes a texel of each.
        layered: inputs that have layers: ``x_texel(layer, texel)``, ``x_at(layer, element)``.
        finish: what is done to the body's result.
    """
    names = [f"{k}_{v}".upper() for k, v in params.items() if isinstance(v, str)]
    members = [(k, _declaration(k, v)) for k, v in params.items() if not isinstance(v, str)]
    operands = [(name, dtype, name in layered) for name, dtype in inputs]
    return _source(body, tuple(operands), out, tuple(members), (*defines, *names), layers, finish)


@functools.lru_cache(maxsize=256)  # unrolled loops have the same kernel again and again
def _source(
    body: str,
    operands: Sequence[tuple[str, DType, bool]],
    out: DType,
    members: Sequence[tuple[str, str]],
    defines: Sequence[str],
    layers: int,
    finish: Finish | None,
) -> Source:
    quads = "QUADS" in defines
    shifts = ["out_shift", *(f"{name}_shift" for name, _, _ in operands)]
    members = [*((name, f"int {name}") for name in shifts), *members]
    main = _main(quads, layers, finish is not None)
    body = "\n".join([body.strip(), *([] if finish is None else [finish.text]), *main])
    readers = [operand(x, *_types(dtype), layered) for x, dtype, layered in operands]
    types = _type_blocks(out if finish is None else finish.dtype, quads)
    blocks = (*types, *chain(*readers), *library())
    flags = [f"#define {text}" for text in defines]
    code = [*flags, *(b.code for b in needed("\n".join([*flags, body]), blocks, defines)), body]
    used = words_of("\n".join(code))
    text = [
        *("#version 300 es", "precision highp float;", "precision highp int;"),
        *(f"layout(location = {i}) out {_types(out)[1]} result{i};" for i in range(layers)),
        *_store_tile(layers),
        "layout(std140) uniform Params {",
        *(f"    {declaration};" for name, declaration in members if name in used),
        "};",
        *code,
        "",
    ]
    return Source("\n".join(text), used.intersection(name for name, _ in members))


@functools.cache
def _type_blocks(out: DType, quads: bool) -> tuple[Block, ...]:
    """The names of a result's types and numbers."""
    scalar, vector = _types(out)
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


def _store_tile(layers: int) -> list[str]:
    """``STORE_TILE(s0, s1)``: four rows of one texel, or of two, become the results."""
    if layers == 1:
        return []
    results = [f"result{i} = s{i // 4}.r{i % 4}" for i in range(layers)]
    return [f"#define STORE_TILE(s0, s1) {'; '.join(results)}"]


# A bool is stored as the int 0 or 1.
_INT_RANGE = {I: ("int(0x80000000u)", "0x7fffffff"), B: ("0", "1")}


def _types(dtype: DType) -> tuple[str, str]:
    return ("float", "vec4") if dtype == F else ("int", "ivec4")


def _declaration(name: str, value: Param) -> str:
    if isinstance(value, Sequence):
        return f"int {name}[{len(value)}]"
    return f"{'float' if isinstance(value, float) else 'int'} {name}"


def _main(quads: bool, layers: int, finishes: bool) -> list[str]:
    if layers > 1:
        statement = "tile(t)"
    else:
        four = f"T4({', '.join(f'value(4 * t + {i})' for i in range(4))})"
        result = "value(t)" if quads else four
        statement = f"result0 = {f'finish({result}, t)' if finishes else result}"
    return [
        "void main() {",
        "    int t = (int(gl_FragCoord.y) << out_shift) + int(gl_FragCoord.x);",
        f"    {statement};",
        "}",
    ]
