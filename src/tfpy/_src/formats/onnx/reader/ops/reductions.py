"""Reductions along axes, ArgMax and ArgMin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import (
    all_positive,
    ints,
    is_host,
    positive,
    shape_of,
    tensor,
)
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.math.ordering import argmax, argmin
from tfpy._src.tensors.math.reductions import (
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)

Reduction = Callable[..., Any]


def _max(x: Any, axis: Any, keepdims: bool) -> Any:
    return (reduce_any if x.dtype.is_bool else reduce_max)(x, axis, keepdims)


def _min(x: Any, axis: Any, keepdims: bool) -> Any:
    return (reduce_all if x.dtype.is_bool else reduce_min)(x, axis, keepdims)


_REDUCTIONS: dict[str, tuple[Reduction, Callable[[Tensor], Any] | None]] = {
    "ReduceL1": (lambda x, a, k: reduce_sum(p.abs(x), a, k), p.abs),
    "ReduceL2": (lambda x, a, k: p.sqrt(reduce_sum(p.square(x), a, k)), p.abs),
    "ReduceLogSum": (lambda x, a, k: p.log(reduce_sum(x, a, k)), p.log),
    "ReduceLogSumExp": (reduce_logsumexp, None),
    "ReduceMax": (_max, None),
    "ReduceMean": (reduce_mean, None),
    "ReduceMin": (_min, None),
    "ReduceProd": (reduce_prod, None),
    "ReduceSum": (reduce_sum, None),
    "ReduceSumSquare": (lambda x, a, k: reduce_sum(p.square(x), a, k), p.square),
}
"""Reduction by name, with the function for elements if no axis is reduced (None: identity)."""
_HOST: dict[str, Callable[..., Any]] = {
    "ReduceProd": np.prod,
    "ReduceSum": np.sum,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
}
_INPUT_SINCE = {"ReduceSum": 13}  # version with axes as an input; 18 for the others


def _reduced(name: str, data: Any, axes: Ints | None, keepdims: int, noop: int) -> Any:
    function, alone = _REDUCTIONS[name]
    if not axes:
        if noop:
            return alone(tensor(data)) if alone else data
        axes = tuple(range(len(shape_of(data))))
    axes = all_positive(axes, len(shape_of(data)), name)
    if is_host(data) and name in _HOST and (data.size or name in ("ReduceProd", "ReduceSum")):
        made = _HOST[name](data, axis=axes, keepdims=bool(keepdims))
        return np.asarray(made, data.dtype)
    return function(tensor(data), axes, bool(keepdims))


def _entered(name: str) -> None:
    @operation(name, since=_INPUT_SINCE.get(name, 18))
    def with_input(
        data: Any, axes: Array | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Any:
        chosen = None if axes is None else ints(axes)
        return _reduced(name, data, chosen, keepdims, noop_with_empty_axes)

    @operation(name)
    def with_attribute(data: Any, *, axes: Ints | None = None, keepdims: int = 1) -> Any:
        return _reduced(name, data, axes, keepdims, 0)


for _name in _REDUCTIONS:
    _entered(_name)


def _arg(function: Any, x: Tensor, axis: int, keepdims: int, last: int) -> Any:
    axis = positive(axis, x.ndim, "ArgMax")
    found = function(reverse(x, [axis]) if last else x, axis)
    if last:
        found = shape_of(x)[axis] - 1 - found
    return expand_dims(found, axis) if keepdims else found


@operation("ArgMax")
def arg_max(data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Any:
    return _arg(argmax, data, axis, keepdims, select_last_index)


@operation("ArgMin")
def arg_min(data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Any:
    return _arg(argmin, data, axis, keepdims, select_last_index)
