"""The interface of a backend is small, and a backend without any ability works."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.backends import abilities, backend as module, devices, registry
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.backends.device import DeviceBackend
from tfpy._src.backends.interface import Compiled
from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph

ABILITIES = [
    value
    for value in vars(abilities).values()
    if inspect.isclass(value) and value.__module__ == abilities.__name__
]


class Core(Backend):
    """A backend with the methods of the interface and no ability."""

    name = "core"
    variant = "dict"
    dtypes = frozenset(dtypes.ALL)

    def __init__(self) -> None:
        super().__init__()
        self.arrays: dict[int, Any] = {}
        self.graphs: dict[int, Graph] = {}
        self.last = 0

    def upload(self, array: Array) -> int:
        self.last += 1
        self.arrays[self.last] = array
        return self.last

    def read(self, slot: int, aval: Aval) -> Array:
        return np.array(self.arrays[slot]).reshape(aval.shape)

    def free(self, slots: Sequence[int]) -> None:
        for slot in slots:
            del self.arrays[slot]

    def lower(self, graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Compiled:
        return Compiled(graph, None)

    def register(self, compiled: Compiled) -> int:
        self.last += 1
        self.graphs[self.last] = compiled.graph
        return self.last

    def run(self, program: int, *slots: int) -> int:
        graph = self.graphs[program]
        shapes = [graph.avals[v].shape for v in graph.inputs]
        inputs = [self.arrays[s].reshape(n) for s, n in zip(slots, shapes, strict=True)]
        first, *_ = [self.upload(np.asarray(array)) for array in evaluate(graph, inputs)]
        return first

    def release(self, program: int) -> None:
        del self.graphs[program]

    def memory(self) -> dict[str, Any]:
        nbytes = sum(array.nbytes for array in self.arrays.values())
        return {"slots": len(self.arrays), "bytes": nbytes}

    async def finish(self) -> None: ...

    def close(self) -> None:
        self.arrays.clear()


@pytest.fixture
def core() -> Iterator[Core]:
    tf.register_backend("core", Core, priority=0)
    before = tf.get_backend()
    tf.set_backend("core")
    backend = registry.active_backend()
    assert isinstance(backend, Core)
    yield backend
    tf.set_backend(before)
    tf.remove_backend("core")


def methods(kind: type) -> set[str]:
    return {name for name, value in vars(kind).items() if inspect.isfunction(value)}


def test_the_interface_is_small() -> None:
    assert 10 <= len(methods(Backend)) <= 12
    assert len(Path(module.__file__).read_text().splitlines()) <= 150
    assert methods(Core) - {"__init__"} == Backend.__abstractmethods__
    assert not any(isinstance(Core(), kind) for kind in (*ABILITIES, devices.Devices))


def test_backends_declare_the_abilities_that_they_implement() -> None:
    """Check that a backend with the methods of an ability inherits the ability.

    Otherwise the methods would not be used.
    """
    for kind in (*ABILITIES, devices.Devices):
        for backend in (CpuBackend, DeviceBackend, tf.KernelBackend):
            if kind.__abstractmethods__ <= {*dir(backend)}:
                assert issubclass(backend, kind), (backend, kind)


def test_a_backend_without_abilities_computes(core: Core) -> None:
    x = tf.constant(np.arange(1000, dtype=np.float32))
    eager = x * 2.0 + 1.0
    assert eager.storage.place == "core"
    assert asyncio.run(eager.data())[3] == 7

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        return tape.gradient(y, x)

    assert step(x).numpy()[3] == 6
    assert asyncio.run(step.call_async(x)).numpy()[3] == 6
    z = tf.complex(x, x)
    assert (z * z).numpy()[1] == 2j
    del x, eager, z
    core.collect()


def test_callers_do_without_abilities(core: Core, tmp_path: Path) -> None:
    x = tf.Variable(np.ones(1000, np.float32))
    timing = tf.time(lambda: x + 1.0)
    assert timing.reason == "kernels on core are not timed one by one"
    assert tf.backend_report()["core"]["status"] == "chosen"
    assert [device.name for device in tf.config.list_logical_devices()] == ["/device:CPU:0"]
    with tf.device("/CPU:0"):
        assert (x + 1.0).device.endswith("CPU:0")
    path = tf.train.Checkpoint(x=x).write(str(tmp_path / "saved"))
    x.assign_add(tf.ones([1000]))
    tf.train.Checkpoint(x=x).restore(path)
    assert x.numpy()[0] == 1
    with pytest.raises(tf.errors.UnimplementedError, match="core backend cannot share buffers"):
        tf.browser.gpu_device()
    with pytest.raises(ValueError, match='context_type must be "2d" on core'):
        tf.browser.draw(tf.zeros([2, 2, 3]), None, {"context_options": {"context_type": "webgpu"}})
