"""Convolutions on WebGPU that are computed by Winograd transforms."""

from __future__ import annotations

from typing import Any

import pytest

import tfpy._src.compiler.ops  # noqa: F401  fills the table
from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import single_equation
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.program import verify
from tfpy._src.compiler.lower.webgpu import lower

SAME = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}
STEPS = ["winograd_input", "winograd_filter", "matmul_tile", "winograd_output"]


def kernels(op: str, *shapes: tuple[int, ...], tiles: bool = True, **attrs: Any) -> list[str]:
    attrs = {**SAME, **attrs}
    avals = [Aval(shape, float32) for shape in shapes]
    program = lower(single_equation(OPS[op], avals, tuple(sorted(attrs.items()))), tiles=tiles)
    verify(program)
    return [program.kernels[step.kernel].name for step in program.steps]


@pytest.mark.parametrize(
    ("x", "filter_", "attrs"),
    [
        ((16, 56, 56, 128), (3, 3, 128, 128), {}),
        ((16, 57, 55, 128), (3, 3, 128, 128), {"padding": ((0, 2), (1, 0))}),
        ((1, 224, 224, 64), (3, 3, 64, 64), {}),
    ],
)
def test_large_convolutions(x: Any, filter_: Any, attrs: Any) -> None:
    assert kernels("conv2d", x, filter_, **attrs) == STEPS


def test_gradient_by_the_images() -> None:
    dy, filter_ = (16, 28, 28, 256), (3, 3, 128, 256)
    assert kernels("conv2d_backprop_input", dy, filter_, input_shape=(16, 28, 28, 128)) == STEPS


@pytest.mark.parametrize(
    ("x", "filter_", "attrs"),
    [
        ((1, 56, 56, 64), (3, 3, 64, 64), {}),  # few pixels
        ((64, 112, 112, 16), (3, 3, 16, 64), {}),  # few channels
        ((64, 56, 56, 64), (3, 3, 64, 64), {}),  # more data than a device must be able to bind
        ((16, 56, 56, 128), (3, 3, 128, 130), {}),  # partial texels
        ((16, 56, 56, 128), (5, 5, 128, 128), {"padding": ((2, 2), (2, 2))}),
        ((32, 56, 56, 128), (3, 3, 128, 128), {"strides": (2, 2)}),
        ((16, 56, 56, 128), (3, 3, 128, 128), {"dilations": (2, 2), "padding": ((2, 2), (2, 2))}),
        ((16, 56, 56, 256), (3, 3, 128, 128), {}),  # groups
    ],
)
def test_others_are_products_in_tiles(x: Any, filter_: Any, attrs: Any) -> None:
    assert "winograd_output" not in kernels("conv2d", x, filter_, **attrs)


def test_no_tiles() -> None:
    """Check that devices that compile tiles too slowly do not use transforms either."""
    found = kernels("conv2d", (16, 56, 56, 128), (3, 3, 128, 128), tiles=False)
    assert "winograd_output" not in found
