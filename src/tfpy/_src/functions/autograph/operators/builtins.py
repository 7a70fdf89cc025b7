"""Python's built-in functions, extended to symbolic tensors."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from tfpy._src.base.dtypes import as_dtype, float32, int32
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.mapping import map_fn
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.sorting import argsort, sort
from tfpy._src.tensors.math import reductions


class LazyRange:
    """The numbers of a `tf.range` over which a loop iterates, without the tensor of all numbers."""

    def __init__(self, first: Tensor, limit: Any, delta: Any) -> None:
        self.first, self.limit, self.delta = first, limit, delta

    @classmethod
    def of(cls, start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None) -> LazyRange:
        """Return the range for the arguments of `tf.range`."""
        if limit is None:
            start, limit = 0, start
        if dtype is not None:
            start, limit, delta = (cast(x, dtype) for x in (start, limit, delta))
        first, last, step = _of_one_dtype(start, limit, delta)
        if first.dtype.is_bool:
            raise invalid("range", "start, limit and delta must be numbers")
        return cls(first, last, step)

    def holds(self, number: Any) -> Any:
        """Return a bool tensor: True if a number is within the range."""
        step = convert_to_tensor(self.delta)
        if is_symbolic(step):
            up = logic.logical_and(logic.greater(step, 0), logic.less(number, self.limit))
            down = logic.logical_and(logic.less(step, 0), logic.greater(number, self.limit))
            return logic.logical_or(up, down)
        if step.numpy() == 0:
            raise invalid("range", "Requires delta != 0")
        return (
            logic.less(number, self.limit)
            if step.numpy() > 0
            else logic.greater(number, self.limit)
        )


def _of_one_dtype(*values: Any) -> list[Tensor]:
    tensors = [convert_to_tensor(v) for v in values]
    for x in tensors:
        if x.aval.shape != ():
            raise ValueError(f"range: start, limit and delta must be scalars, got shape {x.shape}")
    floats = [x.dtype for x in tensors if x.dtype.is_floating]
    return [cast(x, floats[0]) for x in tensors] if floats else list(as_tensors(ew.add, tensors))


def _range(*args: Any) -> Any:
    if any(map(is_symbolic, args)):
        return LazyRange.of(*args)
    return builtins.range(*args)


def _int(*args: Any) -> Any:
    return cast(args[0], int32) if args and is_symbolic(args[0]) else builtins.int(*args)


def _float(*args: Any) -> Any:
    return cast(args[0], float32) if args and is_symbolic(args[0]) else builtins.float(*args)


def _bool(*args: Any) -> Any:
    return cast(args[0], as_dtype("bool")) if args and is_symbolic(args[0]) else bool(*args)


def _reducing(
    function: Callable[..., Any], reduce: Callable[..., Any], pair: Callable[..., Any] | None
) -> Callable[..., Any]:
    def reduced(*args: Any, **options: Any) -> Any:
        if options or not any(map(is_symbolic, args)):
            return function(*args, **options)
        if len(args) == 1:
            if args[0].ndim != 1:
                raise ValueError(f"{function.__name__}: only tensors of rank 1 can be iterated")
            return reduce(args[0])
        if pair is None:
            return function(*args)  # raises the error for the number of arguments
        return functools.reduce(pair, args)

    return reduced


def _sorted(*args: Any, **options: Any) -> Any:
    """Sort a tensor's elements. As in TensorFlow, `key` is applied to each element by `map_fn`."""
    if not args or not is_symbolic(args[0]):
        return sorted(*args, **options)
    values = convert_to_tensor(args[0])
    if values.ndim != 1:
        raise ValueError(f"sorted: only tensors of rank 1 can be sorted, got {values.shape}")
    direction = "DESCENDING" if options.get("reverse") else "ASCENDING"
    if options.get("key") is None:
        return sort(values, direction=direction)
    return take(values, argsort(map_fn(options["key"], values), direction=direction, stable=True))


BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.range: _range,
    builtins.int: _int,
    builtins.float: _float,
    builtins.bool: _bool,
    builtins.max: _reducing(max, reductions.reduce_max, ew.maximum),
    builtins.min: _reducing(min, reductions.reduce_min, ew.minimum),
    builtins.sum: _reducing(sum, reductions.reduce_sum, lambda total, start: total + start),
    builtins.any: _reducing(any, reductions.reduce_any, None),
    builtins.sorted: _sorted,
    builtins.all: _reducing(all, reductions.reduce_all, None),
}
"""Functions that converted code calls in place of built-in functions."""
