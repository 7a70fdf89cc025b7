"""The reference evaluator, which runs a Graph with NumPy. It defines the semantics of the IR."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype, float16
from tfpy._src.base.errors import ResourceExhaustedError
from tfpy._src.base.source_locations import add_note
from tfpy._src.compiler.ir.aval import Array, Shape
from tfpy._src.compiler.ir.graph import Eqn, Graph, refusal
from tfpy._src.compiler.ir.kernels import Kernel
from tfpy._src.compiler.ir.op import Op


def evaluate(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    """Compute the outputs of `graph` for arrays of its inputs' shapes and dtypes.

    Raises:
        tf.errors.InvalidArgumentError: If an op receives values out of range.
        tf.errors.ResourceExhaustedError: If there is no memory for a result.
    """
    return Evaluator(graph)(inputs)


@dataclass(frozen=True, slots=True)
class _Step:
    """One equation of an Evaluator."""

    eqn: Eqn
    ref: Kernel
    """Function that computes the equation."""
    attrs: dict[str, Any]
    outputs: list[tuple[int, Any, Shape]]
    """Number, NumPy dtype and shape of each output."""
    dead: tuple[int, ...]
    """Values that no later equation reads."""
    overwritten: int | None
    """Dead value with memory that receives the result."""
    widened: bool
    """True if operands of low precision are converted to float32 first."""

    def run(self, values: dict[int, Array]) -> None:
        """Store the results.

        Raises:
            tf.errors.ResourceExhaustedError: If there is no memory for them.
        """
        try:
            self._compute(values)
        except MemoryError as failure:
            error = _no_memory(self.eqn.op, failure)
            add_note(error, self.eqn.line)
            raise error from None
        except Exception as error:
            add_note(error, self.eqn.line)
            raise

    def _compute(self, values: dict[int, Array]) -> None:
        attrs = self.attrs
        if self.overwritten is not None:
            attrs = {**attrs, "out": values[self.overwritten]}
        op = self.eqn.op
        given = map(values.__getitem__, self.eqn.inputs)
        result = self.ref(*(map(_wide, given) if self.widened else given), **attrs)
        results = result if op.multiple else (result,)
        for (output, dtype, shape), array in zip(self.outputs, results, strict=True):
            values[output] = np.asarray(array, dtype, order="C").reshape(shape)
        for value in self.dead:
            del values[value]


def function_of(graph: Graph) -> Callable[..., Array]:
    """Return the Graph of one eager op as a function of arrays."""
    (eqn,) = graph.eqns
    return _as_function(_step(graph, eqn, _kernel(graph, eqn, {}), (), set()))


class Evaluator:
    """A Graph prepared for many runs. The memory of each value is released after its last use.

    Args:
        kernels: Functions by op name that replace the references of the records.
    """

    def __init__(self, graph: Graph, kernels: Mapping[str, Kernel] = MappingProxyType({})) -> None:
        self._graph = graph
        last = {value: n for n, eqn in enumerate(graph.eqns) for value in eqn.inputs}
        last.update(dict.fromkeys(graph.outputs, len(graph.eqns)))
        dead: list[list[int]] = [[] for _ in range(len(graph.eqns) + 1)]
        for value, number in last.items():
            dead[number].append(value)
        self._only: Callable[..., Array] | None = None
        refs = [_kernel(graph, eqn, kernels) for eqn in graph.eqns]
        own = _own_memory(graph, refs)
        self._steps = [
            _step(graph, eqn, ref, tuple(values), own)
            for eqn, ref, values in zip(graph.eqns, refs, dead, strict=False)
        ]
        if len(graph.eqns) == 1 and _is_whole(graph, graph.eqns[0]):
            self._only = _as_function(self._steps[0])

    def __call__(
        self, inputs: Sequence[Array], times: list[tuple[str, float]] | None = None
    ) -> list[Array]:
        """Run the Graph; see :func:`evaluate`.

        Args:
            times: List to which the op's name and the milliseconds of each equation are appended.
        """
        if self._only is not None and times is None:
            try:
                return [self._only(*inputs)]
            except Exception as error:
                add_note(error, self._graph.eqns[0].line)
                raise
        values = self._given(inputs)
        with np.errstate(all="ignore"):
            if times is None:
                for step in self._steps:
                    step.run(values)
            else:
                self._run_timed(self._steps, values, times)
        return self._results(values)

    def slices(
        self, inputs: Sequence[Array], times: list[tuple[str, float]] | None = None
    ) -> Generator[None, float, list[Array]]:
        """Run the Graph in slices.

        Each slice receives its duration in seconds by `send`, and computes one equation at least.
        """
        values = self._given(inputs)
        until = perf_counter() + (yield)
        for step in self._steps:
            if perf_counter() >= until:
                until = perf_counter() + (yield)
            with np.errstate(all="ignore"):
                if times is None:
                    step.run(values)
                else:
                    self._run_timed([step], values, times)
        return self._results(values)

    def _given(self, inputs: Sequence[Array]) -> dict[int, Array]:
        """Return the values that are known before the first equation."""
        values: dict[int, Array] = dict(self._graph.constants)
        values.update(zip(self._graph.inputs, inputs, strict=True))
        return values

    def _results(self, values: dict[int, Array]) -> list[Array]:
        return list(map(values.__getitem__, self._graph.outputs))

    def _run_timed(
        self, steps: Sequence[_Step], values: dict[int, Array], times: list[tuple[str, float]]
    ) -> None:
        for step in steps:
            began = perf_counter()
            step.run(values)
            times.append((step.eqn.op.name, (perf_counter() - began) * 1e3))


def _kernel(graph: Graph, eqn: Eqn, kernels: Mapping[str, Kernel]) -> Kernel:
    """Return the function that computes an equation, or one that raises its error."""
    if refusal(graph, eqn) is None:
        return kernels.get(eqn.op.name, eqn.op.ref)

    def refuse(*arrays: Array, **attrs: Any) -> NoReturn:
        error = refusal(graph, eqn)
        assert error is not None
        raise error

    return refuse


def _no_memory(op: Op, error: MemoryError) -> ResourceExhaustedError:
    return ResourceExhaustedError(None, op.name, f"{op.name}: {error}")


def _is_whole(graph: Graph, eqn: Eqn) -> bool:
    """Return True if the Graph is one equation applied to its inputs, as for an eager op."""
    return (
        (*graph.inputs,) == eqn.inputs and (*graph.outputs,) == eqn.outputs and not eqn.op.multiple
    )


_quiet = contextvars.copy_context()
"""Context in which NumPy does not warn. `np.errstate` would take twice as long."""
_quiet.run(np.seterr, all="ignore")


def _as_function(step: _Step) -> Callable[..., Array]:
    """Return the only equation of a Graph as a function of arrays.

    For an eager op on a few numbers, the overhead around NumPy dominates.
    """
    op, ref, attrs, widened = step.eqn.op, step.ref, step.attrs, step.widened
    ((_, dtype, shape),) = step.outputs

    def universal(*arrays: Array) -> Array:
        try:
            return np.asarray(_quiet.copy().run(ref, *arrays), dtype, order="C")
        except MemoryError as error:
            raise _no_memory(op, error) from None

    def computed(*arrays: Array) -> Array:
        given = map(_wide, arrays) if widened else arrays
        return np.asarray(ref(*given, **attrs), dtype, order="C").reshape(shape)

    def other(*arrays: Array) -> Array:
        try:
            return _quiet.copy().run(computed, *arrays)
        except MemoryError as error:
            raise _no_memory(op, error) from None

    return universal if isinstance(ref, np.ufunc) and not widened else other


def _step(graph: Graph, eqn: Eqn, ref: Kernel, dead: tuple[int, ...], own: set[int]) -> _Step:
    avals = [graph.avals[v] for v in eqn.outputs]
    overwritten = None
    widened = any(_is_wide_in(eqn.op, graph.avals[v].dtype) for v in eqn.inputs)
    if isinstance(ref, np.ufunc) and not widened:
        same = (v for v in dead if v in own and graph.avals[v] == avals[0])
        overwritten = next(same, None)
    outputs = [
        (v, aval.dtype.as_numpy_dtype, aval.shape)
        for v, aval in zip(eqn.outputs, avals, strict=True)
    ]
    return _Step(eqn, ref, dict(eqn.attrs), outputs, dead, overwritten, widened)


def _is_wide_in(op: Op, dtype: DType) -> bool:
    """Return True if an op computes this dtype in float32 and rounds the result."""
    if op.by_bits:
        return False
    return dtype.is_extension or (dtype == float16 and op.family != "movement")


def _wide(array: Array) -> Array:
    """Convert numbers of low precision to float32, which represents them exactly."""
    dtype = as_dtype(array.dtype)
    return array.astype(np.float32) if dtype.is_extension or dtype == float16 else array


def _own_memory(graph: Graph, refs: Sequence[Kernel]) -> set[int]:
    """Return the values whose arrays own their memory and may be overwritten.

    Universal functions create them and are their only readers, because these never return views.
    """
    computed = list(zip(graph.eqns, refs, strict=True))
    own = {eqn.outputs[0] for eqn, ref in computed if isinstance(ref, np.ufunc)}
    own.difference_update(graph.outputs)
    for eqn, ref in computed:
        if not isinstance(ref, np.ufunc):
            own.difference_update(eqn.inputs)
    return own
