"""Checks of each op: the first NaN, infinity or index out of range raises an error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.base.source_locations import here, say
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.eager import Applied
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor import op_by_op

_KINDS = (("NaN", np.isnan), ("+inf", np.isposinf), ("-inf", np.isneginf))


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Raise an error as soon as an op produces NaN or infinity, or receives an out-of-range index.

    An op may pass on NaN or infinity from its inputs, such as an infinite mask, without an error.
    The error message names the line of the program that calls the op, and describes the inputs and
    the result.

    The checks are slow, because compiled functions run eagerly and each result is read back to
    Python. `tf.debugging.disable_check_numerics` ends the checks.

    Args:
        stack_height_limit: Has no effect.
        path_length_limit: Has no effect.

    Raises:
        tf.errors.InvalidArgumentError: If a later op produces NaN or infinity, or receives an
            out-of-range index.
        RuntimeError: If a later op runs on webgpu in a browser that cannot suspend Python (without
            JSPI).

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.enable_check_numerics()
        >>> tf.math.log([0.0, 1.0])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        tfpy.errors.InvalidArgumentError: log gave 1 -inf of 2 elements
        ...
        >>> tf.debugging.disable_check_numerics()

    See also: `tf.debugging.disable_check_numerics`, `tf.debugging.check_numerics`.
    """
    op_by_op.watch(_check)


def disable_check_numerics() -> None:
    """End the checks of `tf.debugging.enable_check_numerics`.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.enable_check_numerics()
        >>> tf.debugging.disable_check_numerics()
        >>> tf.math.log(tf.constant(-1.0)).numpy().tolist()  # not an error any more
        nan

    See also: `tf.debugging.enable_check_numerics`.
    """
    op_by_op.forget(_check)


def _check(applied: Applied) -> None:
    """Raise an error if an op has produced a new NaN or infinity."""
    _check_indices(applied)
    op, inputs, output = applied.op, applied.inputs, applied.output
    if not output.dtype.is_differentiable:
        return
    found = _not_finite(_values(output))
    if found and not found.keys() <= _before(inputs):
        line = here()
        names = (*op.params, *map(str, range(len(op.params), len(inputs))))
        shown = [f"input {name}: {_described(x)}" for name, x in zip(names, inputs, strict=False)]
        said = ", ".join(f"{count} {kind}" for kind, count in found.items())
        message = [
            f"{op.name} gave {said} of {output.size} elements",
            *([] if line is None else [str(line)]),
            f"output: {_described(output)}",
            *shown,
        ]
        error = InvalidArgumentError(None, op.name, "\n".join(message))
        say(error)
        raise error


def _check_indices(applied: Applied) -> None:
    """Check the indices of an op that a device has computed."""
    indexed = applied.op.indexed
    if indexed is None or not applied.on_device or not applied.output.size:
        return
    shapes = [x.aval.shape for x in applied.inputs]
    (eqn,) = applied.graph.eqns
    indexed.check(_values(applied.inputs[indexed.operand]), shapes, dict(eqn.attrs))


def _values(tensor: Tensor) -> Array:
    """Return the values of a tensor from the device.

    Raises:
        RuntimeError: If Python cannot wait for the device.
    """
    if not tensor.storage.is_readable:
        raise RuntimeError(
            "tf.debugging.enable_check_numerics reads each result immediately, and Python cannot "
            f"wait for {tensor.storage.place} here. Use another backend while you debug, for "
            'example with await tf.set_backend_async("wasm").'
        )
    return tensor.host_view()


def _not_finite(array: Array) -> dict[str, int]:
    """Count NaN and infinite elements by kind."""
    if np.isfinite(array).all():
        return {}
    parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
    counts = {kind: sum(int(test(p).sum()) for p in parts) for kind, test in _KINDS}
    return {kind: count for kind, count in counts.items() if count}


def _before(inputs: Sequence[Tensor]) -> set[str]:
    """Return the kinds that are not new in a result of these operands."""
    kinds = {kind for x in inputs if x.dtype.is_differentiable for kind in _not_finite(_values(x))}
    if kinds & {"NaN"}:
        return {kind for kind, _ in _KINDS}
    return {"+inf", "-inf"} if kinds else set()


def _described(tensor: Tensor) -> str:
    """Describe a tensor: dtype, shape and statistics."""
    head = f"{tensor.dtype.name}{list(tensor.shape)}"
    if not (tensor.dtype.is_numeric and tensor.size):
        return head
    array = _values(tensor)
    found = _not_finite(array) if tensor.dtype.is_differentiable else {}
    counted = [f"{count} {kind}" for kind, count in found.items()]
    finite = array[np.isfinite(array)] if found else array
    if finite.size and array.dtype.kind != "c":
        low, high = finite.min(), finite.max()
        mean = finite.mean(dtype=np.float64)
        counted.append(f"min {low:.6g}, max {high:.6g}, mean {mean:.6g}")
    return f"{head}: {'; '.join(counted)}"
