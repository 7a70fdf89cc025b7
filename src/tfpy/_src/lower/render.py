"""Renders a scalar expression as statements of a C-like language.

A language is a type map, an operator map and three ways of spelling (constants, casts, bit casts);
GLSL's are in ``webgl/glsl/language.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from tfpy._src.dtypes import DType
from tfpy._src.ir.expr import Instruction

Value = float | int | bool


class Renderer(ABC):
    """One C-like language."""

    types: ClassVar[Mapping[DType, str]]
    operators: ClassVar[Mapping[str, str]]
    """Text by operation, with ``{0}`` for the first operand. A key ``"neg int32"`` is for operands
    of that type and goes before the plain ``"neg"``."""

    @abstractmethod
    def constant(self, value: Value, dtype: DType) -> str: ...

    @abstractmethod
    def cast(self, operand: str, source: DType, target: DType) -> str: ...

    @abstractmethod
    def bitcast(self, operand: str, source: DType, target: DType) -> str: ...

    def statements(self, lines: Sequence[Instruction]) -> list[str]:
        """One declaration for each line of :func:`ir.expr.linearize`; line ``i`` becomes ``v{i}``.

        Inputs are read as ``x0``, ``x1``, ... and the flat output index as ``index``.
        """
        return [
            f"{self.types[line.dtype]} v{number} = {self._value(lines, line)};"
            for number, line in enumerate(lines)
        ]

    def _value(self, lines: Sequence[Instruction], line: Instruction) -> str:
        operands = [f"v{i}" for i in line.args]
        if line.op == "input":
            return f"x{line.value}"
        if line.op == "index":
            return "index"
        if line.op == "const":
            assert line.value is not None
            return self.constant(line.value, line.dtype)
        source = lines[line.args[-1]].dtype
        if line.op == "cast":
            return self.cast(operands[0], source, line.dtype)
        if line.op == "bitcast":
            return self.bitcast(operands[0], source, line.dtype)
        template = self.operators.get(f"{line.op} {source.name}") or self.operators[line.op]
        return template.format(*operands)
