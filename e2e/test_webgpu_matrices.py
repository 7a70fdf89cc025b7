"""Products by subgroup matrices on WebGPU, compared with NumPy.

Software rasterizers have no subgroup matrices, so kernels compute them with arrays here: each of
the 32 threads of a subgroup has eight sums. Two float16 numbers are the bits of a uint32.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from e2e.module_page import Evaluate, module_page
from e2e.webgl_page import call_of, whole
from tfpy._src.base.dtypes import DType, as_dtype, float16, float32, int8
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.webgpu import matrices, products
from tfpy._src.compiler.lower.webgpu.kernels import add_kernel
from tfpy._src.compiler.ops.block_formats import ON_DEVICES, by_fields
from tfpy._src.compiler.ops.blocks import multiply_blocks

Array = np.ndarray[Any, Any]
Case = tuple[Program, list[Array], Array]

ARRAYS = """
alias Left = array<f32, 16>;
alias Right = array<f32, 128>;
alias Sums = array<f32, 8>;

// The row of a thread's sums, and their first column.
var<private> row_of_sums: i32;
var<private> column_of_sums: i32;

fn halves_of(x: vec4<f32>) -> vec2<u32> {
    return vec2<u32>(pack2x16float(x.xy), pack2x16float(x.zw));
}

fn number_at(block: ptr<workgroup, Block>, line: i32, i: i32) -> f32 {
    return unpack2x16float(block[line * PITCH + i / 4][i % 4 / 2])[i % 2];
}

fn load_Left_row_major(block: ptr<workgroup, Block>) -> Left {
    var found: Left;
    for (var k = 0; k < 16; k++) { found[k] = number_at(block, row_of_sums, k); }
    return found;
}

fn load_Left_col_major(block: ptr<workgroup, Block>) -> Left {
    var found: Left;
    for (var k = 0; k < 16; k++) { found[k] = number_at(block, k, row_of_sums); }
    return found;
}

fn load_Right_row_major(block: ptr<workgroup, Block>) -> Right {
    var found: Right;
    for (var i = 0; i < 128; i++) { found[i] = number_at(block, i / 8, column_of_sums + i % 8); }
    return found;
}

fn load_Right_col_major(block: ptr<workgroup, Block>) -> Right {
    var found: Right;
    for (var i = 0; i < 128; i++) { found[i] = number_at(block, column_of_sums + i % 8, i / 8); }
    return found;
}

fn store_matrix(to: ptr<workgroup, array<vec4<f32>, 64>>, sums: Sums) {
    let first = row_of_sums * 4 + column_of_sums / 4;
    for (var i = 0; i < 8; i++) { to[first + i / 4][i % 4] = sums[i]; }
}

fn multiply_add(left: Left, right: Right, sums: Sums) -> Sums {
    var found = sums;
    for (var i = 0; i < 8; i++) {
        for (var k = 0; k < 16; k++) { found[i] += left[k] * right[k * 8 + i]; }
    }
    return found;
}
"""


def with_arrays(source: str) -> str:
    """Return a kernel that computes subgroup matrices with arrays."""
    for pattern, text in (
        (r"(?m)^(enable|requires) .*\n", ""),
        (r"alias (Left|Right|Sums) = .*;\n", ""),
        (r"subgroupMatrixLoad<(\w+), (\w+)>\((.*), 0, PITCH\)", r"load_\1_\2(\3)"),
        (r"subgroupMatrixStore<row_major>\((.*), 0, sums, 4\)", r"store_matrix(\1, sums)"),
        ("subgroupMatrixMultiplyAccumulate", "multiply_add"),
        (r" *@builtin\(subgroup_id\) number: u32,\n", ""),
        (r"i32\(number\)", "i32(thread / 32)"),
        ("(let lane = .*;)", r"\1 row_of_sums = lane / 2; column_of_sums = lane % 2 * 8;"),
        (r"array<vec4<f16>", "array<vec2<u32>"),
        (r"vec4<f16>\(", "halves_of("),
        ("PITCH = 6", "PITCH = 4"),  # less memory of a workgroup
    ):
        source = re.sub(pattern, text, source)
    assert re.search("subgroup(_|M)", source) is None
    return source + ARRAYS


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluate]:
    with module_page("webgpu_runtime.mjs") as call:
        yield call


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute all products by subgroup matrices, however small they are."""
    monkeypatch.setattr(products, "SMALL", 1)
    monkeypatch.setattr(products, "takes_halves", lambda *_: True)
    monkeypatch.setattr(matrices, "MIN_SIDE", 1)
    monkeypatch.setattr(matrices, "MIN_TERMS", 1)


