"""Python functions that run inside compiled functions: `tf.py_function`, prints, assertions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import (
    InvalidArgumentError,
    NotTraceableError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.op import register
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.nest import flatten, pack_sequence_as
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.core.typing import DTypeLike, Nest, TensorLike
from tfpy._src.functions.executor.control_op import ControlOp, carries_gradient, scattered
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.autodiff.unconnected import UnconnectedGradients
from tfpy._src.tensors.variables.variable import Variable

Function = Callable[..., Any]
ResultType: TypeAlias = DTypeLike | TypeSpec | Sequence[DTypeLike | TypeSpec] | None

_RAISED: tuple[tuple[tuple[type[Exception], ...], type[OpError]], ...] = (
    ((ValueError, TypeError), InvalidArgumentError),
    ((StopIteration,), OutOfRangeError),
    ((MemoryError,), ResourceExhaustedError),
    ((NotImplementedError,), UnimplementedError),
    ((Exception,), UnknownError),
)
"""TensorFlow's error class for each class of Python exceptions."""


def _execute(*tensors: Tensor, function: Function, avals: tuple[Aval, ...]) -> list[Tensor]:
    with tracing.init_scope():
        return list(function(*tensors))


def _ref(*arrays: Any, function: Function, avals: tuple[Aval, ...]) -> tuple[Any, ...]:
    tensors = [convert_to_tensor(a) for a in arrays]
    return tuple(np.asarray(t) for t in _execute(*tensors, function=function, avals=avals))


def _gradient(
    flowing: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    function: Function,
    avals: tuple[Aval, ...],
) -> Sequence[Tensor | None]:
    """Call the function again under a tape."""
    wanted = [i for i, x in enumerate(inputs) if carries_gradient(x)]
    flows = [i for i, g in enumerate(flowing) if g is not None]
    count = len(inputs)

    def backward(*values: Tensor) -> list[Tensor]:
        given, seeds = [v.alias() for v in values[:count]], list(values[count:])
        with GradientTape() as tape:
            tape.watch([given[i] for i in wanted])
            results = list(function(*given))
        targets, sources = [results[i] for i in flows], [given[i] for i in wanted]
        return list(tape.gradient(targets, sources, seeds, UnconnectedGradients.ZERO))

    seeds = [g for g in flowing if g is not None]
    found = host_call.apply(
        [*inputs, *seeds], function=backward, avals=tuple(inputs[i].aval for i in wanted)
    )
    return scattered(len(inputs), wanted, found)


host_call = register(
    ControlOp(
        "host_call",
        "control",
        lambda *_, function, avals: avals,
        _ref,
        multiple=True,
        stateful=True,
        execute=_execute,
        gradient=_gradient,
        doc="host_call(*inputs, function, avals): the results of a Python function.",
    )
)


def effect(function: Function, *args: Any) -> bool:
    """Call `function(*args)` at each run of the function that is being traced.

    Returns:
        False if no function is being traced. The caller then calls `function` itself.
    """
    if not tracing.local.active:
        return False
    leaves = flatten(args)
    structure = pack_sequence_as(args, [None] * len(leaves))
    places = [i for i, x in enumerate(leaves) if isinstance(x, Tensor | Variable)]
    tensors = [convert_to_tensor(leaves[i]) for i in places]
    for i in places:
        leaves[i] = None  # the equation must not keep the trace alive

    def call(*values: Tensor) -> list[Tensor]:
        given = list(leaves)
        for i, value in zip(places, values, strict=True):
            given[i] = value
        function(*pack_sequence_as(structure, given))
        return []

    host_call.apply(tensors, function=call, avals=())
    return True


