"""A recording of the activity of the host and the device."""

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
    """A run of a Graph: an op, or a part of a compiled function."""

    graph: Graph
    repeats: int
    """Number of consecutive runs."""
    on_device: bool
    is_op: bool
    began: float
    ended: float
    total_bytes: int
    """Bytes of all tensors after the run."""
    total_tensors: int


class Recording:
    """The activity of Python and of the active backend between `start` and `stop`.

    Args:
        times_kernels: If True, time each kernel, which costs some microseconds per kernel.
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
        """Wait until the device has finished previous work, and start recording.

        Raises:
            RuntimeError: If kernels are already being timed.
        """
        await self.backend.finish()
        self._begin()

    def start_now(self) -> None:
        """Start recording in code that cannot await."""
        if bridge.can_wait():
            bridge.wait(self.backend.finish(), "")
        self._begin()

    def _begin(self) -> None:
        """Start recording."""
        if self.times_kernels:
            start_timing(self.backend)
        self.backend.collect()
        self.bytes_before, self.tensors_before = statistics.nbytes, live_tensors()
        profiler_spans.recorders.append(self._on_span)
        eager.observers.append(self._on_op)
        self.began = clock()

    async def stop(self) -> None:
        """Wait until the device has finished, and stop recording."""
        began = clock()
        try:
            await self.backend.finish()
            profiler_spans.note("wait", f"until {self.backend.name} has finished", began)
        finally:
            self._end()
            if self.times_kernels:
                self.times = await stop_timing(self.backend)

    def stop_now(self) -> None:
        """Stop recording in code that cannot await.

        Kernels that the device has not finished may be missing.
        """
        self._end()
        if self.times_kernels:
            self.times = stop_timing_now(self.backend)

    def _end(self) -> None:
        """Stop observing spans and ops."""
        self.ended = clock()
        profiler_spans.recorders.remove(self._on_span)
        eager.observers.remove(self._on_op)

    def _on_span(self, span: Span) -> None:
        """Record a span, and the run of a Graph if it is one."""
        self.spans.append(span)
        if span.kind == "run" and span.facts["backend"] is self.backend:
            self._note(span.facts["graph"], span.facts["count"], True, False, span.began)

    def _on_op(self, applied: Applied) -> None:
        """Record an op."""
        profiler_spans.note("op", applied.op.name, applied.began)
        self._note(applied.graph, 1, applied.on_device, True, applied.began)

    def _note(self, graph: Graph, count: int, on_device: bool, is_op: bool, began: float) -> None:
        """Record the run of a Graph."""
        nbytes, tensors = statistics.nbytes, live_tensors()
        self.runs.append(GraphRun(graph, count, on_device, is_op, began, clock(), nbytes, tensors))
