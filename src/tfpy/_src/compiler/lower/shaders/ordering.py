"""The steps of kernels that order or search: scan, argsort, searchsorted, ravel_index."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.steps import Params, Steps, flags_of, inputs_of


def scan(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a scan.

    Each combines four results of the step before, so distances grow fourfold.
    """
    p: Params = dict(call.params)
    (source,) = inputs
    quads = p["inner"] % 4 == 0
    params = p | {"inner": p["inner"] // 4 if quads else p["inner"]}
    distance = 1
    while True:
        last = distance * 4 >= p["n"]
        target = output if last else steps.like(output, p["outer"] * p["n"] * p["inner"])
        params["distance"] = distance
        steps.step("scan", {"x": source}, target, params, flags_of(QUADS=quads))
        if last:
            return
        params["exclusive"] = "false"
        source, distance = target, distance * 4


def argsort(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a merge sort.

    Each step merges pairs of sorted runs and keeps the positions that may be among the first k. The
    last step writes only these.
    """
    p: Params = dict(call.params)
    n, k = p["n"], p["k"]
    direction = "ascending" if p["direction"] == "ascending" else "descending"  # also for a heap
    most = 1 << max(0, k - 1).bit_length()
    named, run, row = {"x": inputs[0]}, 1, n
    while True:
        last = run * 2 >= n
        held, kept = min(run, most), min(run * 2, most)
        made = k if last else n if kept == run * 2 else -(-n // (run * 2)) * kept
        target = output if last else steps.like(output, p["outer"] * made)
        params = {"direction": direction, "n": n, "k": made, "m": row}
        params |= {"run": run, "held": held, "kept": kept}
        steps.step("argsort", named, target, params, flags_of(FIRST=run == 1))
        if last:
            return
        named, run, row = {"x": inputs[0], "order": target}, run * 2, made


def searchsorted(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    params = {key: p[key] for key in ("side", "n", "m")}
    steps.step("searchsorted", inputs_of(call, inputs), output, params)


def ravel_index(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    dims = list(p["dims"])
    params = {"dims": dims or [1]}
    steps.step("ravel_index", {"indices": inputs[0]}, output, params, [f"RANK {len(dims)}"])
