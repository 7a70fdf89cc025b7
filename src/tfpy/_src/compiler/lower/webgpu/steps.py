"""The common parts of the kernels on WebGPU: steps and their workgroups."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tfpy._src.base.dtypes import DEVICE_DTYPES, DType, float16, float32
from tfpy._src.compiler.ir.kernel import KernelCall, Param
from tfpy._src.compiler.lower.program import Kernel, Program
from tfpy._src.compiler.lower.shaders.arrays import Arrays
from tfpy._src.compiler.lower.shaders.expression import Expression
from tfpy._src.compiler.lower.shaders.library import template
from tfpy._src.compiler.lower.shaders.steps import Parts, Steps
from tfpy._src.compiler.lower.webgpu.wgsl.language import WGSL
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP, Finish, kernel_source

MIN_INPUTS = 7
"""Number of arrays that a kernel can read, in addition to its output, on any WebGPU device."""

MAX_GROUPS = 65535
"""Largest number of workgroups along one dimension of a dispatch."""


def stored_dtypes(half: bool) -> frozenset[DType]:
    """Return the dtypes that a device stores, with float16 if `half`."""
    return DEVICE_DTYPES | {float16} if half else DEVICE_DTYPES


class WebGPUSteps(Steps):
    """Steps that write one buffer each, in a dispatch of workgroups."""

    language = WGSL

    def __init__(
        self,
        program: Program,
        call: KernelCall,
        inputs: Sequence[int],
        output: int,
        max_inputs: int = MIN_INPUTS,
        tiles: bool = True,
        matrices: Collection[DType] = (),
    ) -> None:
        super().__init__(program, call, inputs, output)
        self.max_inputs = max_inputs
        self.tiles = tiles
        self.matrices = matrices

    def step(
        self,
        name: str,
        inputs: Mapping[str, int],
        output: int,
        params: Mapping[str, Param],
        defines: Sequence[str] = (),
        groups: tuple[int, int, int] | None = None,
        overwritten: int | None = None,
    ) -> None:
        """Add one step: the template `name` on named input buffers.

        Args:
            groups: Number of workgroups along each dimension, for a template with its own entry
                point.
            overwritten: Buffer with the elements of the output that the template does not write.
        """
        parts = self.parts(name, inputs, output, params, defines)
        quads = "QUADS" in defines
        finish = None
        if parts.finish is not None:
            finish = Finish(_finish_text(parts.finish, quads), self.result_dtype(output))
        add_step(
            self.program, name, parts.body, parts.read, output, parts.params, parts.defines,
            finish, groups, overwritten,
        )  # fmt: skip

    def like(self, output: int, count: int) -> int:
        """Add a buffer of the result's dtype, or of float32 for float16.

        Partial results are not rounded.
        """
        dtype = self.result_dtype(output)
        return self.program.add_buffer([count], float32 if dtype == float16 else dtype)


class MakerSteps(WebGPUSteps):
    """A builder that makes the step of a kernel a part of the kernel that reads its result.

    Args:
        steps: Steps of the other kernel.
        call, inputs: Call and inputs of the kernel that computes the operand.
        output: Output of the other kernel.
    """

    def __init__(
        self, steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int
    ) -> None:
        super().__init__(steps.program, call, inputs, output, steps.max_inputs)
        self._parts: Parts | None = None

    def step(
        self,
        name: str,
        inputs: Mapping[str, int],
        output: int,
        params: Mapping[str, Param],
        defines: Sequence[str] = (),
        groups: tuple[int, int, int] | None = None,
        overwritten: int | None = None,
    ) -> None:
        self._parts = self.parts(name, inputs, output, params, defines)

    def add(
        self,
        name: str,
        operand: str,
        params: Mapping[str, Param],
        defines: Sequence[str],
        groups: tuple[int, int, int],
    ) -> None:
        """Add the step of the other kernel, which reads texels of float32 as `operand`."""
        made = self._parts
        assert made is not None
        readers = (
            f"alias {operand}_type = f32;",
            f"fn {operand}_texel(t: i32) -> vec4<f32> {{ return finish(value(t), t); }}",
        )
        body = "\n".join([template("wgsl", name), *readers, made.body])
        text = _UNFINISHED if made.finish is None else _finish_text(made.finish, quads=True)
        add_step(
            self.program, name, body, made.read, self.output, {**made.params, **params},
            [*made.defines, *defines], Finish(text, float32), groups,
        )  # fmt: skip


_UNFINISHED = "fn finish(result: vec4<f32>, t: i32) -> vec4<f32> { return result; }"


def add_step(
    program: Program,
    name: str,
    body: str,
    read: Mapping[str, int],
    output: int,
    params: Mapping[str, Any],
    defines: Sequence[str],
    finish: Finish | None = None,
    groups: tuple[int, int, int] | None = None,
    overwritten: int | None = None,
) -> None:
    """Add the step of a kernel's code on named input buffers."""
    buffers = program.buffers
    count = buffers[output].count
    positions = -(-count // 4) if "QUADS" in defines else count
    params = {**params, "positions": positions}
    arrays = Arrays(read, buffers)
    source = kernel_source(body, arrays.operands, buffers[output].dtype, params, defines, finish)
    names, inputs = arrays.names, arrays.buffers
    if overwritten is not None:
        names, inputs = ("overwritten", *names), [overwritten, *inputs]
    kernel = Kernel(name, names, source.text, overwritten is not None)
    sizes = list(groups or groups_of(positions))
    program.add_step(kernel, inputs, [output], source.values(params), groups=sizes)


def groups_of(positions: int) -> tuple[int, int, int]:
    """Return the workgroups for a number of positions, with one invocation each."""
    groups = max(1, -(-positions // GROUP))
    down = -(-groups // MAX_GROUPS)
    return -(-groups // down), down, 1


def _finish_text(finish: Expression, quads: bool) -> str:
    scalar, vector = WGSL.stored(finish.root.dtype)
    function = finish.texel_function if quads else finish.element_function
    return f"{finish.shared()}\n{function('finish', vector if quads else scalar)}"
