"""The steps of convolutions and their gradients on WebGL2, in tiles where that pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.products import in_quads
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.shaders.windows import filter_gradient, shaped, size_of
from tfpy._src.compiler.lower.webgl.steps import WebGLSteps
from tfpy._src.compiler.lower.webgl.tiles import Tiling, add_tiles, columns_of, spread_of, tiles_pay


def _tiled_step(
    steps: WebGLSteps,
    name: str,
    inputs: Mapping[str, int],
    output: int,
    params: Params,
    flags: Sequence[str],
    tiling: Tiling,
) -> None:
    """Add the variant of a window kernel that computes tiles."""
    params, flags = shaped(params, flags)
    add_tiles(steps, name, inputs, output, params, flags, tiling)


def conv(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "out")
    whole_in, whole_out = in_quads(p)
    terms = p["in_c"] // p["groups"] * size_of(p, "filter")
    if not whole_out or not tiles_pay(pixels, p["out_c"], terms):
        return False
    # A tile must be within one group.
    columns = columns_of(steps, p["out_c"]) if p["groups"] == 1 else 1
    texels = -(-p["batch"] * size_of(p, "in") * p["in_c"] // 4)
    spread = spread_of(-(-p["in_c"] * p["stride_w"] // 4), texels, pixels)
    tiling = Tiling(1, pixels, p["out_c"], columns, spread)
    params, flags = p | {"out_c": p["out_c"] // 4}, flags_of(IN_QUADS=whole_in)
    _tiled_step(steps, "conv", inputs_of(call, inputs), output, params, flags, tiling)
    return True


def conv_input(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "in")
    terms = p["out_c"] // p["groups"] * size_of(p, "filter")
    if not all(in_quads(p)) or not tiles_pay(pixels, p["in_c"], terms):
        return False
    tiling = Tiling(1, pixels, p["in_c"], 1)
    _tiled_step(steps, "conv_backprop_input", inputs_of(call, inputs), output, p, [], tiling)
    return True


def conv_filter(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    p: Params = dict(call.params)
    if not all(in_quads(p)):
        return False
    rows = p["in_c"] // p["groups"]
    count = steps.program.buffers[output].count

    def tiles(
        steps: WebGLSteps,
        name: str,
        named: Mapping[str, int],
        target: int,
        params: Params,
        flags: Sequence[str],
    ) -> None:
        chunks = steps.program.buffers[target].count // count
        tiling = Tiling(chunks * size_of(p, "filter"), rows, p["out_c"], 1)
        _tiled_step(steps, name, named, target, params, [], tiling)

    filter_gradient(
        steps, "conv_backprop_filter", call, inputs, output, "out_c", quads=True, step=tiles
    )
    return True
