"""The rendering of scalar expressions as statements of a C-like language.

A language consists of a type map, an operator map and the spelling of constants, casts and
variables. GLSL is in `webgl/glsl/language.py`, WGSL in `webgpu/wgsl/language.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.expr import Instruction

Value = float | int | bool


class Renderer(ABC):
    """A C-like language."""

    types: ClassVar[Mapping[DType, str]]
    operators: ClassVar[Mapping[str, str]]
    """Template by operation, with `{0}` for the first operand. A key `"neg int32"` is for operands
    of that type and takes precedence over the plain `"neg"`."""

    @abstractmethod
    def constant(self, value: Value, dtype: DType) -> str: ...

    @abstractmethod
    def cast(self, operand: str, source: DType, target: DType) -> str: ...

    @abstractmethod
    def bitcast(self, operand: str, source: DType, target: DType) -> str: ...

    @abstractmethod
    def variable(self, kind: str, name: str, value: str) -> str:
        """Return the declaration of a variable of a type."""

    def statements(self, instructions: Sequence[Instruction]) -> list[str]:
        """Return one declaration per instruction. Instruction `i` becomes `v{i}`.

        Inputs are read as ``x0``, ``x1``, ... and the flat output index as ``index``.
        """
        return [
            self.variable(
                self.types[instruction.dtype],
                f"v{number}",
                self._value(instructions, instruction),
            )
            for number, instruction in enumerate(instructions)
        ]

    def _value(self, instructions: Sequence[Instruction], instruction: Instruction) -> str:
        op, dtype = instruction.op, instruction.dtype
        operands = [f"v{i}" for i in instruction.args]
        if op == "input":
            return f"x{instruction.value}"
        if op == "index":
            return "index"
        if op == "const":
            assert instruction.value is not None
            return self.constant(instruction.value, dtype)
        source = instructions[instruction.args[-1]].dtype
        if op == "cast":
            return self.cast(operands[0], source, dtype)
        if op == "bitcast":
            return self.bitcast(operands[0], source, dtype)
        template = self.operators.get(f"{op} {source.name}") or self.operators[op]
        if op == "div":
            template = self.division(template, *(instructions[i] for i in instruction.args))
        return template.format(*operands)

    def division(self, template: str, dividend: Instruction, divisor: Instruction) -> str:
        """Return the template of a quotient. Some operands allow a simpler one."""
        return template
