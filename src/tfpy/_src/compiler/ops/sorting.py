"""Order along the last axis: argsort, from which sorting and top_k are gathers, and searchsorted.

NaN counts as larger than every number. Equal elements keep their order.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import replace
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import REAL
from tfpy._src.compiler.ops.families.samples import array


def _argsort_infer(x: Aval, k: int, descending: bool) -> Aval:
    infer.check_dtype("argsort", x, REAL, "values")
    if not x.rank or not 0 <= k <= x.shape[-1]:
        raise invalid("argsort", f"k={k} is out of range for the last axis of {list(x.shape)}")
    return Aval((*x.shape[:-1], k), dtypes.int32)


_FEW = 8
_LONG = 128


def _argsort_ref(x: Any, k: int, descending: bool) -> Any:
    n = x.shape[-1]
    if n >= _LONG and 0 < k * _FEW <= n and not np.isnan(x).any():
        return _first(x.reshape(-1, n), k, descending).reshape(*x.shape[:-1], k)
    if not descending:
        return np.argsort(x, axis=-1, kind="stable")[..., :k]
    # Sort the reversed rows, so that equal elements keep their order after the result is reversed.
    order = x.shape[-1] - 1 - np.argsort(x[..., ::-1], axis=-1, kind="stable")
    return order[..., ::-1][..., :k]


def _first(rows: Any, k: int, descending: bool) -> Any:
    """Return the indices of the first `k` elements of each row, without sorting the others."""
    last = rows.shape[-1] - k if descending else k - 1
    part = slice(last, None) if descending else slice(k)
    places = np.argpartition(rows, last, axis=-1)
    border = np.take_along_axis(rows, places[:, [last]], -1)
    places = np.sort(places[:, part], axis=-1)
    among = np.count_nonzero(rows >= border if descending else rows <= border, axis=-1)
    for i in np.flatnonzero(among > k):  # elements that equal the border: take the first ones
        row, at = rows[i], border[i]
        before = np.flatnonzero(row > at if descending else row < at)
        equal = np.flatnonzero(row == at)[: k - before.size]
        places[i] = np.sort(np.concatenate([before, equal]))
    order = _argsort_ref(np.take_along_axis(rows, places, -1), k, descending)
    return np.take_along_axis(places, order, -1).astype(np.int32)


def _argsort_kernel(x: Aval, k: int, descending: bool) -> KernelCall:
    sizes = {"outer": math.prod(x.shape[:-1]), "n": x.shape[-1], "k": k}
    direction = "descending" if descending else "ascending"
    return KernelCall("argsort", ("x",), {"direction": direction, **sizes})


def _argsort_samples(rng: np.random.Generator) -> list[Sample]:
    cases: list[tuple[Shape, int]] = [
        ((9,), 9),
        ((4, 7), 3),
        ((2, 3, 5), 5),
        ((3, 100), 100),
        ((1000,), 10),
        ((3, 301), 5),
        ((2, 1), 1),
        ((0, 3), 2),
        ((3,), 0),
    ]
    return [
        ((array(rng, shape, d),), {"k": k, "descending": descending})
        for d in (dtypes.float32, dtypes.int32)
        for shape, k in cases
        for descending in (False, True)
    ]


argsort = register(
    Op(
        "argsort",
        "sorting",
        _argsort_infer,
        _argsort_ref,
        kernel=_argsort_kernel,
        params=("values",),
        doc="Indices of the first k elements in order along the last axis, int32.",
        samples=_argsort_samples,
    )
)


# largest: the order in which TensorFlow's CPU kernel returns unsorted results of top_k.


def _largest_infer(x: Aval, k: int) -> Aval:
    return _argsort_infer(x, k, descending=True)


def _largest_ref(x: Any, k: int) -> Any:
    n = x.shape[-1]
    if not 1 < k < n:
        return _argsort_ref(x, k, descending=True)
    rows = [_heap_of(row, k) for row in x.reshape(-1, n)]
    return np.array(rows, np.int32).reshape(*x.shape[:-1], k)


def _heap_of(row: Any, k: int) -> list[int]:
    """Return the indices in a heap of `k` elements after all elements of a row were pushed."""
    if np.isnan(row).any():  # larger than all numbers
        row, order = np.empty(len(row)), _argsort_ref(row, len(row), descending=True)
        row[order] = np.arange(len(row), 0, -1)
    heap = [(number, -i) for i, number in enumerate(row[: k + 1].tolist())]
    heapq.heapify(heap)
    heapq.heappop(heap)
    begin, end = k + 1, 4 * k
    while begin < len(row):  # only numbers above the smallest one are compared one by one
        for i in begin + np.flatnonzero(row[begin:end] > heap[0][0]):
            if row[i] > heap[0][0]:
                heapq.heappop(heap)
                heapq.heappush(heap, (row[i].item(), -int(i)))
        begin, end = end, 4 * end
    return [-i for _, i in heap]


def _largest_kernel(x: Aval, k: int) -> KernelCall:
    call = _argsort_kernel(x, k, descending=True)
    return replace(call, params={**call.params, "direction": "heap"})


def _largest_samples(rng: np.random.Generator) -> list[Sample]:
    shapes: list[tuple[Shape, int]] = [((9,), 9), ((4, 7), 1), ((2, 3, 5), 5), ((0, 3), 2)]
    return [
        ((array(rng, shape, d),), {"k": k})
        for d in (dtypes.float32, dtypes.int32)
        for shape, k in shapes
    ]


largest = register(
    Op(
        "largest",
        "sorting",
        _largest_infer,
        _largest_ref,
        kernel=_largest_kernel,
        params=("values",),
        doc="""Indices of the k largest elements along the last axis, int32.

        The elements are in the order of a heap. Before a larger element is added to it, the
        smallest one is removed. On GPUs and jax, the elements are in descending order.
        """,
        samples=_largest_samples,
    )
)


# permute: each row in its own order. Its gradient is the inverse order, not a scatter.


def _permute_infer(x: Aval, order: Aval) -> Aval:
    infer.check_dtype("permute", order, dtypes.INDICES, "order")
    if x.shape != order.shape or not x.rank:
        raise invalid(
            "permute", f"order {list(order.shape)} must have the shape of x {list(x.shape)}"
        )
    return x


def _permute_kernel(x: Aval, order: Aval) -> KernelCall:
    n = x.shape[-1]
    sizes = {"batch": math.prod(x.shape[:-1]), "outer": 1, "n": n, "inner": 1, "m": n}
    return KernelCall("gather", ("x", "indices"), sizes)


def _permute_vjp(g: Any, y: Any, x: Any, order: Any) -> tuple[Any, None]:
    inverse = argsort(order, k=order.aval.shape[-1], descending=False)
    return permute(g, inverse), None


def _permute_samples(rng: np.random.Generator) -> list[Sample]:
    shapes: list[Shape] = [(7,), (2, 3, 5), (0, 4), (3, 100)]
    return [
        ((array(rng, s, d), np.argsort(rng.random(s), axis=-1).astype(np.int32)), {})
        for d in (dtypes.float32, dtypes.int32, dtypes.bool)
        for s in shapes
    ]


permute: Op = register(
    Op(
        "permute",
        "sorting",
        _permute_infer,
        lambda x, order: np.take_along_axis(x, order, -1),
        _permute_vjp,
        kernel=_permute_kernel,
        params=("x", "order"),
        doc="Each row of x in the order of a permutation of its indices.",
        samples=_permute_samples,
    )
)


# searchsorted: insertion positions of values in sorted sequences; leading dimensions correspond.


def _search_infer(sequence: Aval, values: Aval, right: bool) -> Aval:
    infer.check_same_dtype("searchsorted", (sequence, values))
    infer.check_dtype("searchsorted", sequence, REAL, "sorted_sequence")
    if not sequence.rank or sequence.shape[:-1] != values.shape[:-1] or not values.rank:
        raise invalid(
            "searchsorted",
            f"all but the last dimension of sorted_sequence {list(sequence.shape)} and values "
            f"{list(values.shape)} must be equal",
        )
    return Aval(values.shape, dtypes.int32)


def _search_ref(sequence: Any, values: Any, right: bool) -> Any:
    """Bisect as TensorFlow does.

    Comparisons with NaN are False, so NaN is placed first from the left and last from the right.
    """
    n = sequence.shape[-1]
    low = np.zeros(values.shape, np.int32)
    high = np.full_like(low, n)
    for _ in range(n.bit_length()):
        middle = (low + high) >> 1
        element = np.take_along_axis(sequence, np.minimum(middle, n - 1), -1)
        passes = ~(values < element) if right else element < values
        searching = low < high
        low = np.where(searching & passes, middle + 1, low)
        high = np.where(searching & ~passes, middle, high)
    return low


def _search_kernel(sequence: Aval, values: Aval, right: bool) -> KernelCall:
    return KernelCall(
        "searchsorted",
        ("sequence", "values"),
        {
            "side": "right" if right else "left",
            "outer": math.prod(sequence.shape[:-1]),
            "n": sequence.shape[-1],
            "m": values.shape[-1],
        },
    )


def _search_samples(rng: np.random.Generator) -> list[Sample]:
    cases: list[tuple[Shape, Shape]] = [((9,), (5,)), ((3, 40), (3, 17)), ((1,), (3,))]
    drawn = [
        (np.sort(array(rng, s, d)), array(rng, v, d, -5, 5))
        for d in (dtypes.float32, dtypes.int32)
        for s, v in cases
    ]
    edges = [-np.inf, 1.0, 1.0, 2.0, np.inf]
    values = np.array([*edges, np.nan, -0.0], np.float32)
    drawn += [(np.array([*edges, *more], np.float32), values) for more in ([], [np.nan, np.nan])]
    return [(arrays, {"right": right}) for arrays in drawn for right in (False, True)]


searchsorted = register(
    Op(
        "searchsorted",
        "sorting",
        _search_infer,
        _search_ref,
        kernel=_search_kernel,
        params=("sorted_sequence", "values"),
        doc="First position at which a value can be inserted without changing the order, int32.",
        samples=_search_samples,
    )
)
