"""A NumPy device that overwrites the slots donated to a run."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.backends.interface import Compiled
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.core import scalar_cache

SIZE = 400  # too many elements for a constant, and too many bytes for a host copy


class InPlaceDevice(FakeDevice):
    """A device with wasm's lowering that overwrites donated slots."""

    name = "in place"
    target = WasmTarget()

    def __init__(self) -> None:
        super().__init__()
        self.donated = 0
        self.fails = False
        self._donated: dict[int, list[int]] = {}  # for each output, an input's position or -1

    def upload(self, array: Array) -> int:
        return super().upload(array.copy())

    def lower(self, graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Compiled:
        return Compiled(graph, wasm.lower(graph, donated, spent))

    def register(self, compiled: Compiled) -> int:
        number = super().register(compiled)
        program = compiled.program
        assert program is not None
        places = {buffer: i for i, buffer in enumerate(program.inputs)}
        self._donated[number] = [
            places.get(program.donations.get(o, -1), -1) for o in program.outputs
        ]
        return number

    def run(self, program: int, *slots: int) -> int:
        if self.fails:
            raise RuntimeError("the device has failed")
        ids = [abs(slot) for slot in slots]
        first = super().run(program, *ids)
        for number, place in enumerate(self._donated[program]):
            if place >= 0 and slots[place] < 0:
                made, old = self._arrays[first + number], self._arrays[ids[place]]
                np.copyto(old, made.reshape(old.shape))
                self._arrays[first + number] = old
        gone = [-slot for slot in slots if slot < 0]
        for slot in gone:
            del self._arrays[slot]
        self.donated += len(gone)
        return first


def activated(name: str) -> InPlaceDevice:
    scalar_cache.clear_scalars()
    device = InPlaceDevice()
    device.name = name
    tf.register_backend(name, lambda: device)
    tf.set_backend(name)
    assert registry.active_backend() is device
    return device


def numbers(seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(SIZE).astype(np.float32)
