"""GLSL ES 3.00 as a language of scalar expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.expr import B, F, I, U
from tfpy._src.compiler.lower.render import Value
from tfpy._src.compiler.lower.shaders.language import OPERATORS, ShadingLanguage, float_literal


class Glsl(ShadingLanguage):
    """The language GLSL ES 3.00.

    Functions that are not built in are in the library (`library.py`).
    """

    name = "glsl"
    int_ = "int"

    types: ClassVar[Mapping[DType, str]] = {F: "float", I: "int", U: "uint", B: "bool"}
    operators: ClassVar[Mapping[str, str]] = {
        **OPERATORS,
        "round": "roundEven({0})",
        "rsqrt": "inversesqrt({0})",
        "shl": "{0} << {1}",
        "shr": "{0} >> {1}",
        "select": "{0} ? {1} : {2}",
    }

    def constant(self, value: Value, dtype: DType) -> str:
        if dtype == B:
            return "true" if value else "false"
        if dtype == U:
            return f"{int(value) & 0xFFFFFFFF}u"
        if dtype == I:
            return f"int({int(value) & 0xFFFFFFFF}u)" if value < 0 else str(int(value))
        return float_literal(float(value), "uintBitsToFloat")

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

    def piece(self, number: int) -> str:
        return f"PIECE({number}, x{number}_value)"

    def made_operand(self, x: str, dtype: DType, quads: bool) -> list[str]:
        scalar, _ = self.stored(dtype)
        reader = "texel" if quads else "at"
        return [f"#define {x}_TYPE {scalar}", f"#define {x}_value {x}_{reader}"]


GLSL = Glsl()
