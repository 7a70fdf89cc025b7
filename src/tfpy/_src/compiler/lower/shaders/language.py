"""The interface of shading languages, in addition to scalar expressions."""

from __future__ import annotations

import math
import struct
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.expr import Instruction
from tfpy._src.compiler.ir.kernel import float_bits
from tfpy._src.compiler.lower.render import Renderer

OPERATORS: Mapping[str, str] = {
    "floor": "floor({0})",
    "ceil": "ceil({0})",
    "sqrt": "sqrt({0})",
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
    "min int32": "min({0}, {1})",
    "min uint32": "min({0}, {1})",
    "max": "maximum({0}, {1})",
    "max int32": "max({0}, {1})",
    "max uint32": "max({0}, {1})",
    "div": "divided({0}, {1})",
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
}
"""Operators that are the same in all languages. Functions that are not built in are in the
libraries."""


def float_literal(value: float, of_bits: str) -> str:
    """Return a float32 constant. `of_bits` creates numbers that a literal cannot express."""
    bits = float_bits(value) & 0xFFFFFFFF
    (rounded,) = struct.unpack("<f", struct.pack("<I", bits))
    if not math.isfinite(rounded) or 0 < abs(rounded) < 2.0**-126:
        return f"{of_bits}({bits}u)"
    # All digits, because WGSL rejects literals that only round to the largest float.
    return repr(rounded)


_LARGEST_DIVISOR = 2.0**126
"""Larger divisors are undefined in the languages: GPUs multiply by a reciprocal."""


def _is_constant(instruction: Instruction, largest: float) -> bool:
    value = instruction.value
    return instruction.op == "const" and value is not None and abs(value) <= largest


class ShadingLanguage(Renderer):
    """A language of functions over arrays that are stored in groups of four.

    A bool is stored as the int 0 or 1.
    """

    name: str
    """Name of the folder and the suffix of the templates."""

    int_: str
    """Type of positions."""

    def division(self, template: str, dividend: Instruction, divisor: Instruction) -> str:
        """Use the operator if the divisor is not huge, or if huge divisors yield 0."""
        if _is_constant(divisor, _LARGEST_DIVISOR) or _is_constant(dividend, 1.0):
            return "{0} / {1}"
        return template

    @abstractmethod
    def stored(self, dtype: DType) -> tuple[str, str]:
        """Return the types of an element and of four elements in memory."""

    @abstractmethod
    def function(
        self, name: str, result: str, parameters: Sequence[tuple[str, str]], lines: Sequence[str]
    ) -> list[str]:
        """Return a function with parameters, each a type and a name."""

    @abstractmethod
    def count_down(self, name: str, first: int) -> str:
        """Return the head of a loop from `first` down to 1."""

    @abstractmethod
    def item(self, name: str, place: str) -> str:
        """Return an element of a list parameter."""

    @abstractmethod
    def number(self, name: str) -> str:
        """Return a number parameter."""

    @abstractmethod
    def piece(self, number: int) -> str:
        """Return the code of `concat` for an input.

        The code reads position `r` of the row if the input contains it.
        """

    @abstractmethod
    def made_operand(self, x: str, dtype: DType, quads: bool) -> list[str]:
        """Return definitions that let a template read the operand `x` like an array.

        The functions `<x>_texel` and `<x>_at` compute the operand.
        """
