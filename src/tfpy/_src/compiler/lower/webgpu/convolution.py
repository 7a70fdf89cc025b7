"""The steps of convolutions and their gradients on WebGPU, as products in tiles."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.steps import Params, inputs_of
from tfpy._src.compiler.lower.shaders.windows import shaped, size_of
from tfpy._src.compiler.lower.webgpu import winograd
from tfpy._src.compiler.lower.webgpu.products import add_product, takes_halves
from tfpy._src.compiler.lower.webgpu.steps import WebGPUSteps
from tfpy._src.compiler.lower.webgpu.tiles import SHORT, Product


def conv(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "out")
    whole = {"whole_a": p["in_c"] % 4 == 0, "whole_b": p["out_c"] % 4 == 0}
    windows = Product(1, pixels, p["out_c"], size_of(p, "filter") * p["in_c"], **whole)
    if p["groups"] > 1 or _of_pictures(windows):
        return False
    if not takes_halves(steps, inputs) and winograd.add(steps, inputs, output, p):
        return True
    return _in_tiles(steps, call, inputs, output, windows, "WINDOWS")


def _of_pictures(windows: Product) -> bool:
    """Return True if windows are so small that finding their positions is slower than reading.

    For the first layer of a MobileNet, a kernel in tiles took 25 us and 300 ms to compile. One
    output per invocation took 16 us and 50 ms.
    """
    return windows.k <= SHORT and not windows.whole_a


def conv_input(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "in")
    k = size_of(p, "filter") * p["out_c"]
    over = Product(1, pixels, p["in_c"], k, True, True, transpose_b=True)
    if not takes_halves(steps, inputs) and winograd.add(steps, inputs, output, p, backward=True):
        return True
    fits = p["groups"] == 1 and p["out_c"] % 4 == 0
    return fits and _in_tiles(steps, call, inputs, output, over, "OVER")


def conv_filter(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    p: Params = dict(call.params)
    rows, pixels = size_of(p, "filter") * p["in_c"], p["batch"] * size_of(p, "out")
    whole = p["out_c"] % 4 == 0
    taps = Product(1, rows, p["out_c"], pixels, True, whole, transpose_a=True)
    fits = p["groups"] == 1 and p["in_c"] % 4 == 0
    return fits and _in_tiles(steps, call, inputs, output, taps, "TAPS")


def _in_tiles(
    steps: WebGPUSteps,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    product: Product,
    reader: str,
) -> bool:
    """Add the steps of a convolution as a product in tiles, if that is the fastest way."""
    params, flags = shaped(dict(call.params), [reader])
    return add_product(steps, inputs_of(call, inputs), output, product, params, flags)
