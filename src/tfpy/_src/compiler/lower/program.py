"""Program: what a device runs. Kernels, buffers and steps, as one JSON text plus constant bytes.

A Program crosses to the runtime once and is then run by integer id. The runtimes
(``web/webgpu``, ``web/webgl``, ``csrc/xnnpack_glue``) know kernels by name and nothing about ops.

The JSON text::

    {"version": 1, "backend": "webgpu" | "webgl" | "wasm",
     "kernels": [{"name": "conv2d", "source": "<WGSL, GLSL, or empty>", "inputs": ["x", "filter"]}],
     "buffers": [{"dtype": "float32" | "int32" | "bool", "shape": [1, 28, 28, 1]}],
     "constants": [{"buffer": 2, "offset": 0}],
     "inputs": [0, 1], "outputs": [3],
     "donations": [[3, 0]],
     "arena": {"nbytes": 4096, "offsets": [[4, 0], [5, 2048]]},
     "steps": [{"kernel": 0, "inputs": [0, 1], "outputs": [3], "params": {"stride_h": 1}}]}

Each buffer is written once: by the caller (inputs), at registration (constants) or by one step.
Parameters that are strings specialise a kernel when it is compiled; numbers and lists of numbers
are passed at run time. ``donations`` are pairs of an output and an input: the output is written
over the input's bytes where the input is donated to a run (``lower/donation_plan.py``). ``arena``
is there where the lowering has planned the memory of temporaries, which are buffers that steps
write and that are no outputs: the bytes that they share, and where each lies (``lower/memory.py``).
A backend may give buffers and steps further keys: ``lower/webgl/textures.py`` has webgl's,
``lower/webgpu/steps.py`` webgpu's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.graph import Eqn, heading
from tfpy._src.compiler.ir.kernel import Param

VERSION = 1

Extra = Mapping[str, Any]
"""What only one backend knows of a buffer or a step: further keys of its object in the text."""


@dataclass(frozen=True)
class Buffer:
    """A dense row-major array on the device."""

    shape: tuple[int, ...]
    dtype: DType
    extra: Extra = field(default_factory=dict)

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.count * self.dtype.size


class Kernel(NamedTuple):
    """A named kernel; ``source`` is its generated text where the backend compiles text."""

    name: str
    inputs: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True)
class Step:
    """One kernel call: indices into the Program's kernels and buffers."""

    kernel: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    params: Mapping[str, Param]
    extra: Extra = field(default_factory=dict)


class Arena(NamedTuple):
    """Where temporaries lie in the memory that they share."""

    nbytes: int
    offsets: Mapping[int, int]
    """Temporary buffer -> byte offset."""


