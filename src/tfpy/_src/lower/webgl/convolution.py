"""The steps of convolutions and their gradients on WebGL2, in tiles where that pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from tfpy._src.lower.webgl.matmul import matmul
from tfpy._src.lower.webgl.steps import WebGLSteps
from tfpy._src.lower.webgl.tiles import Tiling, add_tiles, columns_of, spread_of, tiles_pay


def _tiled_step(
    steps: WebGLSteps,
    name: str,
    inputs: Mapping[str, int],
    output: int,
    params: Params,
    flags: Sequence[str],
    tiling: Tiling,
) -> None:
    """Adds the variant of a window kernel that computes tiles."""
    params, flags = shaped(params, flags)
    add_tiles(steps, name, inputs, output, params, flags, tiling)


def conv(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "out")
    if is_pointwise(p):
        matmul(steps, product(pixels, p["out_c"], p["in_c"]), inputs, output)
        return
    group_in, group_out = p["in_c"] // p["groups"], p["out_c"] // p["groups"]
    quads = group_out % 4 == 0
    in_quads = flags_of(IN_QUADS=group_in % 4 == 0)
    params = p | {"out_c": p["out_c"] // 4} if quads else p
    named = inputs_of(call, inputs)
    if quads and tiles_pay(pixels, p["out_c"], group_in * size_of(p, "filter")):
        # A tile lies within one group.
        columns = columns_of(steps, p["out_c"]) if p["groups"] == 1 else 1
        texels = -(-p["batch"] * size_of(p, "in") * p["in_c"] // 4)
        spread = spread_of(-(-p["in_c"] * p["stride_w"] // 4), texels, pixels)
        tiling = Tiling(1, pixels, p["out_c"], columns, spread)
        _tiled_step(steps, "conv", named, output, params, in_quads, tiling)
    else:
        window_step(steps, "conv", named, output, params, [*flags_of(QUADS=quads), *in_quads])


def conv_input(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "in")
    if is_pointwise(p):
        matmul(steps, product(pixels, p["in_c"], p["out_c"], b="true"), inputs, output)
        return
    out_quads = p["out_c"] // p["groups"] % 4 == 0
    quads = out_quads and p["in_c"] // p["groups"] % 4 == 0
    named = inputs_of(call, inputs)
    if quads and tiles_pay(pixels, p["in_c"], p["out_c"] // p["groups"] * size_of(p, "filter")):
        tiling = Tiling(1, pixels, p["in_c"], 1)
        _tiled_step(steps, "conv_backprop_input", named, output, p, [], tiling)
    else:
        flags = flags_of(QUADS=quads, OUT_QUADS=out_quads)
        window_step(steps, "conv_backprop_input", named, output, p, flags)


def conv_filter(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    rows = p["in_c"] // p["groups"]
    quads = p["out_c"] // p["groups"] % 4 == 0
    tiled = quads and rows % 4 == 0
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

    step = tiles if tiled else window_step
    filter_gradient(steps, "conv_backprop_filter", call, inputs, output, "out_c", quads, step)
