"""Operations that TensorFlow's shape functions accept and its kernels reject.

Composed functions call :func:`failing` for such an operation. An eager call raises at once. In a
trace it adds an equation of the known shape, which raises when it runs: in a branch that is not
taken, or in a loop without iterations, it never does.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import InvalidArgumentError, OpError
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.op import COMPILER, Op, register
from tfpy._src.compiler.ops.rules import zeros


def _error(error: type[OpError], name: str, message: str) -> OpError:
    return error(None, name, message)


def _infer(*avals: Aval, shape: Shape, dtype: DType, **attrs: Any) -> Aval:
    return Aval(shape, dtype)


def _ref(*arrays: Any, shape: Shape, dtype: DType, **attrs: Any) -> Any:
    raise _error(**attrs)


def _refuses(*avals: Aval, shape: Shape, dtype: DType, **attrs: Any) -> OpError:
    return _error(**attrs)


def _vjp(g: Any, y: Any, *inputs: Any, **attrs: Any) -> tuple[Any, ...]:
    return tuple(
        zeros(x.aval.shape, x.dtype) if x.dtype.is_differentiable else None for x in inputs
    )


fail = register(
    Op(
        "fail",
        COMPILER,
        _infer,
        _ref,
        _vjp,
        host_only="it raises an error",
        refuses=_refuses,
        doc="fail(*inputs, error, name, message, shape, dtype): raises the error when it runs.",
    )
)


refuse = register(dataclasses.replace(fail, name="refuse", stateful=True))
"""Variant of `fail` with an effect: it runs and fails even if its results are not used."""


def failing(
    name: str,
    message: str,
    inputs: tuple[Any, ...],
    shape: Any,
    dtype: DType,
    error: type[OpError] = InvalidArgumentError,
) -> Any:
    """Raise an error now, or in each run of the function that is being traced.

    Args:
        name, message: The operation and what is wrong with its operands.
        inputs: Tensors on which the result depends. Their gradients are zeros.
        shape, dtype: Shape and dtype of the result in a trace.
        error: TensorFlow's class of the error.
    """
    text = f"{name}: {message}"
    return fail(*inputs, error=error, name=name, message=text, shape=tuple(shape), dtype=dtype)
