"""Program: the code of a device, with kernels, buffers and steps as JSON, plus constant bytes.

A Program is passed to the runtime once and then run by an integer id. The runtimes (`web/webgpu`,
`web/webgl`, `csrc/xnnpack_glue`) know kernels by name and do not depend on ops.

The JSON document::

    {"version": 1, "backend": "webgpu" | "webgl" | "wasm",
     "kernels": [{"name": "conv2d", "source": "<WGSL, GLSL, or empty>", "inputs": ["x", "filter"]}],
     "buffers": [{"dtype": "float32" | "int32" | "bool" | "int8", "shape": [1, 28, 28, 1]}],
     "constants": [{"buffer": 2, "offset": 0}],
     "inputs": [0, 1], "outputs": [3],
     "donations": [[3, 0]],
     "arena": {"nbytes": 4096, "offsets": [[4, 0], [5, 2048]]},
     "steps": [{"kernel": 0, "inputs": [0, 1], "outputs": [3], "params": {"stride_h": 1}}]}

Each buffer is written once: by the caller (inputs), at registration (constants) or by one step.
Only wasm and webgpu have int8, for inputs and constants. On webgpu, a kernel with
`"overwrites": true` writes a part of its output, and the runtime puts the elements of its first
input in the rest. String parameters specialize a kernel when it is compiled. Numbers and lists of
numbers are passed at run time. `donations` are pairs of an output and an input: the output is
written over the input's bytes if the input is donated to a run (`lower/donation_plan.py`). With
`"spoils": true` a run that fails may leave donated inputs changed. `arena` exists if the lowering
has planned the memory of temporaries, which are buffers that steps write and that are not outputs.
It contains their total size and the offset of each (`lower/memory.py`). A backend may add keys to
buffers and steps: see `lower/webgl/textures.py` for webgl and `lower/webgpu/steps.py` for webgpu.
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
"""Additional keys of a buffer or step in the JSON document, for one backend only."""


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
    """A named kernel. `source` is its generated code, if the backend compiles code."""

    name: str
    inputs: tuple[str, ...]
    source: str = ""
    overwrites: bool = False
    """True if the kernel writes a part of its output only. The rest is the first input, which the
    kernel does not read: the runtime puts it in the output, without a copy if possible."""


@dataclass(frozen=True)
class Step:
    """One kernel call, with indices into the Program's kernels and buffers."""

    kernel: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    params: Mapping[str, Param]
    extra: Extra = field(default_factory=dict)


class Arena(NamedTuple):
    """The memory that temporaries share."""

    nbytes: int
    offsets: Mapping[int, int]
    """Map from temporary buffers to byte offsets."""


@dataclass
class Program:
    """A Program; see the module's docstring.

    A backend's lowering builds it, :func:`verify` checks it.
    """

    backend: str
    kernels: list[Kernel] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    constants: list[tuple[int, bytes]] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    donations: dict[int, int] = field(default_factory=dict)
    """Map from output buffers to input buffers."""
    spoils: bool = False
    """True if a run that fails may leave donated inputs changed."""
    arena: Arena | None = None
    equations: dict[int, Eqn] = field(default_factory=dict)
    """Map from buffers to the equations that define them, for explanations of the Program. Not in
    the JSON document."""

    def add_buffer(self, shape: Sequence[int], dtype: DType, **extra: Any) -> int:
        """Add a buffer and return its number."""
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
        """Append a step. Equal kernels are stored once."""
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        number = self.kernels.index(kernel)
        self.steps.append(Step(number, tuple(inputs), tuple(outputs), dict(params), extra))

    def to_json(self) -> str:
        """Return the JSON document for the runtime, to which constants are passed separately."""
        offset, constants = 0, []
        for buffer, data in self.constants:
            constants.append({"buffer": buffer, "offset": offset})
            offset += _aligned(len(data))
        document: dict[str, Any] = {
            "version": VERSION,
            "backend": self.backend,
            "kernels": [
                {"name": k.name, "source": k.source, "inputs": list(k.inputs)}
                | ({"overwrites": True} if k.overwrites else {})
                for k in self.kernels
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
        if self.spoils:
            document["spoils"] = True
        if self.arena is not None:
            offsets = [list(pair) for pair in self.arena.offsets.items()]
            document["arena"] = {"nbytes": self.arena.nbytes, "offsets": offsets}
        return json.dumps(document, separators=(",", ":"), allow_nan=False)

    def constant_bytes(self) -> bytes:
        """Return all constants, each padded to 16 bytes, in the order of `constants`."""
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
    """Check the invariants on which every runtime relies.

    Raises:
        ValueError: If an index is out of range, a buffer is read before it is written or written
            twice, an input is also written, or a donated input is read after an output has been
            written over it.
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
