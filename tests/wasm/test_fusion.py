"""Kernels of fused equations: rows of many lengths, views of slices, rejected steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.strides import View
from tfpy._src.compiler.lower.calls import Elementwise
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.wasm.lowering import add_elementwise

from .node_process import RuntimeFailed
from .node_runtime import NodeRuntime

Array = np.ndarray[Any, Any]
LENGTHS = (1, 2, 3, 4, 5, 15, 16, 17, 31, 64, 67, 1000)


def softmax(x: Array) -> Array:
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    quotient: Array = e / e.sum(-1, keepdims=True)
    return quotient


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("rows", [1, 7, 301])
def test_softmax(n: int, rows: int, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    x = rng.normal(scale=20, size=(rows, n)).astype(np.float32)
    out = Aval(x.shape, ex.F)
    params = {"rows": rows, "n": n}
    got = runtime.run_kernel(KernelCall("softmax", ("x",), params), [x], out)
    np.testing.assert_allclose(got, softmax(x), 2e-6, 1e-12)
    got = runtime.run_kernel(KernelCall("log_softmax", ("x",), params), [x], out)
    np.testing.assert_allclose(got, np.log(softmax(x)), 2e-6, 1e-5)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("given", [(), ("scale",), ("offset",), ("scale", "offset")])
def test_layer_norm(
    n: int, center: bool, given: tuple[str, ...], runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    x = (rng.normal(size=(9, n)) + 3).astype(np.float32)
    vectors = {name: rng.normal(size=n).astype(np.float32) for name in given}
    params: dict[str, Any] = {"rows": 9, "n": n, "center": str(center).lower()}
    params["epsilon_bits"] = int(np.float32(1e-3).view(np.int32))
    params |= {name: str(name in given).lower() for name in ("scale", "offset")}
    call = KernelCall("layer_norm", ("x", *given), params)
    got = runtime.run_kernel(call, [x, *vectors.values()], Aval(x.shape, ex.F))
    deviation = x.astype(np.float64) - (x.mean(-1, keepdims=True, dtype=float) if center else 0)
    wanted = deviation / np.sqrt((deviation**2).mean(-1, keepdims=True) + 1e-3)
    wanted = wanted * vectors.get("scale", 1.0) + vectors.get("offset", 0.0)
    np.testing.assert_allclose(got, wanted, 2e-5, 2e-5)


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"rows": 2, "n": 4}, "elements"),
        ({"rows": 2, "n": 0}, "n"),
        ({"rows": -1, "n": 3}, "rows"),
        ({"n": 3}, "rows"),
    ],
)
def test_refused_rows(params: dict[str, Any], text: str, runtime: NodeRuntime) -> None:
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(RuntimeFailed, match=text):
        runtime.run_kernel(KernelCall("softmax", ("x",), params), [x], Aval(x.shape, ex.F))


def test_refused_scale(runtime: NodeRuntime) -> None:
    x, scale = np.zeros((2, 3), np.float32), np.zeros(2, np.float32)
    params = {"rows": 2, "n": 3, "epsilon_bits": 0, "center": "true"}
    call = KernelCall("layer_norm", ("x", "s"), params | {"scale": "true", "offset": "false"})
    with pytest.raises(RuntimeFailed, match="scale"):
        runtime.run_kernel(call, [x, scale], Aval(x.shape, ex.F))


VIEWS = [
    ((6, 10), (40, 1), 20),
    ((6, 300), (700, 1), 333),
    ((50, 7), (7, 1), 13),
    ((200,), (1,), 3),
    ((5, 8, 9), (200, 11, 2), 1),
    ((4, 130), (0, 1), 7),
    ((4, 130), (5, 0), 7),
    ((1000,), (0,), 77),
]


@pytest.mark.parametrize(("shape", "strides", "offset"), VIEWS)
@pytest.mark.parametrize("dtype", [np.float32, np.bool_])
def test_views(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
    dtype: Any,
    runtime: NodeRuntime,
    rng: np.random.Generator,
) -> None:
    """Read an array at an offset, next to one in the order of the output."""
    grid = np.indices(shape).reshape(len(shape), -1)
    at = offset + np.array(strides) @ grid
    source = rng.integers(0, 2, at.max() + 1).astype(dtype)
    other = rng.normal(size=shape).astype(np.float32)
    program = Program("wasm")
    kind = ex.B if dtype == np.bool_ else ex.F
    program.inputs = [program.add_buffer(source.shape, kind), program.add_buffer(shape, ex.F)]
    program.outputs = [program.add_buffer(shape, ex.F)]
    root = ex.cast(ex.input_(0, kind), ex.F) * 2.0 + ex.input_(1, ex.F)
    dense = tuple(int(np.prod(shape[d + 1 :])) for d in range(len(shape)))
    views = (View(strides, offset), View(dense))
    call = Elementwise(root, views, Aval(shape, ex.F))
    add_elementwise(program, call, program.inputs, program.outputs[0])
    (got,) = runtime.run_program(program, [source, other])
    wanted = source[at].reshape(shape).astype(np.float32) * 2 + other
    np.testing.assert_array_equal(got, wanted)