def py_function(
    func: Function | None = None,
    inp: Sequence[TensorLike] | None = None,
    Tout: ResultType = None,  # noqa: N803 - TensorFlow's name
    name: str | None = None,
) -> Nest:
    """Call a Python function, which can read the values of tensors even in a `tf.function`.

    In a `tf.function`, `func` is called on each call instead of being traced. Gradients flow
    through the TensorFlow ops in `func`.

    Args:
        func: Function that takes tensors. If None, return a decorator, as in
            `@tf.py_function(Tout=tf.float32)`.
        inp: List of tensors to pass to `func`.
        Tout: Dtype of the result, or a list of dtypes for several results; an empty list if there
            is none. Use a `tf.TensorSpec` to specify the shape too. If a shape is not specified in
            a `tf.function`, `func` is also called once with zeros during tracing to determine it.

    Returns:
        The result of `func` as a tensor, or a list of tensors if `Tout` is a list.

    Raises:
        TypeError: If `Tout` is missing, or `inp` is missing although `func` is passed.
        tf.errors.InvalidArgumentError: If a result does not have the specified dtype or shape, or
            if `func` raises ValueError or TypeError.
        tf.errors.OutOfRangeError: If `func` raises StopIteration.
        tf.errors.ResourceExhaustedError: If `func` raises MemoryError.
        tf.errors.UnimplementedError: If `func` raises NotImplementedError.
        tf.errors.UnknownError: If `func` raises any other exception. The original exception is the
            cause.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def doubled(x):
        ...     return tf.py_function(lambda t: t * int(t.numpy()), [x], Tout=tf.int32)
        >>> doubled(tf.constant(4)).numpy().tolist()
        16

    See also: `tf.numpy_function`.
    """
    _check_passed("py_function", func, inp, Tout)
    if func is None:
        return functools.partial(_decorated, py_function, Tout)
    specs = list(Tout) if isinstance(Tout, list | tuple) else [Tout]

    def function(*tensors: Tensor) -> list[Tensor]:
        with _told():
            result = func(*tensors)
        return _results(result, specs)

    return _call(function, list(inp or []), specs, isinstance(Tout, list | tuple))


def numpy_function(
    func: Function | None = None,
    inp: Sequence[TensorLike] | None = None,
    Tout: ResultType = None,  # noqa: N803
    stateful: bool = True,
    name: str | None = None,
) -> Nest:
    """Call a Python function with NumPy arrays, even in a `tf.function`.

    In a `tf.function`, `func` is called on each call instead of being traced. No gradients flow
    through `func`.

    Args:
        func: Function that takes NumPy arrays. If None, return a decorator.
        inp: List of tensors to pass to `func` as arrays.
        Tout: Dtype of the result, or a list of dtypes for several results; an empty list if there
            is none. Use a `tf.TensorSpec` to specify the shape too. If a shape is not specified in
            a `tf.function`, `func` is also called once with zeros during tracing to determine it.
        stateful: Has no effect.

    Returns:
        The result of `func` as a tensor, or a list of tensors if `Tout` is a list.

    Raises:
        TypeError: If `Tout` is missing, or `inp` is missing although `func` is passed.
        tf.errors.InvalidArgumentError: If a result does not have the specified dtype or shape. In a
            `tf.function`, exceptions of `func` are converted as by `tf.py_function`; elsewhere
            they are raised unchanged.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> @tf.function
        ... def middle(x):
        ...     return tf.numpy_function(np.median, [x], tf.float64)
        >>> middle(np.array([1.0, 9.0, 2.0])).numpy().tolist()
        2.0

    See also: `tf.py_function`.
    """
    _check_passed("numpy_function", func, inp, Tout)
    if func is None:
        return functools.partial(_decorated, numpy_function, Tout)
    specs = list(Tout) if isinstance(Tout, list | tuple) else [Tout]

    def function(*tensors: Tensor) -> list[Tensor]:
        return _results(func(*(np.asarray(t) for t in tensors)), specs)

    def told(*tensors: Tensor) -> list[Tensor]:
        with _told():
            return function(*tensors)

    tensors = [convert_to_tensor(x) for x in inp or []]
    called = told if _within_trace(tensors) else function
    return _call(called, tensors, specs, isinstance(Tout, list | tuple))


def _check_passed(name: str, func: Function | None, inp: Any, output_types: ResultType) -> None:
    if output_types is None:
        raise TypeError(
            f"tf.{name}: the argument `Tout` is missing. Pass the dtype of the result; in a "
            f"decorator, pass it by name, as in @tf.{name}(Tout=tf.float32)"
        )
    if func is not None and inp is None:
        raise TypeError(
            f"tf.{name}: the argument `inp` is missing. Pass the list of the function's arguments, "
            "which may be empty"
        )


