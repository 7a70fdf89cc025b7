"""The steps of named kernels with one output per position: template variants and parameters.

A variant reads and writes whole texels of four elements where the sizes allow it. The template then
counts positions in texels, so the innermost sizes are divided by four here. Long sums are split, so
that an output combines few elements and many outputs are computed in parallel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tfpy._src.base.dtypes import int32
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.kernel import KernelCall, Param
from tfpy._src.compiler.ir.strides import merge
from tfpy._src.compiler.lower.shaders import ordering, reduction, windows
from tfpy._src.compiler.lower.shaders.ordering import argsort
from tfpy._src.compiler.lower.shaders.reduction import sum_chunks
from tfpy._src.compiler.lower.shaders.steps import Params, Steps, chunk_of, flags_of, inputs_of

LONGEST_SEARCH = 4096
"""Number of ids that one output searches in a step."""

STEP_COST = 200_000
"""Number of reads that takes about as long as an additional step."""


def segment_sum(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of (data, ids) -> the sum of each segment's rows."""
    data, ids = inputs
    if _sorting_pays(call.params):
        _sorted(steps, dict(call.params) | {"kind": "sum"}, ids, {"rows": data}, output)
        return
    p: Params = dict(call.params)
    count = p["segments"] * p["inner"]
    chunk = chunk_of(p["n"], count, LONGEST_SEARCH)
    chunks = max(1, -(-p["n"] // chunk))
    quads = p["inner"] % 4 == 0
    params = p | {"chunk": chunk, "inner": p["inner"] // (4 if quads else 1)}
    target = output if chunks == 1 else steps.like(output, chunks * count)
    steps.step("segment_sum", inputs_of(call, inputs), target, params, flags_of(QUADS=quads))
    if chunks > 1:
        sum_chunks(steps, target, output, chunks)


def scatter(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of (x, ids, updates) -> x combined with each segment's updates.

    Many ids are processed in several steps.
    """
    p: Params = dict(call.params)
    source, ids, updates = inputs
    if _sorting_pays(p):
        _sorted(steps, p, ids, {"rows": updates, "x": source}, output)
        return
    quads = p["inner"] % 4 == 0
    inner = p["inner"] // 4 if quads else p["inner"]
    first = 0
    while True:
        end = min(first + LONGEST_SEARCH, p["n"])
        target = output if end == p["n"] else steps.like(output, p["segments"] * p["inner"])
        params = {"kind": p["kind"], "inner": inner, "first": first, "end": end}
        named = {"x": source, "ids": ids, "updates": updates}
        steps.step("scatter", named, target, params, flags_of(QUADS=quads))
        if end == p["n"]:
            return
        source, first = target, end


def _sorting_pays(params: Mapping[str, Param]) -> bool:
    """Return True if sorting reads less than the search, which reads all ids for each output."""
    p: Params = dict(params)
    outputs: int = p["segments"] * p["inner"] // (4 if p["inner"] % 4 == 0 else 1)
    n: int = p["n"]
    merges = max(1, math.ceil(math.log2(max(n, 2))))
    return outputs * n // 4 > 2 * n * merges * merges + (merges + 3) * STEP_COST


def _sorted(steps: Steps, p: Params, ids: int, operands: Mapping[str, int], output: int) -> None:
    """Add the steps that combine each segment's `rows`, and `x` if given, after sorting."""
    n, segments, inner = p["n"], p["segments"], p["inner"]
    block = max(4, math.isqrt(n))
    order, bounds = (steps.program.add_buffer([count], int32) for count in (n, segments + 1))
    ascending = {"direction": "ascending", "outer": 1, "n": n, "k": n}
    argsort(steps, KernelCall("argsort", ("x",), ascending), [ids], order)
    steps.step("segment_bounds", {"ids": ids, "order": order}, bounds, {"n": n})
    quads = inner % 4 == 0
    flags = flags_of(QUADS=quads, ONTO="x" in operands)
    params: Params = {"kind": p["kind"], "inner": inner // (4 if quads else 1), "block": block}
    named = {**operands, "order": order}
    if p["kind"] != "last":
        blocks = steps.like(output, -(-n // block) * inner)
        rows = {"rows": operands["rows"], "order": order}
        steps.step("segment_blocks", rows, blocks, params | {"n": n}, flags_of(QUADS=quads))
        named["blocks"] = blocks
    steps.step("segment_runs", named | {"bounds": bounds}, output, params, flags)


LARGEST_FACTOR = 4096
"""Largest number of terms that one output sums."""


def dft(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the passes. A large prime factor is one pass of long sums.

    Raises:
        NotLowerable: If a factor is too large.
    """
    p: Params = dict(call.params)
    n, inner = p["n"], p["inner"]
    radices = _factors(n)
    sources = inputs_of(call, inputs)
    flag = "IMAGINARY" if "imag" in sources else "REAL"
    count = p["outer"] * n * inner
    done = 1
    for number, radix in enumerate(radices):
        last = number == len(radices) - 1
        target = output if last else steps.like(output, 2 * count)
        params = {"n": n, "inner": inner, "count": count, "done": done, "radix": radix}
        params["sign"] = p["sign"]
        steps.step("dft", sources, target, params, [flag])
        sources, flag = {"x": target}, "PLANES"
        done *= radix


def _factors(n: int) -> list[int]:
    """Return factors with the product `n`: fours, then primes in ascending order.

    There is at least one.

    Raises:
        NotLowerable: If a factor is too large.
    """
    found = []
    for factor in (4, 2, *range(3, LARGEST_FACTOR, 2)):
        while n > 1 and n % factor == 0:
            found.append(factor)
            n //= factor
    if n > 1:
        raise NotLowerable(f"dft: the length of the transform has the prime factor {n}")
    return found or [1]


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


def _dynamic_update_slice(
    steps: Steps, call: KernelCall, inputs: Sequence[int], output: int
) -> None:
    steps.step(call.name, inputs_of(call, inputs), output, *block_of(call))


def block_of(call: KernelCall) -> tuple[Params, list[str]]:
    """Return the parameters and flags of a kernel that updates a block of an array."""
    p: Params = dict(call.params)
    dims, sizes = list(p["dims"])[p["first"] :], list(p["sizes"])[p["first"] :]
    quads = dims[-1] == sizes[-1] and dims[-1] % 4 == 0
    if quads:
        dims[-1] = sizes[-1] = dims[-1] // 4
    return {"dims": dims, "sizes": sizes}, _defines(quads, len(dims))


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
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": _rows,
    "segment_sum": segment_sum,
    "reduce": reduction.reduce,
    "arg_reduce": reduction.arg_reduce,
    "scan": ordering.scan,
    "argsort": ordering.argsort,
    "searchsorted": ordering.searchsorted,
    "scatter": scatter,
    "ravel_index": ordering.ravel_index,
    "dft": dft,
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
