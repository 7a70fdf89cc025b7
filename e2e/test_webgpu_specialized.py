"""Kernels specialized for a Program, which replace the general ones after many runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from e2e.module_page import Evaluate, module_page
from e2e.webgl_page import call_of
from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.webgpu.kernels import add_kernel

Array = np.ndarray[Any, Any]

RUNS = 32
"""``ENOUGH_RUNS`` of web/webgpu/specialized.mjs."""

FAILS = "\nfn never() -> i32 { return 1 / (p.offset - p.offset); }"
"""WGSL that compiles only if ``p`` is not a constant."""


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluate]:
    with module_page("webgpu_specialized.mjs") as call:
        yield call


def transposed(rows: int, columns: int, times: int, ending: str = "") -> tuple[Any, Array]:
    """Return a call that transposes a matrix `times` times, and the expected array."""
    program = Program("webgpu")
    x = np.random.default_rng(rows).standard_normal((rows, columns), dtype=np.float32)
    buffer = program.add_buffer(x.shape, float32)
    program.inputs = [buffer]
    for _ in range(times):
        rows, columns = columns, rows
        params: dict[str, Any] = {"dims": [rows, columns], "strides": [1, rows], "offset": 0}
        output = program.add_buffer([rows, columns], float32)
        add_kernel(program, KernelCall("strided", ("x",), params), [buffer], output, tiles=False)
        buffer = output
    program.outputs = [buffer]
    program.kernels = [k._replace(source=k.source + ending) for k in program.kernels]
    assert {kernel.name for kernel in program.kernels} == {"strided"}
    return call_of(program, [x]), x.T if times % 2 else x


def check(evaluate: Evaluate, cases: Sequence[tuple[Any, Array]]) -> list[dict[str, Any]]:
    """Return the page's findings about the calls, and check that the values are always right."""
    found: list[dict[str, Any]] = evaluate("stages", [call for call, _ in cases], RUNS)
    for stage, (_, expected) in zip(found, cases, strict=True):
        for values in stage["values"]:
            np.testing.assert_array_equal(np.float32(values), expected.ravel())
    return found


def test_kernels_take_over(evaluate: Evaluate) -> None:
    """Check that kernels are requested in turn and that nothing waits for them.

    Equal sizes share one kernel.
    """
    one, three = check(evaluate, [transposed(40, 64, 1), transposed(33, 70, 3)])
    assert one == {**one, "asked": [1, 1], "replaced": 1, "kept": 0, "alive": 1, "left": 0}
    # 33 x 70 twice, 70 x 33 once.
    assert three == {**three, "asked": [1, 2], "replaced": 2, "kept": 0, "alive": 2, "left": 0}


def test_those_that_do_not_compile(evaluate: Evaluate) -> None:
    """Check that the old kernel stays in use if a specialized one does not compile.

    No error is raised.
    """
    (found,) = check(evaluate, [transposed(40, 64, 1, FAILS)])
    assert found == {**found, "asked": [1, 1], "replaced": 0, "kept": 1, "alive": 0, "left": 0}


def test_closed_meanwhile(evaluate: Evaluate) -> None:
    call, _ = transposed(33, 70, 2)
    assert evaluate("closedMeanwhile", call, RUNS) == [[1, 0], [1, 0]]


def test_there_are_not_too_many(evaluate: Evaluate) -> None:
    source = "struct Params {\n    number: i32,\n}\n@group(0) @binding(0) var<uniform> p: Params;"
    assert evaluate("most", 400, source, RUNS) == [256, 200]
