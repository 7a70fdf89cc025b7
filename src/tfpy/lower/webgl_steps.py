"""What the kernels on WebGL2 share: adding steps, and how long sums are split."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.lower.glsl import TARGETS, kernel_source, template
from tfpy.lower.program import Kernel, Param, Program
from tfpy.ops.op import KernelCall

LONGEST_SUM = 256
"""Elements that one fragment combines at most in a reduction."""

ENOUGH_FRAGMENTS = 8192
"""With so many outputs a long sum is not split further for the sake of parallelism."""

LARGE = 8192
"""Outputs from which on a fragment computes four rows, for fewer reads, instead of one."""

Params = dict[str, Any]


class Steps:
    """Adds the steps of named kernels to a Program."""

    def __init__(self, program: Program) -> None:
        self.program = program

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
        source = kernel_source(template(name), types, buffers[outputs[0]].dtype, params, defines)
        kernel = Kernel(name, tuple(inputs), source)
        numbers = {k: v for k, v in params.items() if not isinstance(v, str)}
        self.program.add_step(kernel, list(inputs.values()), outputs, numbers)

    def rows_step(
        self,
        name: str,
        inputs: Mapping[str, int],
        output: int,
        params: Mapping[str, Param],
        defines: Sequence[str],
        shape: tuple[int, int, int],
    ) -> None:
        """Adds the variant of a template that computes four rows at once, and joins the rows.

        Args:
            shape: the output as (batch, rows, texels of a row).
        """
        batch, m, n = shape
        parts = [self.like(output, batch * -(-m // TARGETS) * n * 4) for _ in range(TARGETS)]
        self.step(f"{name}_rows", inputs, parts, params, ["QUADS", "ROWS", *defines])
        together = {f"x{i}": part for i, part in enumerate(parts)}
        self.step("interleave", together, output, {"m": m, "n": n}, ["QUADS"])

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


def rows_pay(steps: Steps, output: int, rows: int) -> bool:
    return rows >= TARGETS and steps.program.buffers[output].count >= LARGE
