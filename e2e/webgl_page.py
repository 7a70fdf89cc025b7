"""Helpers of the tests of the WebGL2 runtime: its page, and Programs with their inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from e2e.module_page import Evaluate, module_page
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.webgl import bands as webgl_bands
from tfpy._src.compiler.lower.webgl.kernels import add_kernel

Array = np.ndarray[Any, Any]
CLEAN = {"slots": 0, "bytes": 0, "programs": 0, "used": 0, "closed": 0}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def small_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute products in bands, however small they are."""
    monkeypatch.setattr(webgl_bands, "LARGE_DRAW", 0)
    monkeypatch.setattr(webgl_bands, "ENOUGH_TILES", 0)


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluate]:
    """Open a page of Chromium that calls functions of ``webgl_runtime.mjs``."""
    with module_page("webgl_runtime.mjs") as call:
        yield call


def whole(*shape: int) -> Array:
    """Return small integers as float32, so that sums are exact in any order."""
    rng = np.random.default_rng(sum(shape))
    return rng.integers(-4, 5, shape).astype(np.float32)


def plain(value: Any) -> Any:
    """Return a number for JSON, with infinities and NaN as JavaScript's strings."""
    if np.isfinite(value):
        return value.item()
    return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def call_of(program: Program, arrays: list[Array]) -> dict[str, Any]:
    """Return a Program with its inputs in the page's format."""
    inputs = [{"dtype": a.dtype.name, "values": [plain(v) for v in a.ravel()]} for a in arrays]
    return {"json": program.to_json(), "inputs": inputs}


def equation(name: str, arrays: list[Array], **attrs: Any) -> Graph:
    avals = [Aval(a.shape, as_dtype(a.dtype)) for a in arrays]
    return single_equation(OPS[name], avals, tuple(attrs.items()))


def matmul_call(
    rng: np.random.Generator,
    batch: int,
    m: int,
    n: int,
    k: int,
    a: str,
    b: str,
    dtype: Any,
    targets: int,
    block: int = 0,
    shared: bool = False,
) -> tuple[dict[str, Any], Array, list[str]]:
    """Return a call of a matrix product, its expected result and its kernels' names.

    With `shared`, the second operand is one matrix for the whole batch.
    """
    right_batch = 1 if shared else batch
    x = rng.integers(-9, 9, (batch, k, m) if a == "true" else (batch, m, k)).astype(dtype)
    y = rng.integers(-9, 9, (right_batch, *((n, k) if b == "true" else (k, n)))).astype(dtype)
    program = Program("webgl")
    program.inputs = [program.add_buffer(v.shape, as_dtype(v.dtype)) for v in (x, y)]
    program.outputs = [program.add_buffer((batch, m, n), as_dtype(x.dtype))]
    params: dict[str, Any] = {"batch": batch, "m": m, "n": n, "k": k}
    params |= {"transpose_a": a, "transpose_b": b}
    strides = {"a_batch_stride": m * k, "b_batch_stride": 0 if shared else k * n}
    call = KernelCall("matmul", ("a", "b"), params | strides)
    add_kernel(program, call, program.inputs, program.outputs[0], targets, block)
    left = x.swapaxes(1, 2) if a == "true" else x
    right = y.swapaxes(1, 2) if b == "true" else y
    names = [program.kernels[step.kernel].name for step in program.steps]
    return call_of(program, [x, y]), left @ right, names
