"""The steps of products with weights that stay as they are stored, and of their rows, on WebGPU.

Kernels read int8 arrays as words of four bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tfpy._src.base.dtypes import float32, int32
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgpu.groups import BUSY, flat
from tfpy._src.compiler.lower.webgpu.kernels import plan
from tfpy._src.compiler.lower.webgpu.packed import add_product
from tfpy._src.compiler.lower.webgpu.steps import WebGPUSteps
from tfpy._src.compiler.lower.webgpu.tiles import Product
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP

WORD, TEXEL = 4, 16
"""Number of bytes of a word, and of a texel."""

MOST_ROWS = 8
"""Number of rows up to which reading the weights takes most of the time of a product."""

MOST_SUMS = 8
"""Number of texels of sums that a thread holds if it reads whole texels of weights."""

AHEAD = 8
"""Largest number of words or texels that a thread reads before it uses them."""

MOST_BYTES = 1024
"""Largest number of products of bytes that a thread adds as float32. Their sum is exact."""

LONGEST = 64 * MOST_BYTES
"""Largest number of terms up to which sums of products of bytes are exact."""


def _stride(length: int, bits: int) -> int:
    """Return the number of bytes of a row of weights."""
    return -(-length * bits // 8)


def multiply(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the steps of a product.

    The numbers are converted while they are multiplied with few rows. Otherwise a separate step
    writes them to temporary memory, which the steps of all products share: as floats, or for exact
    sums as packed bytes.
    """
    p: Params = dict(call.params)
    named = inputs_of(call, inputs)
    turned = p["transpose_b"] == "true"
    length = p["k" if turned else "n"]
    p["stride"] = _stride(length, p["bits"])
    whole = length * p["bits"] % (8 * WORD) == 0
    exact = steps.result_dtype(output) == int32
    if 0 < p["m"] <= MOST_ROWS and whole and 0 < p["k"] <= (LONGEST if exact else p["k"]):
        few_rows = _turned if turned else _columns
        few_rows(steps, p, named, output)
    elif exact and p["m"] * p["n"] * p["k"]:
        _by_bytes(steps, p, named, output, turned)
    else:
        _by_floats(steps, p, named, output, turned)


