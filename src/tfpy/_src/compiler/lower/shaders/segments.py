"""The steps of segment sums and scatters.

A shader cannot write to positions given by ids, so each output searches for its rows. With few ids
it searches all of them. Many ids are sorted first: then the rows of a segment are adjacent, and
long runs are combined by blocks. Both ways are deterministic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tfpy._src.base.dtypes import int32
from tfpy._src.compiler.ir.kernel import KernelCall, Param
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