@contextmanager
def _told() -> Iterator[None]:
    """Raise exceptions of Python functions as TensorFlow's classes, with the original as cause."""
    try:
        yield
    except Exception as error:
        kind = next(kind for classes, kind in _RAISED if isinstance(error, classes))
        raise kind(None, "py_function", f"{type(error).__name__}: {error}") from error


def _decorated(call: Function, Tout: Any, func: Function) -> Function:  # noqa: N803
    """Return a function that calls `py_function` or `numpy_function`."""

    @functools.wraps(func)
    def called(*args: Any) -> Any:
        return call(func, args, Tout)

    return called


def _results(result: Any, specs: Sequence[Any]) -> list[Tensor]:
    values = [] if not specs else [result] if len(specs) == 1 else list(result)
    if len(specs) == 1 and isinstance(result, list | tuple) and len(result) == 1:
        values = list(result)
    if len(values) != len(specs):
        raise InvalidArgumentError(
            None, "py_function", f"py_function: Tout has {len(specs)} entries, got {len(values)}"
        )
    return [_result(v, s) for v, s in zip(values, specs, strict=True)]


def _result(value: Any, spec: Any) -> Tensor:
    dtype = as_dtype(getattr(spec, "dtype", spec))
    if is_operand(value) or not dtype.is_numeric:
        tensor = convert_to_tensor(value)
    else:
        tensor = convert_to_tensor(np.asarray(value).astype(dtype.as_numpy_dtype))
    if tensor.dtype != dtype:
        raise InvalidArgumentError(
            None,
            "py_function",
            f"py_function: expected dtype {dtype.name}, but the function returned "
            f"{tensor.dtype.name}",
        )
    return tensor


def _within_trace(tensors: Sequence[Tensor]) -> bool:
    return any(map(is_symbolic, tensors)) or bool(tracing.local.active)


def _call(function: Function, inputs: list[Any], specs: Sequence[Any], listed: bool) -> Any:
    tensors = [convert_to_tensor(x) for x in inputs]
    if _within_trace(tensors):
        avals = _avals(function, tensors, specs)
        found = host_call.apply(tensors, function=_checked(function, avals), avals=avals)
    else:
        with tracing.init_scope():
            found = function(*tensors)
    return found if listed else found[0]


def on_host(function: Function, inputs: Sequence[Tensor], avals: Sequence[Aval]) -> list[Tensor]:
    """Return the results of a function of tensors, which have these avals.

    While a function is traced, call it at each run.
    """
    if not tracing.local.active:
        return list(function(*inputs))
    return host_call.apply(inputs, function=function, avals=tuple(avals))


def _avals(function: Function, inputs: Sequence[Tensor], specs: Sequence[Any]) -> tuple[Aval, ...]:
    if all(getattr(s, "shape", None) is not None and s.is_static for s in specs):
        return tuple(Aval(tuple(s.shape), as_dtype(s.dtype)) for s in specs)
    if not tracing.local.guesses:
        raise NotTraceableError(
            "the shapes of a Python function's results are unknown; pass tf.TensorSpec as Tout"
        )
    with tracing.init_scope():
        return tuple(t.aval for t in function(*map(_blank, inputs)))


def _blank(tensor: Tensor) -> Tensor:
    """Return a tensor of zeros or empty strings."""
    if tensor.dtype == dtypes.string:
        return convert_to_tensor(np.full(tensor.aval.shape, b"", object))
    return convert_to_tensor(np.zeros(tensor.aval.shape, tensor.dtype.as_numpy_dtype))


def _checked(function: Function, avals: tuple[Aval, ...]) -> Function:
    def checked(*tensors: Tensor) -> list[Tensor]:
        results: list[Tensor] = function(*tensors)
        for result, aval in zip(results, avals, strict=True):
            if result.aval.closed != aval.closed:
                raise InvalidArgumentError(
                    None,
                    "py_function",
                    f"py_function: the function returned {result.aval}, but was traced for {aval}; "
                    "pass a static tf.TensorSpec as Tout, or call it outside of tf.function",
                )
        return results

    return checked
