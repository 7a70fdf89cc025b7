"""The steps of reductions: long rows are combined in chunks, and chunks in additional steps."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.steps import Params, Steps, chunk_of, flags_of, inputs_of


def reduce(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    (source,) = inputs
    outer, n, inner = p["outer"], p["n"], p["inner"]
    while True:
        chunk = chunk_of(n, outer * inner)
        chunks = max(1, -(-n // chunk))
        quads = inner % 4 == 0
        params: Params = {"kind": p["kind"], "n": n, "chunk": chunk, "chunks": chunks}
        params["inner"] = inner // 4 if quads else inner
        target = output if chunks == 1 else steps.like(output, outer * chunks * inner)
        flags = flags_of(QUADS=quads, CONTIGUOUS=inner == 1)
        steps.step("reduce", {"x": source}, target, params, flags)
        if chunks == 1:
            return
        source, n = target, chunks


def arg_reduce(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of arg_reduce.

    The positions of the extremes of chunks are the next candidates.
    """
    p: Params = dict(call.params)
    outer, n, inner = p["outer"], p["n"], p["inner"]
    named, left = inputs_of(call, inputs), n
    while True:
        chunk = chunk_of(left, outer * inner)
        chunks = max(1, -(-left // chunk))
        params: Params = {"kind": p["kind"], "n": n, "inner": inner}
        params |= {"chunk": chunk, "chunks": chunks}
        if "candidates" in named:
            params["candidate_count"] = left
        target = output if chunks == 1 else steps.like(output, outer * chunks * inner)
        steps.step("arg_reduce", named, target, params, flags_of(CANDIDATES="candidates" in named))
        if chunks == 1:
            return
        named, left = {**named, "candidates": target}, chunks


def sum_chunks(steps: Steps, partial: int, output: int, chunks: int) -> None:
    """Add the steps that sum `chunks` consecutive results."""
    inner = steps.program.buffers[output].count
    params: Params = {"kind": "sum", "outer": 1, "n": chunks, "inner": inner}
    reduce(steps, KernelCall("reduce", ("x",), params), [partial], output)
