"""The steps of matrix products and convolutions, in tiles if the device supports that.

Otherwise each output is computed independently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.kernels import Planner
from tfpy._src.compiler.lower.shaders.reduction import sum_chunks
from tfpy._src.compiler.lower.shaders.steps import Params, Steps, flags_of, inputs_of
from tfpy._src.compiler.lower.shaders.windows import (
    filter_gradient,
    is_pointwise,
    product,
    size_of,
    window_step,
)

S = TypeVar("S", bound=Steps)
InTiles = Callable[[S, KernelCall, Sequence[int], int], bool]
"""(steps, call, inputs, output) -> True if the call is best computed in tiles; then it adds the
steps."""


@dataclass(frozen=True)
class Tiles(Generic[S]):
    """The planners of a device that compute in tiles."""

    matmul: InTiles[S]
    conv: InTiles[S]
    conv_input: InTiles[S]
    conv_filter: InTiles[S]
    chunk: Callable[[int, int], int]
    """(terms, outputs) -> the number of terms that are summed at once without tiles. Another step
    sums the chunks."""


def planners(tiles: Tiles[S]) -> Mapping[str, Planner[S]]:
    """Return the planners of the products by the names of kernels."""

    def matmul(steps: S, call: KernelCall, inputs: Sequence[int], output: int) -> None:
        if not tiles.matmul(steps, call, inputs, output):
            _matmul(steps, call, inputs, output, tiles.chunk)

    def conv(steps: S, call: KernelCall, inputs: Sequence[int], output: int) -> None:
        p: Params = dict(call.params)
        if is_pointwise(p):
            pixels = p["batch"] * size_of(p, "out")
            matmul(steps, product(pixels, p["out_c"], p["in_c"]), inputs, output)
        elif not tiles.conv(steps, call, inputs, output):
            _conv(steps, call, inputs, output)

    def conv_input(steps: S, call: KernelCall, inputs: Sequence[int], output: int) -> None:
        p: Params = dict(call.params)
        if is_pointwise(p):
            pixels = p["batch"] * size_of(p, "in")
            matmul(steps, product(pixels, p["in_c"], p["out_c"], b="true"), inputs, output)
        elif not tiles.conv_input(steps, call, inputs, output):
            _conv_input(steps, call, inputs, output)

    def conv_filter(steps: S, call: KernelCall, inputs: Sequence[int], output: int) -> None:
        if not tiles.conv_filter(steps, call, inputs, output):
            quads = in_quads(dict(call.params))[1]
            filter_gradient(steps, "conv_backprop_filter", call, inputs, output, "out_c", quads)

    found: dict[str, Planner[S]] = {"matmul": matmul}
    for name in ("conv2d", "conv3d"):
        found |= {name: conv, f"{name}_backprop_input": conv_input}
        found[f"{name}_backprop_filter"] = conv_filter
    return found


def whole_operands(p: Params) -> tuple[bool, bool]:
    """Return whether the rows of each operand of a matrix product are whole texels in memory."""
    a_row = p["m"] if p["transpose_a"] == "true" else p["k"]
    b_row = p["k"] if p["transpose_b"] == "true" else p["n"]
    return (
        a_row % 4 == 0 and p["a_batch_stride"] % 4 == 0,
        b_row % 4 == 0 and p["b_batch_stride"] % 4 == 0,
    )


def in_quads(p: Params) -> tuple[bool, bool]:
    """Return whether input and output channels of a convolution's group are whole texels."""
    return p["in_c"] // p["groups"] % 4 == 0, p["out_c"] // p["groups"] % 4 == 0


def _matmul(
    steps: Steps,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    chunk: Callable[[int, int], int],
) -> None:
    p: Params = dict(call.params)
    n, k = p["n"], p["k"]
    a_transposed, b_transposed = p["transpose_a"] == "true", p["transpose_b"] == "true"
    a_whole, b_whole = whole_operands(p)
    count = p["batch"] * p["m"] * n
    p["chunk"] = chunk(k, count)
    chunks = max(1, -(-k // p["chunk"]))
    dot = b_transposed and not a_transposed
    quads = n % 4 == 0 and (dot or (b_whole and not b_transposed))
    a_quads = a_whole and not a_transposed and not b_transposed
    if quads:
        p["n"] //= 4
        if not dot:
            p["b_batch_stride"] //= 4
    target = output if chunks == 1 else steps.like(output, chunks * count)
    flags = flags_of(QUADS=quads, DOT=dot, A_QUADS=a_quads)
    if dot:
        flags += flags_of(A_WHOLE=a_whole, B_WHOLE=b_whole)
    steps.step("matmul", inputs_of(call, inputs), target, p, flags)
    if chunks > 1:
        sum_chunks(steps, target, output, chunks)


def _conv(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    whole_in, whole_out = in_quads(p)
    if whole_out:
        p["out_c"] //= 4
    flags = flags_of(QUADS=whole_out, IN_QUADS=whole_in)
    window_step(steps, "conv", inputs_of(call, inputs), output, p, flags)


def _conv_input(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    whole_in, whole_out = in_quads(p)
    flags = flags_of(QUADS=whole_in and whole_out, OUT_QUADS=whole_out)
    window_step(steps, "conv_backprop_input", inputs_of(call, inputs), output, p, flags)
