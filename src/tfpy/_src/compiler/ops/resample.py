"""Resizing along one axis: each output element is a weighted sum of neighboring input elements.

The same kernel with the transposed map computes gradients.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import FLOAT
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.reference.resample_tables import Resampling, table

_FEW = 16


def _infer(x: Aval, entries: Aval, axis: int, spec: Resampling) -> Aval:
    infer.check_dtype("resample", x, FLOAT, "images")
    infer.check_dtype("resample", entries, {dtypes.int32}, "table")
    n, m = spec.sizes
    if x.shape[axis] != n or entries.shape[0] != m:
        raise invalid(
            "resample",
            f"axis {axis} of {list(x.shape)} and table {list(entries.shape)} do not match",
        )
    return Aval((*x.shape[:axis], m, *x.shape[axis + 1 :]), x.dtype)


def _ref(x: Any, entries: Any, axis: int, spec: Resampling) -> Any:
    weights = np.ascontiguousarray(entries[:, 1:]).view(np.float32)
    outer, n, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    together = inner if 0 < inner < _FEW else 1  # NumPy is slow with short rows
    rows = x.reshape(outer, n * together, inner // together)
    out = np.zeros((outer, entries.shape[0] * together, rows.shape[2]), x.dtype)
    for tap in range(weights.shape[1]):
        places = np.clip(entries[:, :1] + tap, 0, n - 1) * together + np.arange(together)
        weight = np.repeat(weights[:, tap], together)
        product = rows.take(places.reshape(-1), axis=1)
        np.multiply(product, weight[:, None], out=product, casting="same_kind")
        if not weight.all():
            product[:, weight == 0] = 0  # also where a pixel is not finite
        out += product
    return out.reshape(*x.shape[:axis], entries.shape[0], *x.shape[axis + 1 :])


def _kernel(x: Aval, entries: Aval, axis: int, spec: Resampling) -> KernelCall:
    n, m = spec.sizes
    return KernelCall(
        "resample",
        ("x", "table"),
        {
            "outer": math.prod(x.shape[:axis]),
            "n": n,
            "inner": math.prod(x.shape[axis + 1 :]),
            "m": m,
            "taps": entries.shape[1] - 1,
        },
    )


def _vjp(g: Any, y: Any, x: Any, entries: Any, axis: int, spec: Resampling) -> tuple[Any, None]:
    return lambda: resize_axis(g, axis, spec.transpose()), None


def resize_axis(x: Any, axis: int, spec: Resampling) -> Any:
    """Return `x` with one axis mapped by `spec`."""
    return resample(x, cast(table(spec), dtype=dtypes.int32), axis=axis, spec=spec)


_CASES = [
    ((2, 5, 6, 3), 1, Resampling("bilinear", 5, 9)),
    ((1, 8, 7, 4), 1, Resampling("bilinear", 8, 3)),
    ((1, 8, 7, 4), 2, Resampling("lanczos3", 7, 4, antialias=True)),
    ((2, 4, 5, 1), 2, Resampling("bicubic", 5, 8)),
    ((2, 4, 12), 1, Resampling("area", 4, 3, transposed=True).transpose()),
    ((3, 6, 8), 1, Resampling("nearest", 5, 6, transposed=True)),
]


def _samples(rng: np.random.Generator) -> list[Sample]:
    return [
        ((array(rng, shape, low=-1, high=1), table(spec)), {"axis": axis, "spec": spec})
        for shape, axis, spec in _CASES
    ]


resample: Op = register(
    Op(
        "resample",
        "window",
        _infer,
        _ref,
        _vjp,
        kernel=_kernel,
        params=("images", "table"),
        doc="Weighted sums of neighbors along one axis.",
        samples=_samples,
    )
)
