"""A complex tensor on a device is two consecutive slots, but appears as one number elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from tfpy import dtypes
from tfpy._src.backends.device import DeviceBackend
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import single_equation
from tfpy._src.compiler.lower.target import NumpyTarget
from tfpy._src.compiler.lower.wasm import lower
from tfpy._src.compiler.ops import OPS

Z = np.array([1 + 2j, 3 - 4j], np.complex64)
AVAL = Aval((2,), dtypes.complex64)


class Recorder:
    """A substitute for ``bridge.Device`` that stores arrays by number.

    A program copies its inputs.
    """

    variant = "recorder"
    limits: ClassVar = {"tensorBytes": 2**31}
    must_wait = True

    def __init__(self) -> None:
        self.arrays: dict[int, Any] = {}
        self.next = 1
        self.ran: list[tuple[int, ...]] = []

    def write(self, array: Any, dtype: str) -> int:
        assert array.dtype.name == dtype
        self.arrays[self.next] = array.copy()
        self.next += 1
        return self.next - 1

    def read(self, slot: int, out: Any) -> None:
        out[...] = self.arrays[slot].reshape(out.shape)

    async def read_async(self, slot: int, out: Any) -> None:
        self.read(slot, out)

    def free(self, slots: Sequence[int]) -> None:
        for slot in slots:
            del self.arrays[slot]

    def register(self, text: str, constants: bytes) -> int:
        return 7

    def release(self, program: int) -> None: ...

    def run(self, program: int, *slots: int) -> int:
        self.ran.append(slots)
        written = [self.write(self.arrays[s], "float32") for s in slots]
        return written[0]


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def backend(recorder: Any) -> DeviceBackend:
    return DeviceBackend("wasm", recorder, lower, NumpyTarget())


def test_upload_read_free(backend: DeviceBackend, recorder: Recorder) -> None:
    first = backend.upload(np.ones(2, np.float32))
    slot = backend.upload(Z)
    assert len(recorder.arrays) == 3
    np.testing.assert_array_equal(backend.read(slot, AVAL), Z)
    np.testing.assert_array_equal(asyncio.run(backend.read_async(slot, AVAL)), Z)
    backend.free([slot])
    assert list(recorder.arrays) == [first]
    backend.free([first])
    assert not recorder.arrays


def test_run(backend: DeviceBackend, recorder: Recorder) -> None:
    program = backend.register(backend.lower(single_equation(OPS["negative"], [AVAL], ())))
    slot = backend.upload(Z)
    out = backend.run(program, slot)
    assert recorder.ran == [(slot, slot + 1)]
    np.testing.assert_array_equal(backend.read(out, AVAL), Z)
    backend.free([slot, out])
    assert not recorder.arrays
    backend.release(program)


def test_ops_without_a_rule_are_not_lowered(backend: DeviceBackend) -> None:
    unruled = replace(OPS["negative"], name="unruled", expr=None, kernel=OPS["transpose"].kernel)
    with pytest.raises(NotLowerable, match="unruled"):
        backend.lower(single_equation(unruled, [AVAL], ()))
