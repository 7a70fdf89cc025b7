"""The steps of window kernels on WebGL2: convolutions, pooling, their gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tfpy._src.dtypes import DType, float32, int32
from tfpy._src.ir.kernel import KernelCall, Param
from tfpy._src.lower.webgl.matmul import matmul, product
from tfpy._src.lower.webgl.reduction import sum_chunks
from tfpy._src.lower.webgl.steps import Params, Steps, chunk_of, flags_of, inputs_of
from tfpy._src.lower.webgl.tiles import Tiling, add_tiles, columns_of, spread_of, tiles_pay


def _size(p: Params, which: str) -> int:
    """Elements of all spatial dimensions (two or three) of ``in``, ``out`` or ``filter``."""
    return math.prod(p[f"{which}_{axis}"] for axis in "dhw" if f"{which}_{axis}" in p)


def _window_step(
    steps: Steps,
    name: str,
    inputs: Mapping[str, int],
    output: int,
    params: Params,
    flags: Sequence[str] = (),
    tiling: Tiling | None = None,
) -> None:
    """Adds the step of a window kernel, or of its variant that computes tiles."""
    params, flags = _shaped(params, flags)
    if tiling is None:
        steps.step(name, inputs, output, params, flags)
    else:
        add_tiles(steps, name, inputs, output, params, flags, tiling)


def _shaped(params: Params, flags: Sequence[str]) -> tuple[Params, list[str]]:
    """Without the parameters of the depth, and with the flag IMAGE, where windows are flat."""
    depth = [f"{size}_d" for size in ("in", "out", "filter")]
    flat = all(params.get(size, 1) == 1 for size in depth) and not params.get("pad_front", 0)
    if not flat:
        return params, list(flags)
    dropped = {*depth, "stride_d", "dilation_d", "pad_front", "pad_back"}
    return {k: v for k, v in params.items() if k not in dropped}, ["IMAGE", *flags]


def conv(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    pixels = p["batch"] * _size(p, "out")
    if _is_pointwise(p):
        matmul(steps, product(pixels, p["out_c"], p["in_c"]), inputs, output)
        return
    group_in, group_out = p["in_c"] // p["groups"], p["out_c"] // p["groups"]
    quads = group_out % 4 == 0
    in_quads = flags_of(IN_QUADS=group_in % 4 == 0)
    params = p | {"out_c": p["out_c"] // 4} if quads else p
    named = inputs_of(call, inputs)
    if quads and tiles_pay(pixels, p["out_c"], group_in * _size(p, "filter")):
        # A tile lies within one group.
        columns = columns_of(steps, p["out_c"]) if p["groups"] == 1 else 1
        texels = -(-p["batch"] * _size(p, "in") * p["in_c"] // 4)
        spread = spread_of(-(-p["in_c"] * p["stride_w"] // 4), texels, pixels)
        tiling = Tiling(1, pixels, p["out_c"], columns, spread)
        _window_step(steps, "conv", named, output, params, in_quads, tiling)
    else:
        _window_step(steps, "conv", named, output, params, [*flags_of(QUADS=quads), *in_quads])


def _is_pointwise(p: Params) -> bool:
    """Whether a convolution is a matrix product of pixels and filter."""
    window = [v for k, v in p.items() if k.startswith(("filter_", "stride_", "groups"))]
    pads = [v for k, v in p.items() if k.startswith("pad_")]
    return all(v == 1 for v in window) and not any(pads)


def conv_input(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    pixels = p["batch"] * _size(p, "in")
    if _is_pointwise(p):
        matmul(steps, product(pixels, p["in_c"], p["out_c"], b="true"), inputs, output)
        return
    out_quads = p["out_c"] // p["groups"] % 4 == 0
    quads = out_quads and p["in_c"] // p["groups"] % 4 == 0
    named = inputs_of(call, inputs)
    if quads and tiles_pay(pixels, p["in_c"], p["out_c"] // p["groups"] * _size(p, "filter")):
        tiling = Tiling(1, pixels, p["in_c"], 1)
        _window_step(steps, "conv_backprop_input", named, output, p, [], tiling)
    else:
        flags = flags_of(QUADS=quads, OUT_QUADS=out_quads)
        _window_step(steps, "conv_backprop_input", named, output, p, flags)


def conv_filter(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    group_in = p["in_c"] // p["groups"]
    quads = p["out_c"] // p["groups"] % 4 == 0
    rows = group_in if quads and group_in % 4 == 0 else None
    _filter_gradient(steps, "conv_backprop_filter", call, inputs, output, "out_c", quads, rows)


def depthwise_filter(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    quads = p["multiplier"] == 1 and p["in_c"] % 4 == 0
    _filter_gradient(steps, call.name, call, inputs, output, "in_c", quads, None)


def _filter_gradient(
    steps: Steps,
    name: str,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    channels: str,
    quads: bool,
    rows: int | None,
) -> None:
    """A sum over all output pixels, in chunks of pixels; ``rows`` of texels if in tiles."""
    p: Params = dict(call.params)
    pixels = p["batch"] * _size(p, "out")
    count = steps.program.buffers[output].count
    chunk = chunk_of(pixels, count)
    chunks = max(1, -(-pixels // chunk))
    params = p | {"chunk": chunk} | ({channels: p[channels] // 4} if quads else {})
    target = output if chunks == 1 else steps.like(output, chunks * count)
    named = inputs_of(call, inputs)
    if rows is None:
        _window_step(steps, name, named, target, params, flags_of(QUADS=quads))
    else:
        tiling = Tiling(chunks * _size(p, "filter"), rows, p[channels], 1)
        _window_step(steps, name, named, target, params, tiling=tiling)
    if chunks > 1:
        sum_chunks(steps, target, output, chunks)


def each_channel(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Kernels in which a channel meets no other: pooling and depthwise convolution."""
    _channel_step(steps, call.name, call.params, inputs_of(call, inputs), output)


def _channel_step(
    steps: Steps, name: str, params: Mapping[str, Param], inputs: Mapping[str, int], output: int
) -> None:
    p: Params = dict(params)
    channels = "channels" if "channels" in p else "in_c"
    quads = p[channels] % 4 == 0 and p.get("multiplier", 1) == 1
    if quads:
        p[channels] //= 4
    _window_step(steps, name, inputs, output, p, flags_of(QUADS=quads))


def _each_window(steps: Steps, name: str, params: Mapping[str, Param], x: int, dtype: DType) -> int:
    """A new buffer with a number for each window and channel of ``x``, made by a template."""
    p: Params = dict(params)
    count = p["batch"] * _size(p, "out") * p["channels"]
    buffer = steps.program.add_buffer([count], dtype)
    _channel_step(steps, name, p, {"x": x}, buffer)
    return buffer


def max_pool_grad(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Each window's maximum, or where the first one is, then the gradients that come from there."""
    named = inputs_of(call, inputs)
    p = {k: v for k, v in call.params.items() if k != "ties"}
    if call.params["ties"] == "all":
        best = _each_window(steps, "pool", p | {"kind": "max"}, named["x"], float32)
    else:
        best = _each_window(steps, "first_maximum", p, named["x"], int32)
    _channel_step(steps, call.name, call.params, {**named, "best": best}, output)


def max_pool_grad_grad(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    named = inputs_of(call, inputs)
    best = _each_window(steps, "first_maximum", call.params, named["x"], int32)
    _window_step(steps, call.name, {"g": named["g"], "best": best}, output, dict(call.params))
