"""`tf.check_float16`: finds the first op that fails on a device that stores float16."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.backends import registry
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.backends.storage import Storage
from tfpy._src.base.source_locations import calling_line
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.core import nest
from tfpy._src.core.eager import Applied
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.functions.executor import op_by_op


@dataclass(frozen=True)
class Float16Check:
    """The result of `tf.check_float16`. As a condition, it is true if no problem was found.

    Example:
        >>> import tfpy as tf
        >>> found = tf.check_float16(lambda: tf.constant(300.0) * 300.0)
        >>> isinstance(found, tf.Float16Check), found.problem
        (True, 'overflow')

    See also: `tf.check_float16`.
    """

    problem: str
    """Kind of the problem, `"overflow"` or `"precision"`, or an empty string if there is none."""
    op: str
    """Name of the first op with the problem."""
    line: str
    """File, number and text of the line of the program that calls the op."""
    detail: str
    """Description of the problem."""
    error: float
    """Largest relative error of the function's results; infinite if only float16 overflows."""

    def __bool__(self) -> bool:
        """Return True if no problem was found."""
        return not self.problem

    def __str__(self) -> str:
        if not self.problem:
            return f"float16 is sufficient: the relative error of the results is {self.error:.2g}"
        return f"{self.problem} in {self.op}: {self.detail}\n  {self.line}"


def check_float16(
    f: Callable[..., Any], inputs: Nest = (), tolerance: float = 0.01
) -> Float16Check:
    """Run a function in float32 and in simulated float16, and find the first op that fails.

    Some phones do not have float32 textures, so the webgl backend stores tensors as float16. The
    flag `WEBGL_FORCE_F16_TEXTURES` forces this on any device. To simulate such a device, this
    function computes each op with NumPy and rounds the result to float16. A real device may be more
    accurate, because it can fuse ops without rounding the values between them.

    Args:
        f: Function that takes `inputs` and returns a tensor or a nested structure (list, tuple or
            dict) of tensors.
        inputs: Argument of `f`, or a list or tuple with the arguments. Default: no arguments.
        tolerance: Relative error (in the 2-norm) above which the result of an op is a problem.
            Default: 0.01.

    Returns:
        A `tf.Float16Check` with the attributes `problem`, `op`, `line`, `detail` and `error`. As a
        condition, it is true if no problem was found.

    Raises:
        Exception: Any exception that `f` raises.

    Example:
        >>> import tfpy as tf
        >>> found = tf.check_float16(lambda x: tf.exp(x) / 1e6, tf.constant([1.0, 12.0]))
        >>> found.problem, found.op
        ('overflow', 'exp')
        >>> found.detail
        '162755 is beyond 65504, the largest number of float16'
    """
    arguments = tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
    backend = _Storing16()
    watcher = _Watcher(tolerance)
    op_by_op.watch(watcher.see)
    try:
        with registry.running_on(backend):
            results = nest.flatten(f(*arguments), expand_composites=True)
            errors = [watcher.error_of(t) for t in results if isinstance(t, Tensor)]
    finally:
        op_by_op.forget(watcher.see)
    return Float16Check(*(watcher.found or ("", "", "", "")), max(errors, default=0.0))


class _Storing16(CpuBackend):
    """The cpu backend with the epsilons of a device that stores float16."""

    stores_float16 = True


class _Watcher:
    """An observer of ops that computes each op again on operands rounded to float16."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.found: tuple[str, str, str, str] | None = None
        """Problem, op, line and detail of the first op with a problem."""
        self._halves: dict[int, tuple[Storage, Array]] = {}

    def see(self, applied: Applied) -> None:
        """Compute an op again on rounded operands and compare the results."""
        (result,) = evaluate(applied.graph, [self._half(t) for t in applied.inputs])
        half, output = _rounded(result), applied.output
        self._halves[id(output.storage)] = output.storage, half
        if self.found is None and (wrong := self._wrong(output.host_view(), half)):
            self.found = (wrong[0], applied.op.name, calling_line(), wrong[1])

    def error_of(self, tensor: Tensor) -> float:
        """Return the relative error of a tensor against float32."""
        return _error(tensor.host_view(), self._half(tensor))

    def _half(self, tensor: Tensor) -> Array:
        """Return the value of a tensor on a device that stores float16."""
        known = self._halves.get(id(tensor.storage))
        if known is not None:
            return known[1].reshape(tensor.aval.shape)
        return _rounded(tensor.host_view())

    def _wrong(self, exact: Array, half: Array) -> tuple[str, str] | None:
        """Return the problem of a result and its description, or None."""
        if exact.dtype.kind not in "fc" or exact.size == 0:
            return None
        lost = np.isfinite(exact) & ~np.isfinite(half)
        if lost.any():
            value = exact[lost].flat[0]
            most = np.finfo(np.float16).max
            if abs(value) > most:
                text = f"{value:g} is beyond {most:g}, the largest number of float16"
            else:
                text = f"{value:g} became {half[lost].flat[0]:g}"
            return "overflow", text
        error = _error(exact, half)
        if error <= self.tolerance:
            return None
        worst = np.argmax(np.abs(exact - half))
        values = f"{exact.flat[worst]:g} became {half.flat[worst]:g}"
        return "precision", f"{values}; the relative error of the result is {error:.2g}"


def _rounded(array: Array) -> Array:
    """Round float32 and complex64 arrays to float16 and back."""
    if array.dtype not in (np.float32, np.complex64):
        return array
    with np.errstate(over="ignore"):
        parts = np.ascontiguousarray(array).view(np.float32).astype(np.float16).astype(np.float32)
    return parts.view(array.dtype).reshape(array.shape)


def _error(exact: Array, half: Array) -> float:
    """Return the distance of two arrays relative to the norm of the first, where it is finite."""
    if exact.dtype.kind not in "fc":
        return float(np.any(exact != half)) if exact.dtype.kind in "iub" else 0.0
    numbers = np.isfinite(exact)
    if not np.isfinite(half[numbers]).all():
        return float("inf")
    size = np.linalg.norm(exact[numbers].astype(np.complex128))
    distance = np.linalg.norm((exact[numbers] - half[numbers]).astype(np.complex128))
    return float(distance / size) if size else float(distance != 0)
