"""The steps of each named kernel on WebGL2: which variant of its template, with which parameters.

A variant reads and writes whole texels of four elements where the sizes allow it; the template
then counts positions in texels, so the innermost sizes are divided by four here. Long sums are
split so that a fragment combines few elements and many fragments run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tfpy.lower import webgl_ordering, webgl_spectral
from tfpy.lower.broadcast import merge
from tfpy.lower.glsl import TARGETS
from tfpy.lower.program import Program
from tfpy.lower.webgl_steps import MAX_TEXTURES, Steps
from tfpy.ops.op import KernelCall

LONGEST_SUM = 256
"""Elements that one fragment combines at most in a reduction."""

ENOUGH_FRAGMENTS = 8192
"""With so many outputs a long sum is not split further for the sake of parallelism."""

LARGE = 8192
"""Outputs from which on a fragment computes four rows, for fewer reads, instead of one."""

LONGEST_SEARCH = 4096
"""Elements that one fragment of a segment sum looks through, most of which it does not add."""

Params = dict[str, Any]


def add_kernel(program: Program, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Adds the steps of a named kernel.

    Raises:
        KeyError: when no kernel has the call's name.
    """
    steps = Steps(program, call, inputs, output)
    _KERNELS[call.name](steps, call, steps.inputs, output)


def _named(call: KernelCall, inputs: Sequence[int]) -> dict[str, int]:
    return dict(zip(call.inputs, inputs, strict=True))


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
    steps.step("strided", _named(call, inputs), output, params, _defines(quads, len(dims)))


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
    steps.step("pad", _named(call, inputs), output, params, _defines(quads, len(axes)))


def _defines(quads: bool, rank: int) -> list[str]:
    return [f"RANK {rank}", *_flags(QUADS=quads)]


def _flags(**flags: bool) -> list[str]:
    return [name for name, on in flags.items() if on]


