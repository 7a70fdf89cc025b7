"""``tf.check_float16``: where a function would go wrong on a device that stores float16."""

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
from tfpy._src.functions.executor import op_by_op


@dataclass(frozen=True)
class Float16Check:
    """What :func:`check_float16` found.

    Example:
        >>> import tfpy as tf
        >>> found = tf.check_float16(lambda: tf.constant(300.0) * 300.0)
        >>> isinstance(found, tf.Float16Check), found.problem
        (True, 'overflow')
    """

    problem: str
    """"overflow", "precision", or nothing."""
    op: str
    """The first op that has it."""
    line: str
    """Where the program calls that: ``file:number: text``."""
    detail: str
    """What became of its result."""
    error: float
    """How far the function's results are from those in float32, of their size; infinite where they
    are no numbers."""

    def __bool__(self) -> bool:
        """Whether nothing went wrong."""
        return not self.problem

    def __str__(self) -> str:
        if not self.problem:
            return f"float16 does: its results differ by {self.error:.2g} of their size"
        return f"{self.problem} in {self.op}: {self.detail}\n  {self.line}"


def check_float16(f: Callable[..., Any], inputs: Any = (), tolerance: float = 0.01) -> Float16Check:
    """Runs a function in float32 and as a device does that stores float16, and compares.

    Phones without float32 textures are such devices (``WEBGL_FORCE_F16_TEXTURES`` makes one of
    any). After each op its result is rounded to float16 once; compiled functions run op by op, so
    where a device fuses ops it may do better. NumPy computes both.

    Args:
        f: takes the inputs, and gives tensors or a nest of them.
        inputs: its arguments, in a list or tuple if there are several.
        tolerance: how far the result of an op may be from that in float32, of its size (the root
            of the mean square), before it counts as lost.

    Returns:
        A :class:`tf.Float16Check`, which is true if nothing went wrong: ``problem``, ``op``,
        ``line``, ``detail``, ``error``.

    Raises:
        What the function raises.

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
    """NumPy with the epsilons of a device that stores float16."""

    stores_float16 = True


class _Watcher:
    """Told of each op, computes it on what float16 has left of its operands."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.found: tuple[str, str, str, str] | None = None
        """Problem, op, line and detail of the first op that has one."""
        self._halves: dict[int, tuple[Storage, Array]] = {}

    def see(self, applied: Applied) -> None:
        """Computes an op that has run, and compares."""
        (result,) = evaluate(applied.graph, [self._half(t) for t in applied.inputs])
        half, output = _rounded(result), applied.output
        self._halves[id(output.storage)] = output.storage, half
        if self.found is None and (wrong := self._wrong(output.host_view(), half)):
            self.found = (wrong[0], applied.op.name, calling_line(), wrong[1])

    def error_of(self, tensor: Tensor) -> float:
        """How far a tensor is from its value in float32."""
        return _error(tensor.host_view(), self._half(tensor))

    def _half(self, tensor: Tensor) -> Array:
        known = self._halves.get(id(tensor.storage))
        if known is not None:
            return known[1].reshape(tensor.aval.shape)
        return _rounded(tensor.host_view())

    def _wrong(self, exact: Array, half: Array) -> tuple[str, str] | None:
        """What is wrong with a result, and how."""
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
        return "precision", f"{values}; all of it is off by {error:.2g} of its size"


def _rounded(array: Array) -> Array:
    """Floats that went through float16."""
    if array.dtype not in (np.float32, np.complex64):
        return array
    with np.errstate(over="ignore"):
        parts = np.ascontiguousarray(array).view(np.float32).astype(np.float16).astype(np.float32)
    return parts.view(array.dtype).reshape(array.shape)


def _error(exact: Array, half: Array) -> float:
    """The distance of two arrays, of the first one's size, where that is a number."""
    if exact.dtype.kind not in "fc":
        return float(np.any(exact != half)) if exact.dtype.kind in "iub" else 0.0
    numbers = np.isfinite(exact)
    if not np.isfinite(half[numbers]).all():
        return float("inf")
    size = np.linalg.norm(exact[numbers].astype(np.complex128))
    distance = np.linalg.norm((exact[numbers] - half[numbers]).astype(np.complex128))
    return float(distance / size) if size else float(distance != 0)
