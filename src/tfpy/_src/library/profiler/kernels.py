"""The kernels of a recording with the times that the device measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interface import KernelTime
from tfpy._src.base.source_locations import Line
from tfpy._src.compiler.ir.fusion import name_of
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.program import Program
from tfpy._src.library.profiler.recording import GraphRun, Recording

Shape = tuple[int, ...]


@dataclass(frozen=True)
class KernelRun:
    """A run of a kernel."""

    name: str
    """Names of the ops that the kernel computes."""
    kernel: str
    """Name of the kernel on the device."""
    input_shapes: list[Shape]
    output_shapes: list[Shape]
    output_bytes: int
    """Bytes of the results that are tensors, without temporaries."""
    output_tensors: int
    line: Line | None = None
    """Line of the program."""
    on_device: bool = True
    """False if the host computed the kernel."""
    ms: float | None = None
    began: float = 0.0
    """Start by `profiler_spans.clock`, with the gaps of the device's own clock if it has one."""
    total_bytes: int = 0
    total_tensors: int = 0

    @property
    def ended(self) -> float:
        """End, by `profiler_spans.clock`."""
        return self.began + (self.ms or 0.0) / 1e3


def kernels_of(recording: Recording) -> list[KernelRun]:
    """Return the kernels of all runs, in order."""
    kinds = _Kinds(recording.backend)
    times = _Times(recording.times.kernels)
    found: list[KernelRun] = []
    for run in recording.runs:
        for _ in range(run.repeats):
            found += _of_run(run, kinds.of(run), times)
    return _placed(found, times)


class _Kinds:
    """The kernels of Graphs, without times."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._known: dict[int, list[KernelRun]] = {}

    def of(self, run: GraphRun) -> list[KernelRun]:
        """Return the kernels of a run's Graph, computed once for each Graph."""
        if id(run.graph) not in self._known:
            self._known[id(run.graph)] = self._made(run)
        return self._known[id(run.graph)]

    def _made(self, run: GraphRun) -> list[KernelRun]:
        """Return the kernels of a run's Graph."""
        program = self._backend.lower(run.graph).program if run.on_device else None
        if program is None:
            return [_of_equation(run.graph, eqn) for eqn in run.graph.eqns]
        kernels = _of_program(program)
        if run.is_op:  # an op may have several kernels
            kernels = [replace(k, name=run.graph.eqns[0].op.name) for k in kernels]
        return kernels


def _of_equation(graph: Graph, eqn: Eqn) -> KernelRun:
    """Return the kernel of an equation that the host computes."""
    given = [graph.avals[v] for v in eqn.outputs if v in graph.outputs]
    return KernelRun(
        name_of(eqn),
        eqn.op.name,
        [graph.avals[v].shape for v in eqn.inputs],
        [graph.avals[v].shape for v in eqn.outputs],
        sum(aval.nbytes for aval in given),
        len(given),
        eqn.line,
    )


def _of_program(program: Program) -> list[KernelRun]:
    """Return the kernels of the steps that produce elements.

    Steps before the one that produces an equation's result belong to the equation.
    """
    found: list[KernelRun] = []
    pending: list[KernelRun] = []
    buffers = program.buffers
    for step in program.steps:
        given = [buffers[b] for b in step.outputs if b in program.outputs]
        kernel = program.kernels[step.kernel].name
        inputs, outputs = ([buffers[b].shape for b in s] for s in (step.inputs, step.outputs))
        nbytes = sum(buffer.nbytes for buffer in given)
        if all(buffers[b].count for b in step.outputs):
            pending.append(KernelRun(kernel, kernel, inputs, outputs, nbytes, len(given)))
        eqn = next((program.equations[b] for b in step.outputs if b in program.equations), None)
        if eqn is not None:
            found += [replace(k, name=name_of(eqn), line=eqn.line) for k in pending]
            pending = []
    return found + pending


class _Times:
    """The times from the device, in order.

    Times of kernels that the recording does not contain are skipped.
    """

    def __init__(self, kernels: list[KernelTime] | None) -> None:
        self._kernels = kernels or []
        self._next = 0
        self.shift: float | None = None
        """Offset in seconds from the device's clock to `profiler_spans.clock`.

        It is the least offset with which no kernel starts before its run.
        """

    def take(self, name: str, run: GraphRun) -> KernelTime | None:
        """Return the next time of a kernel with this name, or None."""
        for place in range(self._next, len(self._kernels)):
            found = self._kernels[place]
            if found.name == name:
                self._next = place + 1
                if found.began is not None:
                    shift = run.began - found.began / 1e3
                    self.shift = shift if self.shift is None else max(self.shift, shift)
                return found
        return None


def _of_run(run: GraphRun, kinds: Sequence[KernelRun], times: _Times) -> Iterator[KernelRun]:
    """Yield the kernels of one run. `began` is the device's time, or the start of the run."""
    left_bytes = sum(kind.output_bytes for kind in kinds)
    left_tensors = sum(kind.output_tensors for kind in kinds)
    for kind in kinds:
        left_bytes -= kind.output_bytes
        left_tensors -= kind.output_tensors
        found = times.take(kind.kernel, run) if run.on_device else None
        ms = None if found is None else found.ms
        if not run.on_device:
            ms = (run.ended - run.began) * 1e3
        began = run.began if found is None or found.began is None else found.began / 1e3
        yield replace(
            kind,
            on_device=run.on_device,
            ms=ms,
            began=began,
            total_bytes=run.total_bytes - left_bytes,
            total_tensors=run.total_tensors - left_tensors,
        )


def _placed(kernels: Sequence[KernelRun], times: _Times) -> list[KernelRun]:
    """Place kernels on the timeline: by the device's clock, or one after the other."""
    found: list[KernelRun] = []
    free = 0.0
    for kernel in kernels:
        if kernel.on_device:
            began = max(kernel.began, free) if times.shift is None else kernel.began + times.shift
            kernel = replace(kernel, began=began)
            free = kernel.ended
        found.append(kernel)
    return found
