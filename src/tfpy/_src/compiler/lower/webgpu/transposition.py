"""Transpositions in tiles on WebGPU.

With one invocation per output, adjacent outputs read positions that are far apart. A workgroup
instead reads a tile in the order of the input, and writes it in the order of the output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.strides import dense_strides, merge
from tfpy._src.compiler.lower.shaders.kernels import DIRECT
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgpu.groups import flat
from tfpy._src.compiler.lower.webgpu.steps import WebGPUSteps
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP

SHORTEST = 16
"""Smallest size of both dimensions. Otherwise a tile is mostly empty."""

SMALL = 1 << 16
"""Number of elements below which caches hold all elements."""

SIDE = 32
"""Side of a tile. A side of 64 takes two thirds more time if whole texels are read."""


def strided(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a strided copy.

    The copy uses tiles if the contiguous dimensions of input and output differ.
    """
    if not steps.tiles or not _in_tiles(steps, call, inputs, output):
        DIRECT["strided"](steps, call, inputs, output)


def _in_tiles(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> bool:
    """Add the step if tiles are the fastest way. Return True if it was added."""
    p: Params = dict(call.params)
    dims, (strides,) = merge(p["dims"], [p["strides"]])
    *outer, last = range(len(dims))
    inner = next((d for d in outer if strides[d] == 1), None)
    if inner is None or strides[last] == 1 or math.prod(dims) < SMALL:
        return False
    if min(dims[inner], dims[last]) < SHORTEST:
        return False
    dense = dense_strides(dims)
    others = [d for d in outer if d != inner]
    pitches = [strides[d] for d in range(len(dims)) if d != inner]
    quads = all(n % 4 == 0 for n in (dims[last], p["offset"], *pitches))
    down, across = (-(-dims[d] // SIDE) for d in (inner, last))
    params: Params = {"rows": dims[inner], "columns": dims[last], "offset": p["offset"]}
    params |= {"pitch": strides[last], "step": dense[inner], "down": down, "across": across}
    params |= {
        "dims": [dims[d] for d in others] or [1],
        "strides": [strides[d] for d in others] or [0],
        "steps": [dense[d] for d in others] or [0],
    }
    defines = [f"RANK {len(params['dims'])}", f"SIDE {SIDE}", f"GROUP {GROUP}"]
    defines += flags_of(QUADS=quads)
    groups = flat(math.prod(params["dims"]) * down * across)
    steps.step("transpose_tile", inputs_of(call, inputs), output, params, defines, groups)
    return True
