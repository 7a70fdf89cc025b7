"""GLSL ES 3.00 as a language of scalar expressions."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from typing import ClassVar

from tfpy._src.dtypes import DType
from tfpy._src.ir.expr import B, F, I, U
from tfpy._src.ir.kernel import float_bits
from tfpy._src.lower.render import Value
from tfpy._src.lower.shaders.language import ShadingLanguage


class Glsl(ShadingLanguage):
    """Functions that are not built in are in the library (``library.py``)."""

    name = "glsl"
    int_ = "int"

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
        "quotient": "quotient({0}, {1})",
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

    def stored(self, dtype: DType) -> tuple[str, str]:
        return ("float", "vec4") if dtype == F else ("int", "ivec4")

    def function(
        self, name: str, result: str, parameters: Sequence[tuple[str, str]], lines: Sequence[str]
    ) -> list[str]:
        head = f"{result} {name}({', '.join(f'{kind} {x}' for kind, x in parameters)}) {{"
        return [head, *(f"    {line}" for line in lines), "}"]

    def variable(self, kind: str, name: str, value: str) -> str:
        return f"{kind} {name} = {value};"

    def count_down(self, name: str, first: int) -> str:
        return f"for (int {name} = {first}; {name} > 0; {name}--) {{"

    def item(self, name: str, place: str) -> str:
        return f"{name}[{place}]"

    def number(self, name: str) -> str:
        return name

    def made_operand(self, x: str, dtype: DType, quads: bool) -> list[str]:
        scalar, _ = self.stored(dtype)
        reader = "texel" if quads else "at"
        return [f"#define {x}_TYPE {scalar}", f"#define {x}_value {x}_{reader}"]


GLSL = Glsl()