def _concat(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """More inputs than textures are joined in groups first."""
    p: Params = dict(call.params)
    sizes: list[int] = list(p["sizes"])
    outer, inner = p["outer"], p["inner"]
    pieces = list(inputs)
    while len(pieces) > MAX_TEXTURES:
        joined, joined_sizes = [], []
        for start in range(0, len(pieces), MAX_TEXTURES):
            group = slice(start, start + MAX_TEXTURES)
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
    calls = " ".join(f"PIECE({k}, x{k}_value)" for k in range(len(pieces)))
    params: Params = {"row_sizes": row_sizes, "row_size": sum(row_sizes)}
    inputs = {f"x{k}": buffer for k, buffer in enumerate(pieces)}
    steps.step("concat", inputs, output, params, [f"PIECES {calls}", *_flags(QUADS=quads)])


def _gather(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    params: Params = dict(call.params)
    quads = params["inner"] % 4 == 0
    if quads:
        params["inner"] //= 4
    steps.step("gather", _named(call, inputs), output, params, _flags(QUADS=quads))


def _segment_sum(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    count = p["segments"] * p["inner"]
    chunk = _chunk(p["n"], count, LONGEST_SEARCH)
    chunks = max(1, -(-p["n"] // chunk))
    quads = p["inner"] % 4 == 0
    params = p | {"chunk": chunk, "inner": p["inner"] // (4 if quads else 1)}
    target = output if chunks == 1 else steps.like(output, chunks * count)
    steps.step("segment_sum", _named(call, inputs), target, params, _flags(QUADS=quads))
    if chunks > 1:
        _sum_chunks(steps, target, output, chunks)


def _chunk(n: int, outputs: int, longest: int = LONGEST_SUM) -> int:
    """How many of ``n`` elements a fragment combines, so that enough fragments run.

    A multiple of four, or all of them; at least 1.
    """
    if n <= 32 or (n <= longest and outputs >= ENOUGH_FRAGMENTS):
        return max(n, 1)
    if outputs >= ENOUGH_FRAGMENTS:
        return longest
    return min(longest, 4 * math.ceil(math.sqrt(n) / 4))


def _reduce(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    (source,) = inputs
    outer, n, inner = p["outer"], p["n"], p["inner"]
    while True:
        chunk = _chunk(n, outer * inner)
        chunks = max(1, -(-n // chunk))
        quads = inner % 4 == 0
        params: Params = {"kind": p["kind"], "n": n, "chunk": chunk, "chunks": chunks}
        params["inner"] = inner // 4 if quads else inner
        target = output if chunks == 1 else steps.like(output, outer * chunks * inner)
        flags = _flags(QUADS=quads, CONTIGUOUS=inner == 1)
        steps.step("reduce", {"x": source}, target, params, flags)
        if chunks == 1:
            return
        source, n = target, chunks


def _sum_chunks(steps: Steps, partial: int, output: int, chunks: int) -> None:
    """Adds up ``chunks`` results that lie one after the other."""
    inner = steps.program.buffers[output].count
    params: Params = {"kind": "sum", "outer": 1, "n": chunks, "inner": inner}
    _reduce(steps, KernelCall("reduce", ("x",), params), [partial], output)


def _arg_reduce(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Positions of the extremes of chunks become the candidates of the next step."""
    p: Params = dict(call.params)
    outer, n, inner = p["outer"], p["n"], p["inner"]
    named, left = _named(call, inputs), n
    while True:
        chunk = _chunk(left, outer * inner)
        chunks = max(1, -(-left // chunk))
        params: Params = {"kind": p["kind"], "n": n, "inner": inner}
        params |= {"chunk": chunk, "chunks": chunks}
        if "candidates" in named:
            params["candidate_count"] = left
        target = output if chunks == 1 else steps.like(output, outer * chunks * inner)
        steps.step("arg_reduce", named, target, params, _flags(CANDIDATES="candidates" in named))
        if chunks == 1:
            return
        named, left = {**named, "candidates": target}, chunks


def _matmul(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
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
    named, a_quads = _named(call, inputs), a_quads and not b_transposed
    if quads and p["k"] >= 4 * TARGETS and _rows_pay(steps, output, p["m"]):
        a_rows = a_transposed and p["m"] % 4 == 0 and p["a_batch_stride"] % 4 == 0
        flags = _flags(DOT=dot, A_QUADS=a_quads, A_ROWS=a_rows)
        shape = (p["batch"], p["m"], p["n"] // 4)
        steps.rows_step("matmul", named, output, params, flags, shape)
    else:
        steps.step("matmul", named, output, params, _flags(QUADS=quads, DOT=dot, A_QUADS=a_quads))


def _rows_pay(steps: Steps, output: int, rows: int) -> bool:
    return rows >= TARGETS and steps.program.buffers[output].count >= LARGE


def _conv2d(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    pixels = p["batch"] * p["out_h"] * p["out_w"]
    if _is_pointwise(p):
        _matmul(steps, _product(pixels, p["out_c"], p["in_c"]), inputs, output)
        return
    quads = p["out_c"] // p["groups"] % 4 == 0
    in_quads = _flags(IN_QUADS=p["in_c"] // p["groups"] % 4 == 0)
    params = p | {"out_c": p["out_c"] // 4} if quads else p
    named = _named(call, inputs)
    if quads and _rows_pay(steps, output, pixels):
        shape = (1, pixels, p["out_c"] // 4)
        steps.rows_step("conv2d", named, output, params, in_quads, shape)
    else:
        steps.step("conv2d", named, output, params, [*_flags(QUADS=quads), *in_quads])


def _is_pointwise(p: Params) -> bool:
    """Whether a convolution is a matrix product of pixels and filter."""
    ones = ("filter_h", "filter_w", "stride_h", "stride_w", "groups")
    pads = ("pad_top", "pad_bottom", "pad_left", "pad_right")
    return all(p[k] == 1 for k in ones) and not any(p[k] for k in pads)


def _product(m: int, n: int, k: int, a: str = "false", b: str = "false") -> KernelCall:
    params: Params = {"batch": 1, "m": m, "n": n, "k": k, "transpose_a": a, "transpose_b": b}
    params |= {"a_batch_stride": 0, "b_batch_stride": 0}
    return KernelCall("matmul", ("a", "b"), params)


def _conv2d_input(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    pixels = p["batch"] * p["in_h"] * p["in_w"]
    if _is_pointwise(p):
        _matmul(steps, _product(pixels, p["in_c"], p["out_c"], b="true"), inputs, output)
        return
    out_quads = p["out_c"] // p["groups"] % 4 == 0
    quads = out_quads and p["in_c"] // p["groups"] % 4 == 0
    named = _named(call, inputs)
    if quads and _rows_pay(steps, output, pixels):
        shape = (1, pixels, p["in_c"] // 4)
        steps.rows_step(call.name, named, output, p, [], shape)
    else:
        steps.step(call.name, named, output, p, _flags(QUADS=quads, OUT_QUADS=out_quads))


def _conv2d_filter(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    group_in = p["in_c"] // p["groups"]
    quads = p["out_c"] // p["groups"] % 4 == 0
    rows = group_in if quads and group_in % 4 == 0 else None
    _filter_gradient(steps, call, inputs, output, "out_c", quads, rows)


def _depthwise(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    params: Params = dict(call.params)
    quads = params["multiplier"] == 1 and params["in_c"] % 4 == 0
    if quads:
        params["in_c"] //= 4
    steps.step(call.name, _named(call, inputs), output, params, _flags(QUADS=quads))


def _depthwise_filter(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    quads = p["multiplier"] == 1 and p["in_c"] % 4 == 0
    _filter_gradient(steps, call, inputs, output, "in_c", quads, None)


def _filter_gradient(
    steps: Steps,
    call: KernelCall,
    inputs: Sequence[int],
    output: int,
    channels: str,
    quads: bool,
    rows: int | None,
) -> None:
    """A sum over all output pixels, in chunks of pixels; ``rows`` of texels if by four rows."""
    p: Params = dict(call.params)
    pixels = p["batch"] * p["out_h"] * p["out_w"]
    count = steps.program.buffers[output].count
    chunk = _chunk(pixels, count)
    chunks = max(1, -(-pixels // chunk))
    params = p | {"chunk": chunk} | ({channels: p[channels] // 4} if quads else {})
    target = output if chunks == 1 else steps.like(output, chunks * count)
    named = _named(call, inputs)
    if rows is None:
        steps.step(call.name, named, target, params, _flags(QUADS=quads))
    else:
        shape = (chunks * p["filter_h"] * p["filter_w"], rows, params[channels])
        steps.rows_step(call.name, named, target, params, [], shape)
    if chunks > 1:
        _sum_chunks(steps, target, output, chunks)


def _pool(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    params: Params = dict(call.params)
    quads = params["channels"] % 4 == 0
    if quads:
        params["channels"] //= 4
    steps.step(call.name, _named(call, inputs), output, params, _flags(QUADS=quads))


def _resample(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    params: Params = dict(call.params)
    quads = params["inner"] % 4 == 0
    if quads:
        params["inner"] //= 4
    steps.step("resample", _named(call, inputs), output, params, _flags(QUADS=quads))


_KERNELS: dict[str, Callable[[Steps, KernelCall, Sequence[int], int], None]] = {
    "strided": _strided,
    "pad": _pad,
    "concat": _concat,
    "gather": _gather,
    "segment_sum": _segment_sum,
    "reduce": _reduce,
    "arg_reduce": _arg_reduce,
    "scan": webgl_ordering.scan,
    "argsort": webgl_ordering.argsort,
    "searchsorted": webgl_ordering.searchsorted,
    "scatter": webgl_ordering.scatter,
    "ravel_index": webgl_ordering.ravel_index,
    "dft": webgl_spectral.dft,
    "matmul": _matmul,
    "conv2d": _conv2d,
    "conv2d_backprop_input": _conv2d_input,
    "conv2d_backprop_filter": _conv2d_filter,
    "depthwise_conv2d": _depthwise,
    "depthwise_conv2d_backprop_input": _depthwise,
    "depthwise_conv2d_backprop_filter": _depthwise_filter,
    "pool": _pool,
    "max_pool_grad": _pool,
    "avg_pool_grad": _pool,
    "overlap_add": _pool,
    "resample": _resample,
}
