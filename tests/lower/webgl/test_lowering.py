"""Graphs lowered to WebGL2 Programs: valid, complete, and with the variants that sizes allow."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tfpy._src.compiler.ops  # noqa: F401  fills the table
from tfpy._src.base.dtypes import as_dtype, float32, int32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import single_equation
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import OPS, UNSUPPORTED, Op
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.shaders.windows import product
from tfpy._src.compiler.lower.webgl import lower
from tfpy._src.compiler.lower.webgl.kernels import add_kernel
from tfpy._src.compiler.lower.webgl.steps import MAX_TEXTURES


def programs(op: Op) -> list[Program]:
    """Return a Program for each sample."""
    assert op.samples is not None
    result = []
    for arrays, attrs in op.samples(np.random.default_rng(0)):
        avals = [Aval(np.shape(a), as_dtype(np.asarray(a).dtype)) for a in arrays]
        graph = single_equation(op, avals, tuple(sorted(attrs.items())))
        result.append(lower(graph))
    return result


def declared(source: str) -> dict[str, int]:
    """Return the members of the uniform block with their lengths."""
    block = re.search(r"uniform Params \{(.*?)\};", source, re.DOTALL)
    assert block is not None
    members = re.findall(r"(?:int|float) (\w+)(?:\[(\d+)\])?;", block.group(1))
    return {name: int(length or 1) for name, length in members}


PRIMITIVES = {name for name, op in OPS.items() if op.is_primitive}


@pytest.mark.parametrize("name", sorted(PRIMITIVES - UNSUPPORTED["webgl"].keys()))
def test_samples_lower_to_valid_programs(name: str) -> None:
    for program in programs(OPS[name]):
        verify(program)
        for step in program.steps:
            kernel = program.kernels[step.kernel]
            assert len(kernel.inputs) == len(step.inputs) <= MAX_TEXTURES
            shifts = {f"{k}_shift" for k in ("out", *kernel.inputs)}
            lengths = {k: len(v) if isinstance(v, list) else 1 for k, v in step.params.items()}
            assert declared(kernel.source) == lengths | dict.fromkeys(shifts, 1)


def steps_of(call: KernelCall, shapes: list[tuple[int, ...]], out: tuple[int, ...]) -> list[str]:
    """Return the steps of a float32 kernel call as names and flags."""
    program = Program("webgl")
    program.inputs = [program.add_buffer(shape, float32) for shape in shapes]
    program.outputs = [program.add_buffer(out, int32 if call.name == "arg_reduce" else float32)]
    add_kernel(program, call, program.inputs, program.outputs[0])
    verify(program)
    flags = "QUADS|IN_QUADS|A_QUADS|A_WHOLE|B_WHOLE|DOT|CONTIGUOUS|CANDIDATES"
    return [
        " ".join([kernel.name, *re.findall(rf"#define ({flags})\n", kernel.source)])
        for kernel in (program.kernels[s.kernel] for s in program.steps)
    ]


def matmul(m: int, n: int, k: int, a: str = "false", b: str = "false") -> list[str]:
    params: dict[str, Any] = {"batch": 1, "m": m, "n": n, "k": k}
    params |= {"a_batch_stride": 0, "b_batch_stride": 0, "transpose_a": a, "transpose_b": b}
    return steps_of(KernelCall("matmul", ("a", "b"), params), [(m, k), (k, n)], (m, n))


@pytest.mark.parametrize(
    ("sizes", "transposes", "steps"),
    [
        ((8, 8, 8), (), ["matmul QUADS A_QUADS"]),
        ((8, 7, 8), (), ["matmul A_QUADS"]),
        ((8, 8, 7), (), ["matmul QUADS"]),
        ((8, 8, 8), ("true",), ["matmul QUADS"]),
        ((8, 7, 8), ("false", "true"), ["matmul DOT A_WHOLE B_WHOLE"]),
        ((8, 8, 7), ("false", "true"), ["matmul QUADS DOT"]),
        ((512, 512, 64), (), ["matmul_tile QUADS A_WHOLE B_WHOLE", "join QUADS"]),
        ((510, 512, 64), ("true",), ["matmul_tile QUADS B_WHOLE", "join QUADS"]),
        ((512, 510, 64), (), ["matmul_tile QUADS A_WHOLE", "join"]),
    ],
)
def test_matmul_variants(
    sizes: tuple[int, int, int], transposes: tuple[str, ...], steps: list[str]
) -> None:
    assert matmul(*sizes, *transposes) == steps


TILES = ["matmul_tile", "join"]
BANDS = ["pack_bands", "matmul_bands", "join_bands"]
COPIED = ["pack_bands", "strided", "matmul_bands", "join_bands"]


@pytest.mark.parametrize(
    ("m", "n", "k", "b", "block", "expected"),
    [
        (512, 512, 512, "false", 1 << 16, BANDS),
        (512, 512, 512, "true", 1 << 16, COPIED),  # rows of b become columns
        (512, 513, 512, "false", 1 << 16, COPIED),  # whole texels
        (512, 512, 2048, "false", 1 << 16, COPIED),  # rows stacked vertically
        (512, 512, 512, "false", 1 << 14, BANDS),
        (512, 512, 512, "false", 0, TILES),  # textures cannot become buffers
        (512, 512, 2048, "false", 1 << 14, TILES),  # more splits than useful
        (512, 512, 2051, "false", 1 << 16, TILES),  # splits of different lengths
        (512, 512, 2046, "false", 1 << 15, COPIED),
        (512, 128, 512, "false", 1 << 16, TILES),  # small draws
        (64, 512, 512, "false", 1 << 16, TILES),  # few fragments
    ],
)
def test_large_products_in_bands(
    m: int, n: int, k: int, b: str, block: int, expected: list[str]
) -> None:
    program = Program("webgl")
    program.inputs = [program.add_buffer(shape, float32) for shape in ((m, k), (k, n))]
    program.outputs = [program.add_buffer((m, n), float32)]
    add_kernel(program, product(m, n, k, b=b), program.inputs, program.outputs[0], 8, block)
    verify(program)
    assert [program.kernels[step.kernel].name for step in program.steps] == expected
    if expected != TILES:
        (chunks,) = (step.extra["chunks"] for step in program.steps if step.extra)
        splits = -(-k * 32 // block)
        assert chunks["count"] == m // 8 * splits
        assert chunks["nbytes"] == -(-k // splits // 8) * 256
        assert f" chunks={chunks}" in str(program)


def test_pointwise_convolution_is_a_matrix_product() -> None:
    ones = ("filter_h", "filter_w", "stride_h", "stride_w", "dilation_h", "dilation_w", "groups")
    params = dict.fromkeys(ones, 1) | {"batch": 2, "in_c": 8, "out_c": 16}
    params |= dict.fromkeys(("in_h", "in_w", "out_h", "out_w"), 5)
    params |= dict.fromkeys(("pad_top", "pad_bottom", "pad_left", "pad_right"), 0)
    call = KernelCall("conv2d", ("x", "filter"), params)
    assert steps_of(call, [(2, 5, 5, 8), (1, 1, 8, 16)], (2, 5, 5, 16)) == ["matmul QUADS A_QUADS"]


@pytest.mark.parametrize("name", ["reduce", "arg_reduce"])
def test_long_reductions_are_split(name: str) -> None:
    def steps(outer: int, n: int, inner: int) -> list[str]:
        params = {"kind": "max", "outer": outer, "n": n, "inner": inner}
        shape = (outer, n, inner)
        return steps_of(KernelCall(name, ("x",), params), [shape], (outer, inner))

    assert len(steps(1, 20, 1)) == 1
    assert len(steps(1, 1_000_000, 1)) == 3
    assert len(steps(100, 200, 100)) == 1
    assert len(steps(100, 400, 100)) == 2


def test_a_buffer_that_is_read_under_several_names_is_one_texture() -> None:
    program = Program("webgl")
    program.inputs = [program.add_buffer((8, 8), float32)]
    program.outputs = [program.add_buffer((8, 8), float32)]
    add_kernel(program, product(8, 8, 8), program.inputs * 2, program.outputs[0])
    verify(program)
    (kernel,), (step,) = program.kernels, program.steps
    assert (kernel.inputs, step.inputs) == (("a",), (0,))
    assert re.findall(r"uniform highp \w+ (\w+);", kernel.source) == ["a_texture"]


def test_concat_of_many_inputs_is_a_tree() -> None:
    count = 20
    names = tuple(f"x{i}" for i in range(count))
    call = KernelCall("concat", names, {"outer": 1, "inner": 1, "sizes": [2] * count})
    assert len(steps_of(call, [(2,)] * count, (2 * count,))) == 3
