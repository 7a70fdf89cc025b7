"""Which kernels a recording's runs are, with the device's times."""

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
    """The ops that it computes."""
    kernel: str
    """Its name on the device."""
    input_shapes: list[Shape]
    output_shapes: list[Shape]
    output_bytes: int
    """Of its results that are tensors, not temporaries."""
    output_tensors: int
    line: Line | None = None
    """Where it stands in the program."""
    on_device: bool = True
    """False: the host computed it."""
    ms: float | None = None
    began: float = 0.0
    """By ``spans.clock``; the device's own clock, where it has one, tells the gaps."""
    total_bytes: int = 0
    total_tensors: int = 0

    @property
    def ended(self) -> float:
        return self.began + (self.ms or 0.0) / 1e3


def kernels_of(recording: Recording) -> list[KernelRun]:
    """The kernels of all runs, in their order."""
    kinds = _Kinds(recording.backend)
    times = _Times(recording.times.kernels)
    found: list[KernelRun] = []
    for run in recording.runs:
        for _ in range(run.repeats):
            found += _of_run(run, kinds.of(run), times)
    return _placed(found, times)


class _Kinds:
    """The kernels of Graphs, as they are without times."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._known: dict[int, list[KernelRun]] = {}

    def of(self, run: GraphRun) -> list[KernelRun]:
        if id(run.graph) not in self._known:
            self._known[id(run.graph)] = self._made(run)
        return self._known[id(run.graph)]

    def _made(self, run: GraphRun) -> list[KernelRun]:
        program = self._backend.lower(run.graph).program if run.on_device else None
        if program is None:
            return [_of_equation(run.graph, eqn) for eqn in run.graph.eqns]
        kernels = _of_program(program)
        if run.is_op:  # an op may have several
            kernels = [replace(k, name=run.graph.eqns[0].op.name) for k in kernels]
        return kernels


def _of_equation(graph: Graph, eqn: Eqn) -> KernelRun:
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
    """The steps that have something to do; those before the one that gives an equation's result
    are the equation's, too."""
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
    """The device's times in their order; kernels that nothing here ran are passed over."""

    def __init__(self, kernels: list[KernelTime] | None) -> None:
        self._kernels = kernels or []
        self._next = 0
        self.shift: float | None = None
        """Seconds from the device's clock to ``spans.clock``: the least with which no kernel began
        before it was asked for."""

    def take(self, name: str, run: GraphRun) -> KernelTime | None:
        """The next time of a kernel of that name."""
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
    """The kernels of one run; ``began`` is the device's, or when the run did."""
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
    """The kernels where they lie in time: by the device's clock, or one after the other."""
    found: list[KernelRun] = []
    free = 0.0
    for kernel in kernels:
        if kernel.on_device:
            began = max(kernel.began, free) if times.shift is None else kernel.began + times.shift
            kernel = replace(kernel, began=began)
            free = kernel.ended
        found.append(kernel)
    return found
