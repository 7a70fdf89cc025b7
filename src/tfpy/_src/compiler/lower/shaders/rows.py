"""Kernels over rows: statistics of each row, then every element.

Statistics are texels. Rows are cut into chunks, and the statistics of chunks are combined step by
step, so that enough fragments run.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.steps import Params, Steps, chunk_of, flags_of, inputs_of

LONGEST_SHORT_ROW = 64
"""Largest number of elements of a row that each of its outputs reads again."""

MOST_READS = 1 << 15
"""Largest number of texels that all outputs together read that way."""


def softmax(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of softmax or log-softmax, which differ in the use of the row's statistics."""
    params: Params = dict(call.params)
    flags = flags_of(LOGARITHM=call.name == "log_softmax")
    rows, n = params["rows"], params["n"]
    if is_short(n, rows * n if n % 4 else rows * n // 4):
        _elements(steps, "softmax", call, inputs, output, None, ["SHORT", *flags])
        return
    statistics = softmax_statistics(steps, params, inputs[0])
    _elements(steps, "softmax", call, inputs, output, statistics, flags)


def softmax_statistics(steps: Steps, params: Params, x: int) -> int:
    """Return the buffer with the largest element of each row and the sum of exp(x - largest)."""
    return _statistics(steps, "softmax", params, x, [])


def is_short(n: int, outputs: int) -> bool:
    """Return True if computing a row's statistics for each output is cheaper than a step."""
    return n <= LONGEST_SHORT_ROW and outputs * -(-n // 4) <= MOST_READS


def layer_norm(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    params: Params = dict(call.params)
    flags = flags_of(CENTER=params["center"] == "true")
    statistics = _statistics(steps, "layer_norm", params, inputs[0], flags)
    _elements(steps, "layer_norm", call, inputs, output, statistics, flags)


def _statistics(steps: Steps, name: str, params: Params, x: int, flags: list[str]) -> int:
    """Return the buffer with one texel of statistics per row."""
    rows, left = params["rows"], params["n"]
    source, kind = {"x": x}, list[str]()
    while True:
        chunk = chunk_of(left, rows)
        chunks = -(-left // chunk)
        target = steps.like(x, rows * chunks * 4)
        sizes: Params = {"n": left, "chunk": chunk, "chunks": chunks}
        steps.step(f"{name}_statistics", source, target, sizes, ["QUADS", *kind, *flags])
        if chunks == 1:
            return target
        source, kind, left = {"partial": target}, ["COMBINE"], chunks


def _elements(
    steps: Steps,
    name: str,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    statistics: int | None,
    flags: list[str],
) -> None:
    params: Params = {k: v for k, v in call.params.items() if k != "rows"}
    quads = params["n"] % 4 == 0
    params["row_length"] = params["n"]
    if quads:
        params["n"] //= 4
    named = inputs_of(call, inputs)
    if statistics is not None:
        named["statistics"] = statistics
    steps.step(name, named, output, params, [*flags_of(QUADS=quads), *flags])
