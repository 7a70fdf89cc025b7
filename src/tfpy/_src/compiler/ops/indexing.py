"""Primitives that read or write at computed positions, and ranges of indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import OpError, invalid, invalid_value
from tfpy._src.compiler.ir import complex_expr, expr as ex
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.indexed import Indexed
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.elementwise import maximum, minimum
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import NUMERIC
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.logic import logical_and, select
from tfpy._src.compiler.ops.movement import inverse_permutation, reshape, transpose
from tfpy._src.compiler.ops.reference.ordering import stable_order
from tfpy._src.compiler.ops.rules import Rows, zeros

# gather: slices of x along an axis, at indices; leading batch dimensions correspond. With
# sparse_gradient (along the first axis), the gradient consists of the rows that were read. A role
# replaces the name of the indices in errors, for functions with other argument names.


def _gather_infer(
    x: Aval,
    indices: Aval,
    axis: int,
    batch_dims: int,
    sparse_gradient: bool = False,
    role: str = "",
) -> Aval:
    infer.check_dtype("gather", indices, dtypes.INDICES, "indices")
    if x.shape[:batch_dims] != indices.shape[:batch_dims] or axis < batch_dims:
        raise invalid(
            "gather",
            f"the first {batch_dims} dimensions of params {list(x.shape)} and indices "
            f"{list(indices.shape)} must be equal and lie before axis {axis}",
        )
    return Aval(x.shape[:axis] + indices.shape[batch_dims:] + x.shape[axis + 1 :], x.dtype)


def _gather_refuses(x: Aval, indices: Aval, **attrs: Any) -> OpError | None:
    axis = attrs["axis"]
    if x.shape[axis] or not _gather_infer(x, indices, **attrs).size:
        return None
    return invalid_value(
        "gather", f"axis {axis} of params {list(x.shape)} is empty, so no index is in [0, 0)"
    )


_GATHERED = Indexed(1, "gather: indices", lambda x, indices, axis, **_: x[axis])


def _gather_ref(
    x: Any,
    indices: Any,
    axis: int,
    batch_dims: int,
    sparse_gradient: bool = False,
    role: str = "",
) -> Any:
    shape = x.shape[:axis] + indices.shape[batch_dims:] + x.shape[axis + 1 :]
    if 0 in shape:
        return np.zeros(shape, x.dtype)
    _GATHERED.check(indices, (x.shape, indices.shape), {"axis": axis, "role": role})
    if not batch_dims:
        return np.take(x, indices, axis=axis)
    lead = x.shape[:batch_dims]
    batch, outer = math.prod(lead), x.shape[batch_dims:axis]
    inner, picks = x.shape[axis + 1 :], indices.shape[batch_dims:]
    rows = x.reshape(batch, math.prod(outer), x.shape[axis], math.prod(inner))
    flat = indices.reshape(batch, math.prod(picks))
    taken = rows[np.arange(batch)[:, None], :, flat]  # [batch, picks, outer, inner]
    return taken.transpose(0, 2, 1, 3).reshape(*lead, *outer, *picks, *inner)


def _gather_kernel(
    x: Aval,
    indices: Aval,
    axis: int,
    batch_dims: int,
    sparse_gradient: bool = False,
    role: str = "",
) -> KernelCall:
    return KernelCall(
        "gather",
        ("x", "indices"),
        {
            "batch": math.prod(x.shape[:batch_dims]),
            "outer": math.prod(x.shape[batch_dims:axis]),
            "n": x.shape[axis],
            "inner": math.prod(x.shape[axis + 1 :]),
            "m": math.prod(indices.shape[batch_dims:]),
        },
    )


def _gather_vjp(
    g: Any,
    y: Any,
    x: Any,
    indices: Any,
    axis: int,
    batch_dims: int,
    sparse_gradient: bool = False,
    role: str = "",
) -> tuple[Any, None]:
    """Sum the gradient of each slice into its row; rows are numbered across batches."""
    shape = tuple(x.aval.shape)
    if sparse_gradient:
        n = math.prod(indices.aval.shape)
        return Rows(reshape(g, shape=(n, *shape[1:])), reshape(indices, shape=(n,)), shape), None
    lead, outer, inner = shape[:batch_dims], shape[batch_dims:axis], shape[axis + 1 :]
    batch, n = math.prod(lead), shape[axis]
    picks = tuple(indices.aval.shape[batch_dims:])
    m = math.prod(picks)
    # g is [batch, outer, m, inner]; move the picks next to the batch.
    grouped = transpose(
        reshape(g, shape=(batch, math.prod(outer), m, math.prod(inner))), perm=(0, 2, 1, 3)
    )
    ids = reshape(indices, shape=(batch, m))
    if batch > 1:
        offsets = range_(start=0, delta=n, count=batch, dtype=indices.dtype)
        ids = ids + reshape(offsets, shape=(batch, 1))
    summed = segment_sum(
        reshape(grouped, shape=(batch * m, math.prod(outer) * math.prod(inner))),
        reshape(ids, shape=(batch * m,)),
        segments=batch * n,
    )
    perm = (0, 2, 1, 3)
    back = transpose(
        reshape(summed, shape=(batch, n, math.prod(outer), math.prod(inner))),
        perm=inverse_permutation(perm),
    )
    return reshape(back, shape=shape), None


def _gather_samples(rng: np.random.Generator) -> list[Sample]:
    cases = [
        ((7,), (4,), 0, 0),
        ((6, 5), (2, 3), 0, 0),
        ((3, 6, 4), (5,), 1, 0),
        ((3, 6), (), 1, 0),
        ((2, 5, 3), (2, 4), 1, 1),
        ((2, 3, 5, 4), (2, 6), 2, 1),
        ((50, 64), (33,), 0, 0),
    ]
    return [
        (
            (array(rng, x, d), rng.integers(0, x[axis], i).astype(np.int32)),
            {"axis": axis, "batch_dims": b},
        )
        for d in (dtypes.float32, dtypes.int32, dtypes.bool)
        for x, i, axis, b in cases
    ]


gather = register(
    Op(
        "gather",
        "indexing",
        _gather_infer,
        _gather_ref,
        vjp=_gather_vjp,
        refuses=_gather_refuses,
        kernel=_gather_kernel,
        by_component=True,
        indexed=_GATHERED,
        params=("params", "indices"),
        samples=_gather_samples,
    )
)


# segment_sum: rows of data summed into the segments given by ids. Negative ids are dropped. Ids
# beyond the segments are an error on cpu and wasm, and dropped on other backends.


def _segment_infer(data: Aval, ids: Aval, segments: int) -> Aval:
    infer.check_dtype("unsorted_segment_sum", data, NUMERIC, "data")
    infer.check_dtype("unsorted_segment_sum", ids, dtypes.INDICES, "segment_ids")
    if data.shape[: ids.rank] != ids.shape:
        raise invalid(
            "unsorted_segment_sum",
            f"data {list(data.shape)} must begin with the shape of segment_ids {list(ids.shape)}",
        )
    return Aval((segments, *data.shape[ids.rank :]), data.dtype)


def _segments(data: Shape, ids: Shape, segments: int) -> int:
    return segments


_SUMMED = Indexed(1, "unsorted_segment_sum: segment_ids", _segments, drops_negative=True)


def _segment_ref(data: Any, ids: Any, segments: int) -> Any:
    out = np.zeros((segments, *data.shape[ids.ndim :]), data.dtype)
    flat = ids.reshape(-1)
    if not data.size:
        return out  # as in TensorFlow, which does not check ids then
    rows = data.reshape(flat.size, *data.shape[ids.ndim :])
    _SUMMED.check(ids, (data.shape, ids.shape), {"segments": segments})
    valid = flat >= 0
    kept, rows = (flat, rows) if valid.all() else (flat[valid], rows[valid])
    if rows.ndim == 1 and rows.dtype.kind in "fiuc":
        np.add.at(out, kept, rows)  # fast for vectors of NumPy's own dtypes only
    elif kept.size and out.size:
        order = stable_order(kept, segments)
        begins = np.flatnonzero(np.diff(kept[order], prepend=-1))
        out[kept[order[begins]]] = np.add.reduceat(rows[order], begins, axis=0, dtype=out.dtype)
    return out


def _segment_kernel(data: Aval, ids: Aval, segments: int) -> KernelCall:
    inner = math.prod(data.shape[ids.rank :])
    return KernelCall(
        "segment_sum", ("data", "ids"), {"n": ids.size, "inner": inner, "segments": segments}
    )


def gather_inside(rows: Any, ids: Any) -> Any:
    """Return `rows[ids]`, and 0 for ids outside of the rows."""
    last = rows.aval.shape[0] - 1
    if last < 0:
        return zeros((*ids.aval.shape, *rows.aval.shape[1:]), rows.dtype)
    found = gather(rows, minimum(maximum(ids, 0), last), axis=0, batch_dims=0)
    inside = logical_and(ids >= 0, ids <= last)
    inside = reshape(inside, shape=(*ids.aval.shape, *[1] * (len(rows.aval.shape) - 1)))
    return select(inside, found, 0)


def _segment_vjp(g: Any, y: Any, data: Any, ids: Any, segments: int) -> tuple[Any, None]:
    return gather_inside(g, ids), None


def _segment_samples(rng: np.random.Generator) -> list[Sample]:
    cases = [((9,), (9,), 4), ((8, 5), (8,), 3), ((3, 4, 2), (3, 4), 6), ((40, 16), (40,), 10)]
    return [
        (
            (array(rng, data, d), rng.integers(-1, segments, ids).astype(np.int32)),
            {"segments": segments},
        )
        for d in (dtypes.float32, dtypes.int32)
        for data, ids, segments in cases
    ]


segment_sum = register(
    Op(
        "segment_sum",
        "indexing",
        _segment_infer,
        _segment_ref,
        _segment_vjp,
        kernel=_segment_kernel,
        by_component=True,
        indexed=_SUMMED,
        params=("data", "segment_ids"),
        samples=_segment_samples,
    )
)


# range: start + i * delta, without an input.


def _range_expr(start: float, delta: float, count: int, dtype: DType) -> Any:
    number = dtypes.real_part(dtype)
    return complex_expr.cast(ex.cast(ex.index(), number) * delta + start, dtype)


def _range_ref(start: float, delta: float, count: int, dtype: DType) -> Any:
    number = dtype.as_numpy_dtype
    return np.arange(count, dtype=number) * number(delta) + number(start)


range_ = register(
    Op(
        "range",
        "indexing",
        lambda start, delta, count, dtype: Aval((count,), dtype),
        _range_ref,
        expr=_range_expr,
        samples=lambda rng: [
            ((), {"start": 3, "delta": -2, "count": 300, "dtype": dtypes.int32}),
            ((), {"start": 0.5, "delta": 0.25, "count": 9, "dtype": dtypes.float32}),
            ((), {"start": 0, "delta": 1, "count": 5, "dtype": dtypes.complex64}),
        ],
    )
)
