"""The WGSL renderer: total over the expression IR; the texts of kernels, specialised."""

from __future__ import annotations

import re

import pytest

from tfpy._src.ir import expr as ex
from tfpy._src.ir.expr import B, F, I, U
from tfpy._src.lower.shaders.library import needed
from tfpy._src.lower.webgpu.wgsl.language import WGSL
from tfpy._src.lower.webgpu.wgsl.library import library, specialized

BUILT_IN = {"floor", "ceil", "round", "sqrt", "inverseSqrt", "abs", "sign", "min", "max", "select"}

TYPED_OPS = [
    *((op, (F,)) for op in (*ex.UNARY_FLOAT, "isnan")),
    *((op, (t,)) for op in ex.UNARY_NUMERIC for t in (F, I)),
    *((op, (t, t)) for op in ex.BINARY_NUMERIC for t in (F, I, U)),
    *((op, (F, F)) for op in ex.BINARY_FLOAT),
    *((op, (I, I)) for op in ex.BINARY_INT),
    *((op, (t, t)) for op in ex.SHIFTS for t in (I, U)),
    *((op, (t, t)) for op in ex.COMPARE for t in (F, I, U, B)),
    ("mulhi", (U, U)),
]


def render(op: str, types: tuple[ex.DType, ...]) -> str:
    operands = tuple(ex.input_(i, t) for i, t in enumerate(types))
    tape, _ = ex.linearize(ex.Expr(op, types[-1], operands))
    return WGSL.statements(tape)[-1]


@pytest.mark.parametrize(("op", "types"), TYPED_OPS)
def test_operations_call_known_functions(op: str, types: tuple[ex.DType, ...]) -> None:
    """WGSL has no overloading: a function takes the operand's type."""
    statement = render(op, types)
    heads = {
        name: re.search(rf"fn {name}\(\w+: (\w+)", block.code)
        for block in library(())
        for name in block.names
    }
    for name in set(re.findall(r"(\w+)\(", statement)) - BUILT_IN - {"u32"}:
        head = heads[name]
        assert head is not None
        assert head.group(1) == WGSL.types[types[0]]


def test_a_nan_differs_from_everything() -> None:
    assert render("ne", (F, F)).endswith("!(v0 == v1);")
    assert WGSL.cast("v0", F, B) == "!(v0 == f32(0))"


def test_texts_are_specialised() -> None:
    text = "#if A\na\n#if !B\nnot b\n#else\nb\n#endif\n#else\n$N\n#endif"
    assert specialized(text, ("A",)) == "a\nnot b"
    assert specialized(text, ("A", "B")) == "a\nb"
    assert specialized(text, ("N 3",)) == "3"


def test_library_takes_the_text_of_the_kernel_s_kind() -> None:
    def combining(*flags: str) -> str:
        return "\n".join(block.code for block in needed("combine(x, y)", library(flags)))

    assert "return a + b;" in combining("KIND_SUM")
    assert "maximum4" not in combining("KIND_SUM")
    assert "fn maximum4(" in combining("KIND_MAX", "FLOATS")
    assert "maximum4" not in combining("KIND_MAX")


def test_library_takes_what_is_named_and_what_that_names() -> None:
    blocks = needed("fn value(i: i32) -> f32 { return arc_cosine(0.0); }", library(()))
    names = {name for block in blocks for name in block.names}
    assert names == {"infinity_bits", "nan", "absolute", "with_sign", "asin_kernel", "arc_cosine"}
