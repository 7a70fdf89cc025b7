"""Rows written or combined at computed positions, and positions of n-dimensional indices.

`scatter_*` take `x [segments, ...rest]`, int32 `ids` of any shape and `updates [*ids.shape,
...rest]`. Updates with negative ids are dropped. Ids beyond the segments are an error on cpu and
wasm, and dropped on other backends. Sums need no op: they are `x + segment_sum(updates, ids)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.indexed import Indexed
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import NUMERIC, REAL
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.indexing import gather_inside, segment_sum
from tfpy._src.compiler.ops.logic import equal, select
from tfpy._src.compiler.ops.rules import zeros


def _scatter(name: str, kind: str, combine: Any, vjp: Any, takes: Iterable[DType], doc: str) -> Op:
    takes = frozenset(takes)
    indexed = Indexed(1, f"{name}: indices", lambda x, ids, updates: x[0], drops_negative=True)

    def infer_aval(x: Aval, ids: Aval, updates: Aval) -> Aval:
        infer.check_dtype(name, x, takes, "tensor")
        infer.check_same_dtype(name, (x, updates))
        infer.check_dtype(name, ids, dtypes.INDICES, "indices")
        if not x.rank or updates.shape != (*ids.shape, *x.shape[1:]):
            raise invalid(
                name,
                f"updates {list(updates.shape)} must have the shape of the indices "
                f"{list(ids.shape)} followed by that of a row of {list(x.shape)}",
            )
        return x

    def ref(x: Any, ids: Any, updates: Any) -> Any:
        out, flat = x.copy(), ids.reshape(-1)
        if not updates.size:
            return out  # as in TensorFlow, which does not check ids then
        indexed.check(ids, (x.shape, ids.shape, updates.shape), {})
        valid = flat >= 0
        combine(out, flat[valid], updates.reshape(flat.size, *x.shape[1:])[valid])
        return out

    def kernel(x: Aval, ids: Aval, updates: Aval) -> KernelCall:
        inner = math.prod(x.shape[1:])
        sizes = {"n": ids.size, "inner": inner, "segments": x.shape[0]}
        return KernelCall("scatter", ("x", "ids", "updates"), {"kind": kind, **sizes})

    return register(
        Op(
            name,
            "scatter",
            infer_aval,
            ref,
            vjp,
            kernel=kernel,
            indexed=indexed,
            params=("tensor", "indices", "updates"),
            doc=doc,
            samples=_scatter_samples(takes),
        )
    )


def _scatter_samples(takes: frozenset[DType]) -> Any:
    cases: list[tuple[Shape, Shape]] = [
        ((6,), (9,)),
        ((4, 3), (5,)),
        ((5, 2, 4), (2, 3)),
        ((0, 3), (0,)),
        ((33, 8), (50,)),
    ]
    kinds = [d for d in (dtypes.float32, dtypes.int32, dtypes.bool) if d in takes]

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [
            (
                (
                    array(rng, x, d, 0.5, 3),
                    rng.integers(-1, x[0], ids).astype(np.int32),
                    array(rng, (*ids, *x[1:]), d, 0.5, 3),
                ),
                {},
            )
            for d in kinds
            for x, ids in cases
        ]

    return samples


def _assign(out: Any, ids: Any, updates: Any) -> None:
    out[ids] = updates  # for a repeated index, the last update remains


def _update_vjp(g: Any, y: Any, x: Any, ids: Any, updates: Any) -> tuple[Any, None, Any]:
    return (
        lambda: scatter_update(g, ids, zeros(tuple(updates.aval.shape), updates.dtype)),
        None,
        lambda: gather_inside(g, ids),
    )


def _extreme_vjp(g: Any, y: Any, x: Any, ids: Any, updates: Any) -> tuple[Any, None, Any]:
    """Distribute the gradient equally over all values equal to the extreme, also the old one."""
    old = cast(equal(x, y), dtype=g.dtype)
    new = cast(equal(updates, gather_inside(y, ids)), dtype=g.dtype)
    share = g / (old + segment_sum(new, ids, segments=x.aval.shape[0]))
    return share * old, None, gather_inside(share, ids) * new


def _prod_vjp(g: Any, y: Any, x: Any, ids: Any, updates: Any) -> tuple[Any, None, Any]:
    """Compute the product of the other factors.

    If exactly one factor is 0, only this factor has a gradient.
    """

    def nonzero(factors: Any) -> Any:
        return select(equal(factors, 0), 1, factors)

    def zero(factors: Any) -> Any:
        return cast(equal(factors, 0), dtype=g.dtype)

    zeros = zero(x) + segment_sum(zero(updates), ids, segments=x.aval.shape[0])
    rest = scatter_prod(nonzero(x), ids, nonzero(updates))

    def gradient(g: Any, factors: Any, zeros: Any, rest: Any) -> Any:
        alone = select(equal(zeros, 1), rest, 0)
        other = select(equal(zeros, 0), rest, 0) / nonzero(factors)
        return g * select(equal(factors, 0), alone, other)

    rows = [gather_inside(v, ids) for v in (g, zeros, rest)]
    return gradient(g, x, zeros, rest), None, gradient(rows[0], updates, *rows[1:])


scatter_update: Op = _scatter(
    "scatter_update",
    "last",
    _assign,
    _update_vjp,
    infer.ANY,
    "x with rows replaced by updates. The last update of a row remains.",
)
scatter_prod: Op = _scatter(
    "scatter_prod", "prod", np.multiply.at, _prod_vjp, NUMERIC, "x times the updates of each row."
)
scatter_max = _scatter(
    "scatter_max",
    "max",
    np.maximum.at,
    _extreme_vjp,
    REAL,
    "Maximum of x and each row's updates.",
)
scatter_min = _scatter(
    "scatter_min",
    "min",
    np.minimum.at,
    _extreme_vjp,
    REAL,
    "Minimum of x and each row's updates.",
)


# ravel_index: the row-major position of each index vector (the last axis) in a tensor of shape
# dims.


def _ravel_infer(indices: Aval, dims: Shape) -> Aval:
    infer.check_dtype("ravel_index", indices, dtypes.INDICES, "indices")
    if not indices.rank or indices.shape[-1] != len(dims):
        raise invalid(
            "ravel_index",
            f"indices {list(indices.shape)} must end in the {len(dims)} dimensions of {list(dims)}",
        )
    return Aval(indices.shape[:-1], indices.dtype)


_RAVELLED = Indexed(0, "indices", lambda indices, dims: dims)


def _ravel_ref(indices: Any, dims: Shape) -> Any:
    _RAVELLED.check(indices, (indices.shape,), {"dims": dims})
    flat = indices.reshape(math.prod(indices.shape[:-1]), len(dims))
    out = np.zeros(len(flat), np.int32)
    for column, size in zip(flat.T, dims, strict=True):
        out = out * np.int32(size) + column
    return out.reshape(indices.shape[:-1])


def _ravel_kernel(indices: Aval, dims: Shape) -> KernelCall:
    params: dict[str, Any] = {"n": math.prod(indices.shape[:-1]), "dims": list(dims)}
    return KernelCall("ravel_index", ("indices",), params)


def _ravel_samples(rng: np.random.Generator) -> list[Sample]:
    cases: list[tuple[Shape, Shape]] = [((7,), (5,)), ((3, 4), (2, 3)), ((2, 5, 3), (4, 2, 3))]
    cases = [((*i[:-1], len(d)), d) for i, d in cases]
    return [
        ((np.stack([rng.integers(0, n, i[:-1]) for n in d], -1).astype(np.int32),), {"dims": d})
        for i, d in cases
    ]


ravel_index = register(
    Op(
        "ravel_index",
        "scatter",
        _ravel_infer,
        _ravel_ref,
        kernel=_ravel_kernel,
        indexed=_RAVELLED,
        params=("indices",),
        doc="""Row-major position of each index vector in a tensor of shape `dims`. Out-of-range
        indices raise an error on cpu and wasm; on other backends, their position is -1.""",
        samples=_ravel_samples,
    )
)
