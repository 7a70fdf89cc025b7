"""The steps of convolutions and their gradients on WebGPU."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.ir.kernel import KernelCall
from tfpy._src.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.lower.shaders.windows import (
    filter_gradient,
    is_pointwise,
    product,
    shaped,
    size_of,
    window_step,
)
from tfpy._src.lower.webgpu.matmul import matmul
from tfpy._src.lower.webgpu.steps import WebGPUSteps
from tfpy._src.lower.webgpu.tiles import Product, add_product


def conv(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "out")
    if is_pointwise(p):
        matmul(steps, product(pixels, p["out_c"], p["in_c"]), inputs, output)
        return
    group_in, group_out = p["in_c"] // p["groups"], p["out_c"] // p["groups"]
    whole = {"whole_a": p["in_c"] % 4 == 0, "whole_b": p["out_c"] % 4 == 0}
    windows = Product(1, pixels, p["out_c"], size_of(p, "filter") * p["in_c"], **whole)
    if p["groups"] == 1 and _in_tiles(steps, call, inputs, output, windows, "WINDOWS"):
        return
    quads = group_out % 4 == 0
    params = p | {"out_c": p["out_c"] // 4} if quads else p
    flags = flags_of(QUADS=quads, IN_QUADS=group_in % 4 == 0)
    window_step(steps, "conv", inputs_of(call, inputs), output, params, flags)


def conv_input(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "in")
    if is_pointwise(p):
        matmul(steps, product(pixels, p["in_c"], p["out_c"], b="true"), inputs, output)
        return
    out_quads = p["out_c"] // p["groups"] % 4 == 0
    k = size_of(p, "filter") * p["out_c"]
    over = Product(1, pixels, p["in_c"], k, True, True, transpose_b=True)
    if p["groups"] == 1 and out_quads and _in_tiles(steps, call, inputs, output, over, "OVER"):
        return
    quads = out_quads and p["in_c"] // p["groups"] % 4 == 0
    flags = flags_of(QUADS=quads, OUT_QUADS=out_quads)
    window_step(steps, "conv_backprop_input", inputs_of(call, inputs), output, p, flags)


def conv_filter(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    quads = p["out_c"] // p["groups"] % 4 == 0
    rows, pixels = size_of(p, "filter") * p["in_c"], p["batch"] * size_of(p, "out")
    taps = Product(1, rows, p["out_c"], pixels, True, quads, transpose_a=True)
    whole = p["in_c"] % 4 == 0
    if p["groups"] == 1 and whole and _in_tiles(steps, call, inputs, output, taps, "TAPS"):
        return
    filter_gradient(steps, "conv_backprop_filter", call, inputs, output, "out_c", quads)


def _in_tiles(
    steps: WebGPUSteps,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    product: Product,
    reader: str,
) -> bool:
    """Adds the steps of a convolution as a product in tiles, if it is best computed so."""
    params, flags = shaped(dict(call.params), [reader])
    return add_product(steps, inputs_of(call, inputs), output, product, params, flags)
