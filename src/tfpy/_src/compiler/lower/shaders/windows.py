"""The steps of window kernels: pooling, depthwise convolutions and sums over windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tfpy._src.base.dtypes import DType, float32, int32
from tfpy._src.compiler.ir.kernel import KernelCall, Param
from tfpy._src.compiler.lower.shaders.reduction import sum_chunks
from tfpy._src.compiler.lower.shaders.steps import Params, Steps, chunk_of, flags_of, inputs_of

S = TypeVar("S", bound=Steps)
WindowStep = Callable[[S, str, Mapping[str, int], int, Params, Sequence[str]], None]


def size_of(p: Params, which: str) -> int:
    """Return the number of elements of all spatial dimensions of `in`, `out` or `filter`."""
    return math.prod(p[f"{which}_{axis}"] for axis in "dhw" if f"{which}_{axis}" in p)


def window_step(
    steps: Steps,
    name: str,
    inputs: Mapping[str, int],
    output: int,
    params: Params,
    flags: Sequence[str] = (),
) -> None:
    """Add the step of a window kernel."""
    params, flags = shaped(params, flags)
    steps.step(name, inputs, output, params, flags)


def shaped(params: Params, flags: Sequence[str]) -> tuple[Params, list[str]]:
    """Remove the parameters of the depth and add the flag IMAGE if windows are flat."""
    depth = [f"{size}_d" for size in ("in", "out", "filter")]
    flat = all(params.get(size, 1) == 1 for size in depth) and not params.get("pad_front", 0)
    if not flat:
        return params, list(flags)
    dropped = {*depth, "stride_d", "dilation_d", "pad_front", "pad_back"}
    return {k: v for k, v in params.items() if k not in dropped}, ["IMAGE", *flags]


def is_pointwise(p: Params) -> bool:
    """Return True if a convolution is a matrix product of pixels and filter."""
    window = [v for k, v in p.items() if k.startswith(("filter_", "stride_", "groups"))]
    pads = [v for k, v in p.items() if k.startswith("pad_")]
    return all(v == 1 for v in window) and not any(pads)


def depthwise_filter(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    quads = p["multiplier"] == 1 and p["in_c"] % 4 == 0
    filter_gradient(steps, call.name, call, inputs, output, "in_c", quads)


def filter_gradient(
    steps: S,
    name: str,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    channels: str,
    quads: bool,
    step: WindowStep[S] = window_step,
) -> None:
    """Add the steps of a sum over all output pixels, in chunks of pixels that `step` sums."""
    p: Params = dict(call.params)
    pixels = p["batch"] * size_of(p, "out")
    count = steps.program.buffers[output].count
    chunk = chunk_of(pixels, count)
    chunks = max(1, -(-pixels // chunk))
    params = p | {"chunk": chunk} | ({channels: p[channels] // 4} if quads else {})
    target = output if chunks == 1 else steps.like(output, chunks * count)
    step(steps, name, inputs_of(call, inputs), target, params, flags_of(QUADS=quads))
    if chunks > 1:
        sum_chunks(steps, target, output, chunks)


def each_channel(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step of a kernel with independent channels: pooling and depthwise convolution."""
    _channel_step(steps, call.name, call.params, inputs_of(call, inputs), output)


def _channel_step(
    steps: Steps, name: str, params: Mapping[str, Param], inputs: Mapping[str, int], output: int
) -> None:
    p: Params = dict(params)
    channels = "channels" if "channels" in p else "in_c"
    quads = p[channels] % 4 == 0 and p.get("multiplier", 1) == 1
    if quads:
        p[channels] //= 4
    window_step(steps, name, inputs, output, p, flags_of(QUADS=quads))


def _each_window(steps: Steps, name: str, params: Mapping[str, Param], x: int, dtype: DType) -> int:
    """Return a new buffer with a number per window and channel of `x`, from a template."""
    p: Params = dict(params)
    count = p["batch"] * size_of(p, "out") * p["channels"]
    buffer = steps.program.add_buffer([count], dtype)
    _channel_step(steps, name, p, {"x": x}, buffer)
    return buffer


def max_pool_grad(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of each window's maximum, or its first position, and of the gradients."""
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
    window_step(steps, call.name, {"g": named["g"], "best": best}, output, dict(call.params))


def product(m: int, n: int, k: int, a: str = "false", b: str = "false") -> KernelCall:
    params: Params = {"batch": 1, "m": m, "n": n, "k": k, "transpose_a": a, "transpose_b": b}
    params |= {"a_batch_stride": 0, "b_batch_stride": 0}
    return KernelCall("matmul", ("a", "b"), params)
