"""A backend that records the primitives that a public function consists of."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from surface import public
from surface.calls import arguments
from surface.evaluation import evaluate, finished, tensors, words

import tfpy
from tfpy._src.backends import registry
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.base.dtypes import DEVICE_DTYPES, complex64
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm, webgl, webgpu
from tfpy._src.compiler.ops import UNSUPPORTED

INPUTS = 9
"""Number of arrays that WebGPU kernels can read on most devices."""


def _check_on_jax(graph: Graph) -> None:
    from tfpy._src.compiler.lower.jax import lowering  # browser tests do not have JAX

    lowering.check(graph)


LOWER: dict[str, Callable[[Graph], object]] = {
    "wasm": wasm.lower,
    "webgl": webgl.lower,
    "webgpu": partial(webgpu.lower, max_inputs=INPUTS),
    "jax": _check_on_jax,
}


@dataclass
class Run:
    """Record of one call."""

    graphs: list[Graph] = field(default_factory=list)
    """Primitives that ran, each as a Graph of one equation."""
    reads: int = 0
    """Number of reads before the call returned."""
    on_device: bool = True
    """True if every result came from the device, or existed before anything was read."""

    @property
    def primitives(self) -> list[str]:
        return [eqn.op.name for graph in self.graphs for eqn in graph.eqns]

    def way(self, backend: str) -> str:
        """Return how a backend computes the call: "native", "composed" or "host"."""
        if not self.on_device or not all(runs_on(backend, graph) for graph in self.graphs):
            return "host"
        return "native" if len(self.graphs) <= 1 else "composed"


def runs_on(backend: str, graph: Graph) -> bool:
    """Return True if the backend has kernels for a Graph."""
    if backend == "jax":
        _check_on_jax(Graph())  # registers the backend on import
    if any(eqn.op.name in UNSUPPORTED[backend] for eqn in graph.eqns):
        return False
    if backend == "cpu":
        return True
    if any(a.dtype not in DEVICE_DTYPES | {complex64} for a in graph.avals):
        return False
    try:
        LOWER[backend](graph)
    except NotLowerable:
        return False
    return True


class Recorder(CpuBackend):
    """A NumPy backend that records runs and reads."""

    name = "recorder"
    on_host = False

    def __init__(self) -> None:
        super().__init__()
        self.note = Run()
        self.made: set[int] = set()

    def run(self, program: int, *slots: int) -> int:
        self.note.graphs.append(self._programs[program][0])
        slot = super().run(program, *slots)
        self.made.add(slot)
        return slot

    def read(self, slot: int, aval: Aval) -> Any:
        self.note.reads += 1
        return super().read(slot, aval)

    def take(self, tensor: Any) -> None:
        """Move a tensor to this backend permanently, so that reading it is recorded."""
        self.made.add(tensor.storage.slot_on(self))
        tensor.storage.host = None


@contextmanager
def recording() -> Iterator[Recorder]:
    """Make the recorder the active backend."""
    importlib.import_module("tfpy._src.compiler.lower.jax")  # registers its unsupported ops
    before = registry.active_backend().name
    tfpy.register_backend("recorder", Recorder)
    tfpy.set_backend("recorder")
    recorder = registry.active_backend()
    assert isinstance(recorder, Recorder)
    try:
        yield recorder
    finally:
        tfpy.set_backend(before)
        tfpy.remove_backend("recorder")


def record(recorder: Recorder, name: str) -> Run:
    """Record the public function ``name`` with the arguments of its call."""
    return noted(recorder, public.functions()[name], f"call({arguments(name)})")


def noted(recorder: Recorder, function: Callable[..., Any], text: str) -> Run:
    """Record a function that a source text calls as ``call``."""
    note = Run()

    def call(*args: Any, **kwargs: Any) -> Any:
        for given in tensors(tfpy, [*args, *kwargs.values()]):
            if isinstance(given, tfpy.Tensor):  # handles of Variables stay
                recorder.take(given)
        recorder.note = note
        try:
            result = function(*args, **kwargs)
            return finished(result) if inspect.isawaitable(result) else result
        finally:
            recorder.note = Run()

    result = evaluate(text, words(tfpy), call=call)
    if note.reads:
        found = tensors(tfpy, result)
        here = [t.storage.backend is recorder and t.storage.slot in recorder.made for t in found]
        note.on_device = bool(found) and all(here)
    return note