def _columns(steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int) -> None:
    """Add the step of a matrix [k, n]. Adjacent threads read adjacent words of a row."""
    is_wide = p["m"] * 32 // p["bits"] <= MOST_SUMS and p["stride"] % TEXEL == 0
    pitch = p["stride"] // (TEXEL if is_wide else WORD)
    across, narrowest = (8, 1) if is_wide else (32, 4)
    while across > narrowest and (
        -(-pitch // across) < BUSY or p["k"] * across > MOST_BYTES * GROUP
    ):
        across //= 2
    lanes = GROUP // across
    while lanes > p["k"]:
        lanes //= 2
    chunk = -(-p["k"] // lanes)
    most = min(AHEAD, chunk)
    ahead = min(range(most, max(most // 2 - 1, 0), -1), key=lambda count: chunk % count)
    groups = flat(-(-pitch // across))
    params = p | {"chunk": chunk, "across": groups[0], "pitch": pitch}
    defines = [*_sizes(p, named, is_wide, lanes, across, ahead), "QUADS"]
    fours = range((32 if is_wide else 8) // p["bits"])
    defines += _lines(p["m"], fours, ahead, "scale" in named)
    steps.step("stored_columns", named, output, params, defines, groups)


def _turned(steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int) -> None:
    """Add the step of a matrix [n, k]. Adjacent threads read adjacent words of a column."""
    is_wide = p["stride"] % TEXEL == 0
    pitch = p["stride"] // (TEXEL if is_wide else WORD)
    lanes, fewest = 64, 8
    while lanes > max(fewest, 2 * p["k"] // MOST_BYTES) and (
        lanes > pitch or p["n"] * lanes >= 2 * GROUP * BUSY
    ):
        lanes //= 2
    groups = flat(-(-p["n"] * lanes // GROUP))
    params = p | {"across": groups[0], "pitch": pitch}
    sizes = _sizes(p, named, is_wide, lanes, GROUP // lanes, -(-pitch // lanes))
    steps.step("stored_rows", named, output, params, sizes, groups)


def _lines(m: int, fours: range, ahead: int, scaled: bool) -> list[str]:
    """Return the unrolled statements for `m` rows and a matrix [k, n].

    Args:
        fours: Numbers of the texels of columns of a thread.
        ahead: Number of rows of the matrix that a thread reads at once.
        scaled: True if the matrix has groups.
    """
    rows = range(m)
    lines = {"SUMS": [f"var sum{r}_{f} = vec4<f32>();" for r in rows for f in fours]}
    whole = [f"first + {ahead} <= end"]
    if scaled:
        lines["SUMS"] += [f"var own{r}_{f} = vec4<f32>();" for r in rows for f in fours]
        lines["SUMS"] += [f"var weight{r} = 0.0;" for r in rows]
        lines["END_GROUP"] = [*_end_of_group(rows, fours)]
        whole += [f"group_at(first + {j}) == group" for j in range(1, ahead)]
    lines["IS_WHOLE"] = [" && ".join(whole)]
    lines["WORDS"] = [
        f"let word{j} = stored_words((first + {j}) * p.pitch + at);" for j in range(ahead)
    ]
    lines["PRODUCT"] = [*_products(0, rows, fours, scaled)]
    lines["PRODUCTS"] = [s for j in range(ahead) for s in _products(j, rows, fours, scaled)]
    lines["RESULTS"] = [s for r in rows for s in _result(r, fours)]
    return [f"{name} {' '.join(found)}" for name, found in lines.items()]


def _end_of_group(rows: range, fours: range) -> Iterator[str]:
    """Yield the statements that add the sums of a group, and begin the next one."""
    yield "let texel = (group * p.n + column) >> 2u;"
    for f in fours:
        yield f"let zero{f} = zeros_of_texel(texel + {f}); let scale{f} = scale_texel(texel + {f});"
        for r in rows:
            own = f"own{r}_{f}"
            yield f"sum{r}_{f} += scale{f} * ({own} - weight{r} * zero{f}); {own} = vec4<f32>();"
    yield from (f"weight{r} = 0.0;" for r in rows)


def _products(j: int, rows: range, fours: range, scaled: bool) -> Iterator[str]:
    """Yield the statements that multiply by row `first + j` of a matrix, which is in `word{j}`."""
    yield "{"
    for r in rows:
        yield f"let x{r} = f32(x_at({r} * p.k + first + {j}));"
        if scaled:
            yield f"weight{r} += x{r};"
    for f in fours:
        yield f"let four{f} = stored_four(word{j}, {f});"
        for r in rows:
            name = f"{'own' if scaled else 'sum'}{r}_{f}"
            yield f"{name} = fma(vec4<f32>(x{r}), four{f}, {name});"
    yield "}"


def _result(r: int, fours: range) -> Iterator[str]:
    """Yield the statements that store a row of the result of a matrix [k, n]."""
    yield from (f"total[{f}] = vec4<T>(sum{r}_{f});" for f in fours)
    yield "add_lanes(lane, i32(thread), &total);"
    at = f"(({r} * p.n) >> 2u) + STORED_FOURS * place"
    yield f"if (lane == 0 && place < p.pitch) {{ store_total({at}, &total); }}"


def _sizes(
    p: Params, named: Mapping[str, int], is_wide: bool, lanes: int, across: int, length: int
) -> list[str]:
    sizes = {"ROWS": p["m"], "BITS": p["bits"], "LANES": lanes, "ACROSS": across}
    sizes["AHEAD"] = min(AHEAD, length)
    flags = flags_of(SCALED="scale" in named, WIDE=is_wide)
    return [*(f"{k} {v}" for k, v in sizes.items()), *flags]


def _by_bytes(
    steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int, turned: bool
) -> None:
    """Add the steps of a product of integers."""
    m, n, k = p["m"], p["n"], p["k"]
    texels = -(-k // TEXEL) + 1
    rows, columns = (steps.program.add_buffer((count, 1, 4 * texels), int32) for count in (m, n))
    size = {"rows": m, "parts": 1, "k": k, "kind": "whole"}
    plan(steps, KernelCall("pack_bytes", ("numbers",), size), [named["x"]], rows)
    groups = flat(-(-n * texels // GROUP))
    defines = ["QUADS", *flags_of(TURNED=turned)]
    steps.step("stored_packed", {"w": named["w"]}, columns, p | {"texels": texels}, defines, groups)
    operands = {"x": rows, "filter": columns}
    add_product(steps, operands, output, Product(1, m, n, k, True, True))


def _by_floats(
    steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int, turned: bool
) -> None:
    m, n, k = p["m"], p["n"], p["k"]
    shape = (n, k) if turned else (k, n)
    floats = steps.program.add_buffer(shape, float32)
    read = {name: buffer for name, buffer in named.items() if name != "x"}
    defines = [f"BITS {p['bits']}"]
    quads = math.prod(shape) % 4 == 0
    defines += flags_of(SCALED="scale" in named, TURNED=turned, QUADS=quads)
    steps.step("stored_floats", read, floats, p | {"width": shape[1]}, defines)
    product = {"batch": 1, "m": m, "n": n, "k": k, "a_batch_stride": 0, "b_batch_stride": 0}
    flags = {"transpose_a": "false", "transpose_b": p["transpose_b"]}
    call = KernelCall("matmul", ("a", "b"), product | flags)
    plan(steps, call, [named["x"], floats], output)


def gather(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step that reads rows of weights."""
    p: Params = dict(call.params)
    w, indices = inputs
    params = p | {"stride": _stride(p["width"], p["bits"])}
    named = {"w": w, "indices": indices}
    steps.step("gather_stored", named, output, params, [f"BITS {p['bits']}"])