@dataclass
class Program:
    """See the module's text. Built by a backend's lowering, checked by :func:`verify`."""

    backend: str
    kernels: list[Kernel] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    constants: list[tuple[int, bytes]] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    donations: dict[int, int] = field(default_factory=dict)
    """Output buffer -> input buffer."""
    arena: Arena | None = None
    equations: dict[int, Eqn] = field(default_factory=dict)
    """Buffer -> the equation that gives it, for who explains the Program; these do not cross."""

    def add_buffer(self, shape: Sequence[int], dtype: DType, **extra: Any) -> int:
        """The number of a new buffer."""
        self.buffers.append(Buffer(tuple(shape), dtype, extra))
        return len(self.buffers) - 1

    def add_step(
        self,
        kernel: Kernel,
        inputs: Sequence[int],
        outputs: Sequence[int],
        params: Mapping[str, Param],
        **extra: Any,
    ) -> None:
        """Appends a step; equal kernels are one."""
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        number = self.kernels.index(kernel)
        self.steps.append(Step(number, tuple(inputs), tuple(outputs), dict(params), extra))

    def to_json(self) -> str:
        """The text that crosses to the runtime; constants' bytes cross beside it."""
        offset, constants = 0, []
        for buffer, data in self.constants:
            constants.append({"buffer": buffer, "offset": offset})
            offset += _aligned(len(data))
        document: dict[str, Any] = {
            "version": VERSION,
            "backend": self.backend,
            "kernels": [
                {"name": k.name, "source": k.source, "inputs": list(k.inputs)} for k in self.kernels
            ],
            "buffers": [
                {"dtype": b.dtype.name, "shape": list(b.shape), **b.extra} for b in self.buffers
            ],
            "constants": constants,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "steps": [
                {
                    "kernel": s.kernel,
                    "inputs": list(s.inputs),
                    "outputs": list(s.outputs),
                    "params": dict(s.params),
                    **s.extra,
                }
                for s in self.steps
            ],
        }
        if self.donations:
            document["donations"] = [list(pair) for pair in self.donations.items()]
        if self.arena is not None:
            offsets = [list(pair) for pair in self.arena.offsets.items()]
            document["arena"] = {"nbytes": self.arena.nbytes, "offsets": offsets}
        return json.dumps(document, separators=(",", ":"), allow_nan=False)

    def constant_bytes(self) -> bytes:
        """All constants, each padded to 16 bytes, in the order of ``constants``."""
        return b"".join(data.ljust(_aligned(len(data)), b"\0") for _, data in self.constants)

    def __str__(self) -> str:
        def buf(i: int) -> str:
            b = self.buffers[i]
            return f"%{i}:{b.dtype.name}[{','.join(map(str, b.shape))}]"

        lines = [heading(f"program {self.backend}", map(buf, self.inputs))]
        for i, data in self.constants:
            lines.append(f"  {buf(i)} = constant {len(data)} bytes")
        for s in self.steps:
            outs = ", ".join(map(buf, s.outputs))
            args = ", ".join(f"%{i}" for i in s.inputs)
            facts = {**s.params, **s.extra}
            params = " ".join(f"{k}={v}" for k, v in facts.items() if k != "code")
            place = "".join(f" in place of %{self.donations[o]}" for o in s.outputs
                            if o in self.donations)  # fmt: skip
            name = self.kernels[s.kernel].name
            lines.append(f"  {outs} = {name}({args}){place} {params}".rstrip())
        if self.arena is not None:
            lines.append(f"  arena of {self.arena.nbytes} bytes")
        lines.append(f"  return {', '.join(f'%{i}' for i in self.outputs)}")
        return "\n".join(lines)


def _aligned(nbytes: int) -> int:
    return -(-nbytes // 16) * 16


def verify(program: Program) -> None:
    """Checks what every runtime relies on.

    Raises:
        ValueError: when an index is out of range, a buffer is read before it is written or
            written twice, an input is also written, or a donated one is read after an output has
            been written over it.
    """
    count = len(program.buffers)
    written: set[int] = set()

    def write(buffer: int, what: str) -> None:
        if not 0 <= buffer < count:
            raise ValueError(f"program: {what} names buffer {buffer} of {count}")
        if buffer in written:
            raise ValueError(f"program: {what} writes buffer {buffer} a second time")
        written.add(buffer)

    for i in program.inputs:
        write(i, "inputs")
    for i, data in program.constants:
        write(i, "constants")
        if len(data) != program.buffers[i].nbytes:
            raise ValueError(f"program: constant {i} has {len(data)} bytes")
    for n, step in enumerate(program.steps):
        if not 0 <= step.kernel < len(program.kernels):
            raise ValueError(f"program: step {n} names kernel {step.kernel}")
        for i in step.inputs:
            if i not in written:
                raise ValueError(f"program: step {n} reads buffer {i} before it is written")
        for i in step.outputs:
            write(i, f"step {n}")
    for i in program.outputs:
        if i not in written:
            raise ValueError(f"program: output buffer {i} is never written")
    _verify_donations(program)


def _verify_donations(program: Program) -> None:
    made = {i: n for n, step in enumerate(program.steps) for i in step.outputs}
    if len(set(program.donations.values())) != len(program.donations):
        raise ValueError("program: two outputs take over one input")
    for output, donated in program.donations.items():
        if output not in program.outputs or donated not in program.inputs or output not in made:
            raise ValueError(f"program: buffer {output} cannot take over buffer {donated}")
        old, new = program.buffers[donated], program.buffers[output]
        if (old.count, old.dtype) != (new.count, new.dtype):
            raise ValueError(f"program: buffers {output} and {donated} differ in size or dtype")
        if any(donated in step.inputs for step in program.steps[made[output] + 1 :]):
            raise ValueError(f"program: a step reads buffer {donated} after {output} is written")
