"""What the kernels on WebGL2 share: adding steps, and how long sums are split."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.lower.glsl import kernel_source, template
from tfpy.lower.program import Kernel, Param, Program
from tfpy.ops.op import KernelCall

MIN_TARGETS = 4
"""Textures that a fragment can write at once on any WebGL2 device."""

LONGEST_SUM = 256
"""Elements that one fragment combines at most in a reduction."""

ENOUGH_FRAGMENTS = 8192
"""With so many outputs a long sum is not split further for the sake of parallelism."""

Params = dict[str, Any]


class Steps:
    """Adds the steps of named kernels to a Program; fragments write up to ``targets`` textures."""

    def __init__(self, program: Program, targets: int) -> None:
        self.program = program
        self.targets = targets

    def step(
        self,
        name: str,
        inputs: Mapping[str, int],
        outputs: int | Sequence[int],
        params: Mapping[str, Param],
        defines: Sequence[str] = (),
    ) -> None:
        """Adds one step: the template ``name`` on named input buffers."""
        buffers = self.program.buffers
        outputs = [outputs] if isinstance(outputs, int) else outputs
        types = [(key, buffers[b].dtype) for key, b in inputs.items()]
        dtype = buffers[outputs[0]].dtype
        source = kernel_source(template(name), types, dtype, params, defines, len(outputs))
        kernel = Kernel(name, tuple(inputs), source)
        numbers = {k: v for k, v in params.items() if not isinstance(v, str)}
        self.program.add_step(kernel, list(inputs.values()), outputs, numbers)

    def like(self, output: int, count: int) -> int:
        """A new flat buffer of the output's type."""
        return self.program.add_buffer([count], self.program.buffers[output].dtype)


def inputs_of(call: KernelCall, inputs: Sequence[int]) -> dict[str, int]:
    return dict(zip(call.inputs, inputs, strict=True))


def flags_of(**flags: bool) -> list[str]:
    return [name for name, on in flags.items() if on]


def chunk_of(n: int, outputs: int, longest: int = LONGEST_SUM) -> int:
    """How many of ``n`` elements a fragment combines, so that enough fragments run.

    A multiple of four, or all of them; at least 1.
    """
    if n <= 32 or (n <= longest and outputs >= ENOUGH_FRAGMENTS):
        return max(n, 1)
    if outputs >= ENOUGH_FRAGMENTS:
        return longest
    return min(longest, 4 * math.ceil(math.sqrt(n) / 4))
