"""A recording: what happened from its start to its stop, on the host and on the device."""

from __future__ import annotations

from typing import NamedTuple

from tfpy._src.backends import registry
from tfpy._src.backends.interface import KernelTimes
from tfpy._src.backends.javascript import bridge
from tfpy._src.backends.storage import statistics
from tfpy._src.backends.timing import start_timing, stop_timing, stop_timing_now
from tfpy._src.base import profiler_spans
from tfpy._src.base.profiler_spans import Span, clock
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core import eager
from tfpy._src.core.eager import Applied
from tfpy._src.core.lifetimes import live_tensors


class GraphRun(NamedTuple):
    """A Graph that was run: an op's, or a part of a compiled function."""

    graph: Graph
    repeats: int
    """How often, one run after the other."""
    on_device: bool
    is_op: bool
    began: float
    ended: float
    total_bytes: int
    """Of all tensors, afterwards."""
    total_tensors: int


class Recording:
    """What happens on the active backend, and in Python, from :meth:`start` to :meth:`stop`.

    Args:
        times_kernels: whether each kernel is timed, which costs some microseconds for each.
    """

    def __init__(self, times_kernels: bool = True) -> None:
        self.backend = registry.active_backend()
        self.times_kernels = times_kernels
        self.spans: list[Span] = []
        self.runs: list[GraphRun] = []
        self.times = KernelTimes(None, "kernels were not timed")
        self.began = self.ended = 0.0
        self.bytes_before = self.tensors_before = 0

    async def start(self) -> None:
        """Begins, when the device has done what it was given before.

        Raises:
            RuntimeError: when kernels are being timed already.
        """
        await self.backend.finish()
        self._begin()

    def start_now(self) -> None:
        """The same in code that cannot await."""
        if bridge.can_wait():
            bridge.wait(self.backend.finish(), "")
        self._begin()

    def _begin(self) -> None:
        if self.times_kernels:
            start_timing(self.backend)
        self.backend.collect()
        self.bytes_before, self.tensors_before = statistics.nbytes, live_tensors()
        profiler_spans.recorders.append(self._on_span)
        eager.observers.append(self._on_op)
        self.began = clock()

    async def stop(self) -> None:
        """Ends, when the device has done what it was given."""
        began = clock()
        try:
            await self.backend.finish()
            profiler_spans.note("wait", f"until {self.backend.name} has finished", began)
        finally:
            self._end()
            if self.times_kernels:
                self.times = await stop_timing(self.backend)

    def stop_now(self) -> None:
        """The same in code that cannot await: what the device has not done by now may lack."""
        self._end()
        if self.times_kernels:
            self.times = stop_timing_now(self.backend)

    def _end(self) -> None:
        self.ended = clock()
        profiler_spans.recorders.remove(self._on_span)
        eager.observers.remove(self._on_op)

    def _on_span(self, span: Span) -> None:
        self.spans.append(span)
        if span.kind == "run" and span.facts["backend"] is self.backend:
            self._note(span.facts["graph"], span.facts["count"], True, False, span.began)

    def _on_op(self, applied: Applied) -> None:
        profiler_spans.note("op", applied.op.name, applied.began)
        self._note(applied.graph, 1, applied.on_device, True, applied.began)

    def _note(self, graph: Graph, count: int, on_device: bool, is_op: bool, began: float) -> None:
        nbytes, tensors = statistics.nbytes, live_tensors()
        self.runs.append(GraphRun(graph, count, on_device, is_op, began, clock(), nbytes, tensors))
