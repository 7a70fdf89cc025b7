"""Arithmetic on ml_dtypes' dtypes, returned as bytes, which CPython and Pyodide run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ml_dtypes
import numpy as np

FLOATS = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz")
INTEGERS = ("int4", "uint4")


def results() -> Iterator[tuple[str, np.ndarray]]:
    x = np.linspace(-4, 4, 257, dtype="float32")
    y = np.roll(x, 77) + np.float32(0.25)
    for name in FLOATS:
        dtype = getattr(ml_dtypes, name)
        a, b = x.astype(dtype), y.astype(dtype)
        for ufunc in (np.add, np.multiply, np.subtract, np.divide, np.maximum, np.arctan2):
            yield f"{name} {ufunc.__name__}", ufunc(a, b)
        for ufunc in (np.exp, np.tanh, np.sqrt, np.floor, np.isnan, np.negative):
            yield f"{name} {ufunc.__name__}", ufunc(np.abs(a))
        yield f"{name} compared", a < b
        yield f"{name} matmul", a[:256].reshape(16, 16) @ b[:256].reshape(16, 16)
        yield f"{name} sorted", np.sort(b)
        yield f"{name} as int32", np.abs(a).astype("int32")
        limits = ml_dtypes.finfo(dtype)
        yield f"{name} limits", np.array([limits.max, limits.eps, limits.tiny], "float32")
    for name in INTEGERS:
        dtype = getattr(ml_dtypes, name)
        a = np.arange(8).astype(dtype)
        yield f"{name} product", a[:3] * a[1:4]
        yield f"{name} sum", (a[:4] + a[:4]).astype("int32")
        yield f"{name} limits", np.array([ml_dtypes.iinfo(dtype).max], "int32")


def write(path: Path) -> None:
    lines = []
    for name, values in results():
        data = np.ascontiguousarray(values).tobytes()
        lines.append(f"{name}: {values.dtype.name} {values.shape} {data.hex()}\n")
    path.write_text("".join(lines), encoding="utf-8")
