"""The steps of named kernels with one output per position: template variants and parameters.

A variant reads and writes whole texels of four elements where the sizes allow it. The template then
counts positions in texels, so the innermost sizes are divided by four here. Long sums are split, so
that an output combines few elements and many outputs are computed in parallel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.strides import merge
from tfpy._src.compiler.lower.shaders import ordering, reduction, segments, spectral, windows
from tfpy._src.compiler.lower.shaders.steps import Params, Steps, flags_of, inputs_of

S = TypeVar("S", bound=Steps)
Planner = Callable[[S, KernelCall, Sequence[int], int], None]
"""(steps, call, inputs, output): adds the steps of a call that reads some buffers and writes
one."""


def _strided(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    dims, (strides,) = merge(p["dims"], [p["strides"]])
    offset = p["offset"]
    quads = dims[-1] % 4 == 0 and strides[-1] == 1
    quads = quads and all(v % 4 == 0 for v in (*strides[:-1], offset))
    if quads:
        dims[-1] //= 4
        strides = [*(s // 4 for s in strides[:-1]), 1]
        offset //= 4
    params = {"dims": dims, "strides": strides, "offset": offset}
    steps.step("strided", inputs_of(call, inputs), output, params, _defines(quads, len(dims)))


def _pad(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    keys = ("in_dims", "out_dims", "lo", "interior")
    axes = list(zip(*(p[k] for k in keys), strict=True))
    while len(axes) > 1 and axes[0] == (1, 1, 0, 0):
        axes.pop(0)
    *_, (in_dim, out_dim, lo, interior) = axes
    quads = interior == 0 and all(v % 4 == 0 for v in (in_dim, out_dim, lo))
    if quads:
        axes[-1] = (in_dim // 4, out_dim // 4, lo // 4, 0)
    params: Params = {k: list(v) for k, v in zip(keys, zip(*axes, strict=True), strict=True)}
    params["value_bits"] = p["value_bits"]
    steps.step("pad", inputs_of(call, inputs), output, params, _defines(quads, len(axes)))


def _defines(quads: bool, rank: int) -> list[str]:
    return [f"RANK {rank}", *flags_of(QUADS=quads)]


def _concat(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a concatenation.

    If there are too many inputs for a kernel, groups are joined first.
    """
    p: Params = dict(call.params)
    sizes: list[int] = list(p["sizes"])
    outer, inner = p["outer"], p["inner"]
    pieces = list(inputs)
    while len(pieces) > steps.max_inputs:
        joined, joined_sizes = [], []
        for start in range(0, len(pieces), steps.max_inputs):
            group = slice(start, start + steps.max_inputs)
            size = sum(sizes[group])
            buffer = steps.like(output, outer * size * inner)
            _concat_step(steps, pieces[group], sizes[group], outer, inner, buffer)
            joined.append(buffer)
            joined_sizes.append(size)
        pieces, sizes = joined, joined_sizes
    _concat_step(steps, pieces, sizes, outer, inner, output)


def _concat_step(
    steps: Steps, pieces: Sequence[int], sizes: Sequence[int], outer: int, inner: int, output: int
) -> None:
    quads = all(size * inner % 4 == 0 for size in sizes)
    row_sizes = [size * inner // (4 if quads else 1) for size in sizes]
    calls = " ".join(steps.language.piece(k) for k in range(len(pieces)))
    params: Params = {"row_sizes": row_sizes, "row_size": sum(row_sizes)}
    inputs = {f"x{k}": buffer for k, buffer in enumerate(pieces)}
    steps.step("concat", inputs, output, params, [f"PIECES {calls}", *flags_of(QUADS=quads)])


def _rows(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step of a kernel that moves or mixes whole rows of `inner` elements."""
    params: Params = dict(call.params)
    quads = params["inner"] % 4 == 0
    if quads:
        params["inner"] //= 4
    steps.step(call.name, inputs_of(call, inputs), output, params, flags_of(QUADS=quads))


DIRECT: Mapping[str, Planner[Steps]] = {
    "strided": _strided,
    "pad": _pad,
    "concat": _concat,
    "gather": _rows,
    "segment_sum": segments.segment_sum,
    "reduce": reduction.reduce,
    "arg_reduce": reduction.arg_reduce,
    "scan": ordering.scan,
    "argsort": ordering.argsort,
    "searchsorted": ordering.searchsorted,
    "scatter": segments.scatter,
    "ravel_index": ordering.ravel_index,
    "dft": spectral.dft,
    "depthwise_conv2d": windows.each_channel,
    "depthwise_conv2d_backprop_input": windows.each_channel,
    "depthwise_conv2d_backprop_filter": windows.depthwise_filter,
    "pool": windows.each_channel,
    "max_pool_grad": windows.max_pool_grad,
    "max_pool_grad_grad": windows.max_pool_grad_grad,
    "avg_pool_grad": windows.each_channel,
    "overlap_add": windows.each_channel,
    "resample": _rows,
}
