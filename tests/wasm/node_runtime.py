"""The wasm backend of the built runtime in a node process, without a browser or Pyodide."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.lower.program import Program

from .node_process import NodeProcess, RuntimeFailed

Array = np.ndarray[Any, Any]


class NodeRuntime(NodeProcess):
    """A process with one backend. Arrays are exchanged in a file."""

    def __init__(self, variant: str, codegen: str = "auto") -> None:
        self.variant, self.codegen = variant, codegen
        old = "relaxed" in variant and _is_old()
        flags = ("--experimental-wasm-relaxed-simd",) if old else ()
        self._file = io.FileIO(os.memfd_create("tensors"), "r+")
        number = self._file.fileno()
        super().__init__("driver.mjs", variant, codegen, str(number), flags=flags, files=(number,))

    def write(self, array: Array) -> int:
        nbytes = self._share(array.tobytes())
        return int(self.call("write", nbytes=nbytes, count=array.size, dtype=array.dtype.name))

    def read(self, slot: int, aval: Aval) -> Array:
        dtype = np.dtype(aval.dtype.as_numpy_dtype)
        data = self.read_bytes(slot, aval.size * dtype.itemsize)
        return np.frombuffer(data, dtype).reshape(aval.shape)

    def read_bytes(self, slot: int, nbytes: int) -> bytes:
        self.call("read", slot=slot, nbytes=nbytes)
        return os.pread(self._file.fileno(), nbytes, 0)

    def register(self, program: Program) -> int:
        return self.register_text(program.to_json(), program.constant_bytes())

    def register_text(self, text: str, constants: bytes = b"") -> int:
        return int(self.call("register", json=text, nbytes=self._share(constants)))

    def _share(self, data: bytes) -> int:
        return os.pwrite(self._file.fileno(), data, 0)

    def run_program(self, program: Program, arrays: Sequence[Array]) -> list[Array]:
        """Register, upload, run, read and free. Nothing remains in the runtime."""
        number = self.register(program)
        slots = [self.write(np.ascontiguousarray(a)) for a in arrays]
        try:
            first = int(self.call("run", program=number, slots=slots))
        except RuntimeFailed:
            self.call("free", slots=slots)
            self.call("release", program=number)
            raise
        outputs = []
        for i, buffer in enumerate(program.outputs):
            spec = program.buffers[buffer]
            outputs.append(self.read(first + i, Aval(spec.shape, spec.dtype)))
        self.call("free", slots=[*slots, *range(first, first + len(outputs))])
        self.call("release", program=number)
        return outputs

    def run_graph(self, graph: Graph, arrays: Sequence[Array]) -> list[Array]:
        return self.run_program(wasm.lower(graph), arrays)

    def run_kernel(self, call: KernelCall, arrays: Sequence[Array], out: Aval) -> Array:
        """Run one named kernel."""
        return self.run_program(kernel_program(call, [aval_of(a) for a in arrays], out), arrays)[0]

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._file.close()


def _is_old() -> bool:
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    return int(version.lstrip("v").split(".")[0]) < 24


def aval_of(array: Array) -> Aval:
    return Aval(array.shape, as_dtype(array.dtype))


def kernel_program(call: KernelCall, inputs: Sequence[Aval], out: Aval) -> Program:
    """Return a Program of one kernel."""
    program = Program("wasm")
    program.inputs = [program.add_buffer(a.shape, a.dtype) for a in inputs]
    program.outputs = [program.add_buffer(out.shape, out.dtype)]
    wasm.lowering.add_kernel(program, call, program.inputs, program.outputs[0])
    return program
