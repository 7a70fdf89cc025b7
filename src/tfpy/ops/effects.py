"""Ops that are run for what they do, not for their result."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tfpy import dtypes
from tfpy.ir.graph import Aval
from tfpy.ops.op import Op, register
from tfpy.ops.samples import Sample, array

_STREAMS = {"stderr": lambda: sys.stderr, "stdout": lambda: sys.stdout}


def summary(array: Any, keep: int, indent: int) -> str:
    """The outermost ``keep`` items at both ends of every axis; all if ``keep`` is negative."""
    if array.ndim == 0:
        return shown(array.item())
    n = array.shape[0]
    whole = keep < 0 or n <= 2 * keep
    picked = range(n) if whole else [*range(keep), *range(n - keep, n)]
    items = [summary(array[i, ...], keep, indent + 1) for i in picked]
    if not whole:
        items.insert(keep, "...")
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * indent
    return f"[{between.join(items)}]"


def shown(value: Any) -> str:
    """One value as TensorFlow prints it."""
    if isinstance(value, bytes):
        return '"' + value.decode("utf-8", "backslashreplace") + '"'
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if not isinstance(value, float):
        return str(value)
    short = f"{value:.6g}"
    return short if np.float32(short) == np.float32(value) else f"{value:.9g}"


def _print_ref(*arrays: Any, texts: tuple[str, ...], summarize: int, stream: str) -> Any:
    """Writes the texts with the arrays between them."""
    parts = [texts[0]]
    for values, text in zip(arrays, texts[1:], strict=True):
        parts += (summary(values, summarize, 1), text)
    if stream in _STREAMS:
        print(*parts, sep="", end="", file=_STREAMS[stream]())
    else:
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write("".join(parts))
    return np.asarray(len(arrays), np.int32)


def _print_samples(rng: np.random.Generator) -> list[Sample]:
    attrs = {"texts": ("x ", " y ", "\n"), "summarize": 2, "stream": "file:///dev/null"}
    return [((array(rng, (2, 9)), array(rng, (), dtypes.int32)), attrs)]


print_op: Op = register(
    Op(
        "print",
        "effect",
        lambda *avals, texts, summarize, stream: Aval((), dtypes.int32),
        _print_ref,
        doc="Writes texts and values to a stream; the result says how many values they were.",
        samples=_print_samples,
        host_only="only the host can write to a stream",
        stateful=True,
    )
)
