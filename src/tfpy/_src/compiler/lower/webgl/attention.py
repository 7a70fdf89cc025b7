"""The steps of attention on WebGL2: scores, the statistics of their rows, and the weighted values.

A fragment computes one texel. This needs few draws, and none of them moves heads. Larger products
are faster in tiles, which read dense operands (`tiles.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.rows import is_short, softmax_statistics
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgl.steps import WebGLSteps

LARGEST = 1 << 21
"""Largest number of multiplications in each of the two products."""

LARGEST_OF_HEADS = 1 << 22
"""The same if heads are adjacent in rows, so that draws which move them are saved as well."""


def pays(call: KernelCall) -> bool:
    """Return True if fewer draws compensate for products without tiles.

    The kernels support neither heads that share keys nor zeros for rows without visible scores.
    """
    p: Params = dict(call.params)
    if "group" in p or "blind" in p:
        return False
    scores = p["outer"] * p["inner"] * p["m"] * p["n"]
    _, head, row, _ = p["q_strides"]
    beside = p["inner"] > 1 and head < row
    most = LARGEST_OF_HEADS if beside else LARGEST
    return bool(scores * max(p["depth"], p["width"]) <= most)


def attention(steps: WebGLSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    named = inputs_of(call, inputs)
    rows, n = p["outer"] * p["inner"] * p["m"], p["n"]
    scores = steps.program.add_buffer([rows, n], float32)
    _scores(steps, p, {x: b for x, b in named.items() if x != "v"}, scores)
    operands = {"x": scores, "v": named["v"]}
    if not is_short(n, rows * p["width"]):
        operands["statistics"] = softmax_statistics(steps, {"rows": rows, "n": n}, scores)
    _values(steps, p, operands, output)


def _scores(steps: WebGLSteps, p: Params, operands: dict[str, int], scores: int) -> None:
    sides = (*p["q_strides"][:3], *p["k_strides"][:3], p["depth"])
    runs = p["q_strides"][3] == p["k_strides"][3] == 1
    dot = runs and all(v % 4 == 0 for v in sides)
    quads = p["n"] % 4 == 0
    params = p | ({"n": p["n"] // 4} if quads else {})
    steps.step("attention_scores", operands, scores, params, flags_of(QUADS=quads, DOT=dot))


def _values(steps: WebGLSteps, p: Params, operands: dict[str, int], output: int) -> None:
    sizes = [p["outer"], p["inner"], p["m"], p["width"]]
    *v_batch, next_key, v_column = p["v_strides"]
    v_strides = [*v_batch, 0, v_column]
    row_strides = [p["inner"] * p["m"], p["m"], 1, 0]
    out_strides = p["out_strides"]
    order = sorted(range(4), key=lambda d: (sizes[d] > 1, -out_strides[d]))
    quads = order[-1] == 3 and v_column == 1
    quads = quads and all(v % 4 == 0 for v in (p["width"], next_key, *v_batch))
    if quads:
        sizes[3] //= 4
        v_strides = [*(stride // 4 for stride in v_strides[:3]), 1]
        next_key //= 4
    params: Params = {"dims": [sizes[d] for d in order], "n": p["n"], "next": next_key}
    params["v_strides"] = [v_strides[d] for d in order]
    params["row_strides"] = [row_strides[d] for d in order]
    flags = flags_of(QUADS=quads, FOURS=p["n"] % 4 == 0, SHORT="statistics" not in operands)
    steps.step("attention_values", operands, output, params, flags)
