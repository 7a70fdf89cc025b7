"""WGSL as a language of scalar expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.expr import B, F, H, I, U
from tfpy._src.compiler.lower.render import Value
from tfpy._src.compiler.lower.shaders.language import OPERATORS, ShadingLanguage, float_literal


class Wgsl(ShadingLanguage):
    """The language WGSL. Functions that are not built in are in the library (`library.py`).

    float16 is computed as f32: reads from memory widen, and each float16 value is rounded where it
    is created.
    """

    name = "wgsl"
    int_ = "i32"
    types: ClassVar[Mapping[DType, str]] = {F: "f32", H: "f32", I: "i32", U: "u32", B: "bool"}
    operators: ClassVar[Mapping[str, str]] = {
        **OPERATORS,
        "round": "round({0})",
        "rsqrt": "inverseSqrt({0})",
        "min int32": "min({0}, {1})",
        "max int32": "max({0}, {1})",
        "ne": "!({0} == {1})",  # a NaN makes every comparison false, != as well
        "shl": "{0} << u32({1})",
        "shr": "{0} >> u32({1})",
        "select": "select({2}, {1}, {0})",
    }

    def constant(self, value: Value, dtype: DType) -> str:
        if dtype == B:
            return "true" if value else "false"
        if dtype == U:
            return f"{int(value) & 0xFFFFFFFF}u"
        if dtype == I:
            return f"i32({int(value)})"
        return float_literal(float(value), "float_of")

    def cast(self, operand: str, source: DType, target: DType) -> str:
        if target == B:
            return f"!({operand} == {self.types[source]}(0))"
        if target == H:
            return f"to_half({operand})" if source == F else f"to_half(f32({operand}))"
        if source in (F, H) and target in (I, U):
            return f"to_int({operand})" if target == I else f"u32(to_int({operand}))"
        return f"{self.types[target]}({operand})"

    def bitcast(self, operand: str, source: DType, target: DType) -> str:
        return f"bitcast<{self.types[target]}>({operand})"

    def variable(self, kind: str, name: str, value: str) -> str:
        return f"var {name}: {kind} = {value};"

    def stored(self, dtype: DType) -> tuple[str, str]:
        return ("f32", "vec4<f32>") if dtype in (F, H) else ("i32", "vec4<i32>")

    def memory(self, dtype: DType) -> tuple[str, str]:
        """Return the types of an element and of four elements of an array; compare `stored`."""
        return ("f16", "vec4<f16>") if dtype == H else self.stored(dtype)

    def function(
        self, name: str, result: str, parameters: Sequence[tuple[str, str]], lines: Sequence[str]
    ) -> list[str]:
        takes = ", ".join(f"{x}: {kind}" for kind, x in parameters)
        return [f"fn {name}({takes}) -> {result} {{", *(f"    {line}" for line in lines), "}"]

    def count_down(self, name: str, first: int) -> str:
        return f"for (var {name} = {first}; {name} > 0; {name}--) {{"

    def item(self, name: str, place: str) -> str:
        return f"p.{name}[{place}].x"

    def number(self, name: str) -> str:
        return f"p.{name}"

    def piece(self, number: int) -> str:
        read = f"return x{number}_value(row * size + r);"
        return (
            f"size = {self.item('row_sizes', str(number))}; if (r < size) {{ {read} }} r -= size;"
        )

    def made_operand(self, x: str, dtype: DType, quads: bool) -> list[str]:
        scalar, vector = self.stored(dtype)
        reader, kind = ("texel", vector) if quads else ("at", scalar)
        value = self.function(f"{x}_value", kind, [("i32", "i")], [f"return {x}_{reader}(i);"])
        return [f"alias {x}_type = {scalar};", *value]


WGSL = Wgsl()