def program_of(call: KernelCall, arrays: list[Array], expected: Array) -> Case:
    program = Program("webgpu")
    kinds: list[DType] = [as_dtype(a.dtype) for a in arrays]
    for array, dtype in zip(arrays, kinds, strict=True):
        program.inputs.append(program.add_buffer(array.shape, dtype))
    program.outputs = [program.add_buffer(expected.shape, float32)]
    add_kernel(program, call, program.inputs, program.outputs[0], matrices=[float16])
    for i, kernel in enumerate(program.kernels):
        if kernel.name == "matmul_matrix":
            program.kernels[i] = kernel._replace(source=with_arrays(kernel.source))
    assert "matmul_matrix" in {kernel.name for kernel in program.kernels}
    return program, arrays, expected


def case(name: str, *arrays: Array, **attrs: Any) -> Case:
    op = OPS[name]
    assert op.kernel is not None
    call = op.kernel(*(Aval(a.shape, float32) for a in arrays), **attrs)
    return program_of(call, [*arrays], op.ref(*arrays, **attrs))


def random_weights(form: str, n: int, k: int) -> tuple[Array, Array]:
    """Return the bytes of a matrix [n, k] in blocks, and its values."""
    rng, how = np.random.default_rng(n), ON_DEVICES[form]
    count = n * k // how.size
    blocks = rng.integers(0, 256, count * how.layout.itemsize, np.uint8).view(how.layout)
    for name in {"d", "m"}.intersection(how.layout.names or ()):
        blocks[name] = rng.uniform(-1, 1, count)
    if form == "BF16":
        blocks["qs"] = rng.uniform(-1, 1, (count, 32)).astype(np.float32).view(np.uint32) >> 16
    assert how.decode is not None
    return by_fields(how, blocks), how.decode(blocks).reshape(n, k)


def block_case(form: str, x: Array, n: int, k: int, transpose_b: bool, factor: float = 1) -> Case:
    """Return a product with weights [n, k], of which the scale of one is multiplied."""
    data, values = random_weights(form, n, k)
    if factor != 1:
        scales = data.view(np.float16)
        before = float(scales[5])
        scales[5] *= factor
        values.ravel()[5 * 32 : 6 * 32] *= float(scales[5]) / before
    avals = [Aval(x.shape, float32), Aval(data.shape, int8)]
    attrs = {"form": form, "shape": (n, k), "transpose_b": transpose_b}
    expected = x.astype(np.float64) @ (values.T if transpose_b else values)
    assert multiply_blocks.kernel is not None
    return program_of(multiply_blocks.kernel(*avals, **attrs), [x, data], expected)


def results(evaluate: Evaluate, cases: list[Case]) -> list[Array]:
    calls = [call_of(program, arrays) for program, arrays, _ in cases]
    return [np.array(values, np.float32) for values in evaluate("results", calls)]


# Each tile, with each memory order of the operands: (tile, m, n, k, transpose_a, transpose_b).
TILES = [
    (0, 130, 36, 36, False, True),
    (1, 65, 66, 33, False, False),
    (2, 33, 36, 130, True, True),
]


