"""The GLSL renderer: complete for the expression IR, and its text for one small kernel."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.expr import B, F, I, U
from tfpy._src.compiler.ir.kernel import KernelCall, Prologue
from tfpy._src.compiler.ir.strides import broadcast_view
from tfpy._src.compiler.lower.calls import Elementwise
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.shaders.arrays import ArrayOperand
from tfpy._src.compiler.lower.webgl.glsl.language import Glsl
from tfpy._src.compiler.lower.webgl.glsl.library import library, needed, operand
from tfpy._src.compiler.lower.webgl.glsl.shader import kernel_source
from tfpy._src.compiler.lower.webgl.kernels import add_kernel
from tfpy._src.compiler.lower.webgl.lowering import add_elementwise

# Operand types of each table of the expression IR.
TYPED_OPS = [
    *((op, (F,)) for op in (*ex.UNARY_FLOAT, "isnan")),
    *((op, (t,)) for op in ex.UNARY_NUMERIC for t in (F, I)),
    *((op, (t, t)) for op in ex.BINARY_NUMERIC for t in (F, I, U)),
    *((op, (F, F)) for op in ex.BINARY_FLOAT),
    *((op, (I, I)) for op in ex.BINARY_INT),
    *((op, (t, t)) for op in ex.BITWISE for t in (B, I, U)),
    *((op, (t, t)) for op in ex.SHIFTS for t in (I, U)),
    *((op, (t, t)) for op in ex.COMPARE for t in (F, I, U, B)),
    *(("select", (B, t, t)) for t in (F, I, U, B)),
    *((op, (t,)) for op in ("not",) for t in (B, I)),
    ("mulhi", (U, U)),
]


def render(root: ex.Expr) -> list[str]:
    tape, _ = ex.linearize(root)
    return Glsl().statements(tape)


def test_every_operation_is_in_the_table() -> None:
    spelled_otherwise = {"cast", "bitcast", "index", "input", "const"}
    assert {op for op, _ in TYPED_OPS} | spelled_otherwise == ex.SCALAR_OPS


@pytest.mark.parametrize(("op", "types"), TYPED_OPS)
def test_operations_call_known_functions(op: str, types: tuple[ex.DType, ...]) -> None:
    operands = tuple(ex.input_(i, t) for i, t in enumerate(types))
    (statement,) = render(ex.Expr(op, types[-1], operands))[len(types) :]
    built_in = {"floor", "ceil", "roundEven", "sqrt", "inversesqrt", "abs", "sign", "min", "max"}
    defined = {name for block in library() for name in block.names}
    called = set(re.findall(r"(\w+)\(", statement))
    assert called <= built_in | defined
    for i in range(len(types)):
        assert f"v{i}" in statement


def test_library_blocks_use_only_earlier_ones() -> None:
    blocks = library()
    for number, block in enumerate(blocks):
        later = {name for other in blocks[number + 1 :] for name in other.names}
        assert not (later - block.names) & block.words


def test_library_takes_what_is_named_and_what_that_names() -> None:
    blocks = needed("float value(int i) { return arc_cosine(0.0); }", library(), [])
    defined = [name for block in blocks for name in sorted(block.names)]
    assert defined == ["select", "nan", "absolute", "with_sign", "asin_kernel", "arc_cosine"]


def test_library_takes_the_blocks_of_the_kernel_s_kind() -> None:
    def combining(kind: str) -> str:
        return "\n".join(b.code for b in needed("combine(x, y)", library(), [f"KIND_{kind}"]))

    assert "#define COMBINE(a, b) (a) + (b)" in combining("SUM")
    assert "maximum" not in combining("SUM")
    assert combining("MAX").count("#define COMBINE") == 1
    assert "float maximum(" in combining("MAX")


def test_operands_are_read_in_the_ways_that_a_kernel_names() -> None:
    blocks = operand("x", "x", "int", "ivec4", False)
    text = "\n".join(b.code for b in needed("x_value(0)", blocks, ["QUADS"]))
    assert "uniform highp isampler2D x_texture;" in text
    assert "#define x_value x_texel" in text
    assert "x_at" not in text
    assert "x_at" in "\n".join(b.code for b in needed("x_value(0)", blocks, []))


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1, F, "1.0"),
        (0.1, F, "0.10000000149011612"),
        (1e30, F, "1.0000000150474662e+30"),
        (float("inf"), F, "uintBitsToFloat(2139095040u)"),
        (-1e39, F, "uintBitsToFloat(4286578688u)"),
        (-(2**31), I, "int(2147483648u)"),
        (7, I, "7"),
        (2**32 - 1, U, "4294967295u"),
        (True, B, "true"),
    ],
)
def test_constants(value: float, dtype: ex.DType, text: str) -> None:
    assert Glsl().constant(value, dtype) == text


def test_float_constants_keep_their_value() -> None:
    for value in np.random.default_rng(0).normal(size=200).astype(np.float32):
        assert np.float32(Glsl().constant(float(value), F)) == value


def elementwise(root: ex.Expr, shapes: list[tuple[int, ...]], out: tuple[int, ...]) -> Program:
    program = Program("webgl")
    program.inputs = [program.add_buffer(shape, F) for shape in shapes]
    program.outputs = [program.add_buffer(out, root.dtype)]
    views = tuple(broadcast_view(shape, out) for shape in shapes)
    call = Elementwise(root, views, Aval(out, root.dtype))
    add_elementwise(program, call, program.inputs, program.outputs[0])
    verify(program)
    return program


GOLDEN = """\
float x_compute(float x0, float x1, int index) {
    float v0 = x0;
    float v1 = x1;
    float v2 = v0 + v1;
    float v3 = 0.0;
    float v4 = maximum(v2, v3);
    return v4;
}
int x1_offset(int i) {
    int rest = i;
    int at = 0;
    for (int d = 1; d > 0; d--) {
        int outer = rest / x_dims[d];
        at += (rest - outer * x_dims[d]) * x1_strides[d];
        rest = outer;
    }
    return at + rest * x1_strides[0];
}
V value(int t) {
    int i = 4 * t;
    vec4 x0 = x0_texel(t);
    vec4 x1 = x1_texel(x1_offset(i) >> 2);
    return vec4(x_compute(x0.x, x1.x, i + 0), x_compute(x0.y, x1.y, i + 1), \
x_compute(x0.z, x1.z, i + 2), x_compute(x0.w, x1.w, i + 3));
}
void main() {
    int t = (int(gl_FragCoord.y) << out_shift) + int(gl_FragCoord.x);
    result0 = value(t);
}
"""


def test_elementwise_golden() -> None:
    root = ex.maximum(ex.input_(0, F) + ex.input_(1, F), 0.0)
    program = elementwise(root, [(3, 5, 8), (8,)], (3, 5, 8))
    (kernel,), (step,) = program.kernels, program.steps
    assert kernel.source[kernel.source.index("float x_compute") :] == GOLDEN
    assert step.params == {"x1_strides": [0, 1], "x_dims": [15, 8]}
    assert "float maximum(" in kernel.source
    assert "minimum" not in kernel.source


def test_shapes_of_one_structure_share_a_shader() -> None:
    root = ex.input_(0, F) * ex.input_(1, F)
    sources = {
        elementwise(root, [(*outer, n), (n,)], (*outer, n)).kernels[0].source
        for outer, n in (((2,), 8), ((7, 3), 128))
    }
    assert len(sources) == 1


def test_parameters_are_declared_by_kind() -> None:
    params = {"kind": "max", "n": 3, "scale": 0.5, "dims": [1, 2]}
    body = "V value(int i) { return V(int(scale * float(x_at(n))) + dims[1]); }"
    source = kernel_source(body, [ArrayOperand("x", F, "x")], I, {**params, "unread": 1})
    block = re.search(r"uniform Params \{(.*?)\};", source.text, re.DOTALL)
    assert block is not None
    members = [line.strip(" ;") for line in block.group(1).strip().splitlines()]
    assert members == ["int out_shift", "int x_shift", "int n", "float scale", "int dims[2]"]
    assert "#define KIND_MAX" in source.text
    assert source.members == {"out_shift", "x_shift", "n", "scale", "dims"}


def test_what_a_prologue_makes_is_computed_in_loops() -> None:
    """Check that a prologue is called in a loop.

    Drivers inline calls, so 64 copies of a long expression would compile for minutes.
    """
    parameters: dict[str, Any] = {"kind": "sum", "n": 3, "chunk": 3, "chunks": 1, "inner": 1}
    sources = []
    for made in (False, True):
        program = Program("webgl")
        program.inputs = [program.add_buffer((4, 3), F)]
        program.outputs = [program.add_buffer((4,), F)]
        root, views = ex.input_(0, F) * 2.0, (broadcast_view((4, 3), (4, 3)),)
        prologue = Prologue(root, views, Aval((4, 3), F)) if made else None
        call = KernelCall("reduce", ("x",), {**parameters, "outer": 4}, prologue=prologue)
        add_kernel(program, call, program.inputs, program.outputs[0])
        sources.append(program.kernels[0].source)
    plain, fused = sources
    assert "result0 = T4(value(4 * t + 0), value(4 * t + 1)" in plain
    assert "#define PROLOGUE" not in plain
    assert fused.count("value(4 * t") == 1
    assert "#define PROLOGUE" in fused
