"""The runtime knows every name that lowering can write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.lower.wasm.lowering import instruction_name

SOURCES = Path(__file__).resolve().parents[2] / "csrc" / "xnnpack_glue"


def names_in(file: str) -> set[str]:
    """Return the first words of a table's entries."""
    text = (SOURCES / file).read_text()
    return set(re.findall(r'^    (?:\{|float_unary<\w+>\()"([\w.]+)"', text, re.MULTILINE))


OPERANDS = {
    **dict.fromkeys((*ex.UNARY_FLOAT, *ex.BINARY_FLOAT, "isnan"), (ex.F,)),
    **dict.fromkeys((*ex.UNARY_NUMERIC, *ex.BINARY_NUMERIC), (ex.F, ex.I)),
    **dict.fromkeys(ex.BINARY_INT, (ex.I,)),
    **dict.fromkeys(ex.BITWISE, (ex.B, ex.I, ex.U)),
    **dict.fromkeys(ex.SHIFTS, (ex.I, ex.U)),
    **dict.fromkeys((*ex.COMPARE, "select"), (ex.F, ex.I, ex.U, ex.B)),
    "not": (ex.B, ex.I),
    "mulhi": (ex.U,),
    "add": (ex.F, ex.I, ex.U),
    "sub": (ex.F, ex.I, ex.U),
    "mul": (ex.F, ex.I, ex.U),
}
MADE_BY_LOWERING = {"index", "input", "const"}


@pytest.mark.parametrize("op", sorted(ex.SCALAR_OPS - MADE_BY_LOWERING - {"cast", "bitcast"}))
def test_scalar_operations(op: str) -> None:
    for dtype in OPERANDS[op]:
        assert instruction_name(op, dtype, dtype) in names_in("elementwise/scalar_ops.cc")


def test_casts() -> None:
    for source in (ex.F, ex.I, ex.U, ex.B):
        for target in (ex.F, ex.I, ex.U):
            if source != target:
                name = instruction_name("cast", source, target)
                assert name is None or name in names_in("elementwise/scalar_ops.cc")
                assert instruction_name("bitcast", source, target) is None
