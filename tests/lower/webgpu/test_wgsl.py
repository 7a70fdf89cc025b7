"""The WGSL renderer: complete for the expression IR, and the text of specialized kernels."""

from __future__ import annotations

import re

import pytest

from buildsys.paths import ROOT
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.expr import B, F, H, I, U
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.shaders.library import needed
from tfpy._src.compiler.lower.webgpu import WebGPUTarget, lower
from tfpy._src.compiler.lower.webgpu.wgsl.language import WGSL
from tfpy._src.compiler.lower.webgpu.wgsl.library import library, specialized
from tfpy._src.compiler.ops import OPS
from tfpy._src.compiler.passes.fuse.elementwise import fuse_elementwise

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
    """Check that each function takes the operand's type, because WGSL has no overloading."""
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


def test_texts_are_specialized() -> None:
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


HALF = (Aval((5, 7), H), Aval((7,), H))


def half_program(*avals: Aval, op: str, **attrs: object) -> Program:
    program = lower(single_equation(OPS[op], avals, tuple(attrs.items())), half=True)
    verify(program)
    return program


def test_float16_is_stored_in_two_bytes_and_computed_in_four() -> None:
    (kernel,) = half_program(*HALF, op="add").kernels
    assert kernel.source.startswith("enable f16;\n")
    for line in (
        "var<storage, read> x0_data: array<vec4<f16>>;",
        "var<storage, read_write> result_data: array<vec4<f16>>;",
        "fn x1_at(i: i32) -> f32 { return f32(x1_data[i >> 2][i & 3]); }",
        "result_data[at] = vec4<f16>(to_half_v(value));",
    ):
        assert line in kernel.source


def test_other_kernels_need_no_float16() -> None:
    for kernel in lower(single_equation(OPS["add"], [Aval((8,), F)] * 2, ()), half=True).kernels:
        assert "f16" not in kernel.source


def test_what_is_added_up_further_is_not_rounded() -> None:
    program = half_program(Aval((100_000,), H), op="reduce_sum", axes=(0, 1))
    kinds = [program.buffers[step.outputs[0]].dtype for step in program.steps]
    assert len(kinds) > 1
    assert kinds == [*[F] * (len(kinds) - 1), H]
    first, last = (
        program.kernels[program.steps[0].kernel],
        program.kernels[program.steps[-1].kernel],
    )
    assert "to_half" not in first.source
    assert "to_half_v(value)" in last.source


def test_fused_operations_round_one_by_one() -> None:
    graph = Graph()
    x, y = (graph.add_input(Aval((8,), H)) for _ in range(2))
    product = graph.add_eqn(OPS["multiply"], (x, y), ())
    graph.outputs = [graph.add_eqn(OPS["add"], (product, y), ())]
    fused = fuse_elementwise(graph, WebGPUTarget(half=True))
    (kernel,) = lower(fused, half=True).kernels
    body = kernel.source[kernel.source.index("fn x_compute") :]
    assert re.search(r"(v\d+): f32 = v\d+ \* v\d+;\n.*to_half\(\1\)", body)
    assert fuse_elementwise(graph, WebGPUTarget()) is graph


def test_bits_of_float16_are_the_host_s() -> None:
    avals = [Aval((4,), H), Aval((4,), H)]
    graph = Graph()
    x = graph.add_input(avals[0])
    moved = graph.add_eqn(OPS["negative"], (x,), ())
    graph.outputs = [graph.add_eqn(OPS["bitcast"], (moved,), (("dtype", H),))]
    assert fuse_elementwise(graph, WebGPUTarget(half=True)) is graph
    with pytest.raises(ValueError, match="webgpu: devices do not store float16"):
        lower(single_equation(OPS["add"], avals, ()))


def test_the_largest_float_is_a_float_before_rounding() -> None:
    """Check that the literal of the largest float is in range before rounding, as WGSL requires."""
    lowest = WGSL.constant(-3.4028234663852886e38, F)
    assert float(lowest) == -3.4028234663852886e38


def test_kernels_define_no_functions_of_the_library() -> None:
    """A kernel that used such a name would contain two definitions."""
    pattern = re.compile(r"^(?:fn|struct|alias) (\w+)", re.MULTILINE)
    folder = ROOT / "shaders" / "wgsl"
    library = "\n".join(file.read_text() for file in (folder / "library").glob("*.wgsl"))
    names = set(pattern.findall(library))
    assert len(names) > 50
    for file in folder.glob("*.wgsl"):
        assert names.isdisjoint(pattern.findall(file.read_text())), file.name
