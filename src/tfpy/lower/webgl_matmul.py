"""The step of the matrix product on WebGL2."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.lower.glsl import TARGETS
from tfpy.lower.webgl_steps import Params, Steps, flags_of, inputs_of, rows_pay
from tfpy.ops.op import KernelCall


def matmul(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    a_transposed, b_transposed = p["transpose_a"] == "true", p["transpose_b"] == "true"
    a_quads = not a_transposed and p["k"] % 4 == 0 and p["a_batch_stride"] % 4 == 0
    b_whole = p["b_batch_stride"] % 4 == 0
    dot = a_quads and b_transposed and b_whole
    quads = p["n"] % 4 == 0 and b_whole and (dot or not b_transposed)
    params = dict(p)
    if quads:
        params["n"] //= 4
        if not dot:
            params["b_batch_stride"] //= 4
    named, a_quads = inputs_of(call, inputs), a_quads and not b_transposed
    if quads and p["k"] >= 4 * TARGETS and rows_pay(steps, output, p["m"]):
        a_rows = a_transposed and p["m"] % 4 == 0 and p["a_batch_stride"] % 4 == 0
        flags = flags_of(DOT=dot, A_QUADS=a_quads, A_ROWS=a_rows)
        shape = (p["batch"], p["m"], p["n"] // 4)
        steps.rows_step("matmul", named, output, params, flags, shape)
    else:
        steps.step("matmul", named, output, params, flags_of(QUADS=quads, DOT=dot, A_QUADS=a_quads))


def product(m: int, n: int, k: int, a: str = "false", b: str = "false") -> KernelCall:
    params: Params = {"batch": 1, "m": m, "n": n, "k": k, "transpose_a": a, "transpose_b": b}
    params |= {"a_batch_stride": 0, "b_batch_stride": 0}
    return KernelCall("matmul", ("a", "b"), params)