def test_products_of_matrices(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    cases, tiles = [], matrices.HALVES
    for number, m, n, k, a, b in TILES:
        monkeypatch.setattr(matrices, "HALVES", [(0, tiles[number][1])])
        x, y = whole(2, k, m) if a else whole(2, m, k), whole(2, n, k) if b else whole(2, k, n)
        cases.append(case("matmul", x, y, transpose_a=a, transpose_b=b))
    for values, (_, _, expected) in zip(results(evaluate, cases), cases, strict=True):
        np.testing.assert_array_equal(values, expected.ravel())


def test_convolutions_by_matrices(evaluate: Evaluate) -> None:
    windows = {"strides": (2, 1), "dilations": (1, 2), "padding": ((1, 1), (2, 2))}
    x, f = whole(2, 9, 8, 4), whole(3, 3, 4, 8)
    made = case("conv2d", x, f, **windows)
    dy = whole(*made[2].shape)
    cases = [
        made,
        case("conv2d_backprop_input", dy, f, **windows, input_shape=x.shape),
        case("conv2d_backprop_filter", x, dy, **windows, filter_shape=f.shape),
    ]
    for values, (_, _, expected) in zip(results(evaluate, cases), cases, strict=True):
        np.testing.assert_array_equal(values, expected.ravel())


def test_weights_in_blocks(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, tiles = np.random.default_rng(0), matrices.SPLITS
    x = rng.standard_normal((66, 64)) * 10.0 ** rng.integers(-30, 30, (66, 1))
    cases = []
    for number, transpose_b, form in ((0, True, "Q4_1"), (1, True, "BF16"), (1, False, "Q4_1")):
        tile = replace(tiles[number][1], depth=4)  # as much memory as software has
        monkeypatch.setattr(matrices, "SPLITS", [(0, tile)])
        n, k = (68, 64) if transpose_b else (64, 32)
        cases.append(block_case(form, x.astype(np.float32), n, k, transpose_b))
    for values, (_, _, expected) in zip(results(evaluate, cases), cases, strict=True):
        errors = np.abs(values.reshape(expected.shape) - expected).max(axis=1)
        assert (errors < 2e-6 * np.abs(expected).max(axis=1)).all()


def test_numbers_that_do_not_fit(evaluate: Evaluate) -> None:
    """Test infinity and NaN in rows of x, and weights that are too large for float16."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((66, 64)).astype(np.float32)
    special = x.copy()
    special[3, 7], special[65, 0] = np.inf, np.nan
    cases = [
        block_case("Q8_0", special, 36, 64, transpose_b=True),
        block_case("Q8_0", x, 36, 64, transpose_b=True, factor=300),
        block_case("Q8_0", x, 64, 32, transpose_b=False, factor=300),
    ]
    for values, (_, _, expected) in zip(results(evaluate, cases), cases, strict=True):
        got = values.reshape(expected.shape)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5 * np.nanmax(x @ x.T))


def test_scales_of_rows(evaluate: Evaluate) -> None:
    x = np.array([[1, -3, 0, 2], [0, 0, 0, 0], [1e-30, 0, 0, 0], [np.inf, 1, 1, 1]], np.float32)
    x = np.concatenate([x, np.repeat(np.array([[np.nan], [70000]], np.float32), 4, 1)])
    program = Program("webgpu")
    program.inputs = [program.add_buffer(x.shape, float32)]
    call = KernelCall("matmul", ("a", "b"), {})
    output = program.add_buffer((6, 1), float32)
    steps = products.WebGPUSteps(program, call, program.inputs, output)
    product = products.Product(1, 6, 1, 4, True, True)
    program.outputs = [products.row_scales(steps, program.inputs[0], product)]
    assert products.row_scales(steps, program.inputs[0], product) == program.outputs[0]
    (values,) = evaluate("results", [call_of(program, [x])])
    assert values == [2.0**13, 2.0**100, 2.0**100, 0, 0, 0.25]
