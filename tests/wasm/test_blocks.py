"""Weights in block formats, equal to NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from blocks import random_weights

from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ops.block_formats import ON_DEVICES
from tfpy._src.compiler.ops.blocks import dequantize_blocks, gather_blocks, multiply_blocks

from .node_process import RuntimeFailed
from .node_runtime import NodeRuntime, aval_of

SHAPES = [(1, 256), (70, 256), (5, 768)]


@pytest.mark.parametrize("form", ON_DEVICES)
def test_values(form: str, runtime: NodeRuntime) -> None:
    w, values = random_weights(form, 5, 512)
    assert dequantize_blocks.kernel is not None
    call = dequantize_blocks.kernel(aval_of(w), form=form, shape=(5, 512))
    got = runtime.run_kernel(call, [w], Aval((5, 512), float32))
    np.testing.assert_allclose(got, values, rtol=1e-6, atol=1e-6)
    indices = np.array([[4, 0], [2, 4]], np.int32)
    assert gather_blocks.kernel is not None
    call = gather_blocks.kernel(aval_of(w), aval_of(indices), form=form, shape=(5, 512))
    got = runtime.run_kernel(call, [w, indices], Aval((2, 2, 512), float32))
    np.testing.assert_allclose(got, values[indices], rtol=1e-6, atol=1e-6)
    with pytest.raises(RuntimeFailed, match=r"\[0\] = 5 is not in \[0, 5\)"):
        runtime.run_kernel(call, [w, indices + 1], Aval((2, 2, 512), float32))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("form", ON_DEVICES)
def test_products(
    form: str, shape: tuple[int, int], runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    w, values = random_weights(form, *shape)
    assert multiply_blocks.kernel is not None
    for m in (1, 2, 3, 4, 7):
        for transpose_b in (True, False):
            wanted = values.T if transpose_b else values
            x = rng.normal(size=(m, len(wanted))).astype(np.float32)
            attrs: dict[str, Any] = {"form": form, "shape": shape, "transpose_b": transpose_b}
            call = multiply_blocks.kernel(aval_of(x), aval_of(w), **attrs)
            got = runtime.run_kernel(call, [x, w], Aval((m, wanted.shape[1]), float32))
            largest = np.abs(x) @ np.abs(wanted)
            assert (np.abs(got - x @ wanted) <= 1e-5 * largest + 1e-6).all()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"n": 6}, "outside of the input"),
        ({"k": 768}, "outside of the input"),
        ({"k": 520}, "whole blocks"),
        ({"scales": [0, 0, 1400]}, "outside of the input"),
        ({"scales": [0, 0]}, "scales"),
        ({"scale": "q9"}, "scale"),
        ({"scale": "q2_k"}, "number of groups"),
        ({"bits": [0, 128, 4, 32]}, "not complete"),
        ({"bits": [0, 128, 3, 32, 0]}, "not supported"),
        ({"bits": [0, 128, 4, 24, 0]}, "not supported"),
        ({"bits": [0, 64, 4, 32, 0]}, "do not fit"),
        ({"bits": [2147483647, 128, 4, 32, 0]}, "outside of the input"),
        ({"bits": [0, 128, 4, 32, 5]}, "not supported"),
        ({"bits": [0, 512, 16, 32, 0]}, "not supported"),
        ({"scale": "float16", "scales": []}, "not supported"),
        ({"scale": "half_zero", "scales": [0, 2000]}, "outside of the input"),
        ({"table": [1, 2]}, "16 numbers"),
        ({"size": 48}, "size of a group"),
        ({"group": 64}, "group"),
        ({"bytes": 2147483647}, "the weights"),
    ],
    ids=str,
)
def test_broken_descriptions(change: dict[str, Any], error: str, runtime: NodeRuntime) -> None:
    """Test descriptions that do not fit the bytes. Programs may come from files."""
    check_broken(runtime, "Q4_K", change, error)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"bits": [0, 32, 8, 32, 0]}, "not supported"),
        ({"bits": [0, 64, 16, 64, 1]}, "not supported"),
        ({"bits": [0, 64, 16, 64, 0] * 2}, "too many bits"),
        ({"bits": [64, 64, 16, 64, 0]}, "outside of the input"),
        ({"scales": [0]}, "scales"),
        ({"scale": "half", "scales": [0]}, "not supported"),
        ({"table": [0] * 16}, "too few numbers"),
    ],
    ids=str,
)
def test_broken_descriptions_of_floats(
    change: dict[str, Any], error: str, runtime: NodeRuntime
) -> None:
    check_broken(runtime, "BF16", change, error)


def check_broken(runtime: NodeRuntime, form: str, change: dict[str, Any], error: str) -> None:
    w, _ = random_weights(form, 5, 512)
    assert dequantize_blocks.kernel is not None
    call = dequantize_blocks.kernel(aval_of(w), form=form, shape=(5, 512))
    call = KernelCall(call.name, call.inputs, {**call.params, **change})
    out = Aval((call.params["n"], call.params["k"]), float32)  # type: ignore[arg-type]
    with pytest.raises(RuntimeFailed, match=error):
        runtime.run_kernel(call, [w], out)
