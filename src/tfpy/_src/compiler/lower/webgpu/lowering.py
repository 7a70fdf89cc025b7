"""The lowering for WebGPU: compute kernels over storage buffers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tfpy._src.base.dtypes import DType, int8
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.buffers import assign_buffers
from tfpy._src.compiler.lower.calls import Elementwise
from tfpy._src.compiler.lower.donation_plan import reuse_dead
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.shaders.expression import Expression, is_long
from tfpy._src.compiler.lower.shaders.steps import flags_of
from tfpy._src.compiler.lower.webgpu.kernels import add_kernel
from tfpy._src.compiler.lower.webgpu.steps import MIN_INPUTS, add_step, stored_dtypes
from tfpy._src.compiler.lower.webgpu.wgsl.language import WGSL


def lower(
    graph: Graph,
    donated: Collection[int] = (),
    spent: bool = False,
    max_inputs: int = MIN_INPUTS,
    tiles: bool = True,
    half: bool = False,
    matrices: Collection[DType] = (),
) -> Program:
    """Return the WebGPU Program of a Graph.

    Args:
        donated: Positions of inputs that may be donated to a run. Then the Graph must not have
            complex values.
        spent: True if nothing reads donated inputs after a run that failed. Has no effect, because
            steps do not write in place.
        max_inputs: Number of arrays that a kernel can read on the device.
        tiles: True if large products are computed in tiles, for which a workgroup needs
            `TILE_BYTES` of shared memory.
        half: True if the device supports float16.
        matrices: Dtypes that the device multiplies by subgroup matrices: int8, float16 or both.

    Raises:
        ValueError: If a value has a dtype that devices do not store.
        NotLowerable: If an elementwise equation reads more arrays than a kernel supports.
    """
    program, tasks = assign_buffers(graph, "webgpu", stored_dtypes(half) | {int8})
    for call, inputs, output in tasks:
        if isinstance(call, Elementwise):
            add_elementwise(program, call, inputs, output, max_inputs)
        else:
            add_kernel(program, call, inputs, output, max_inputs, tiles, matrices)
    if donated:
        reuse_dead(program, [program.inputs[i] for i in donated])
    return program


def add_elementwise(
    program: Program,
    call: Elementwise,
    inputs: Sequence[int],
    output: int,
    max_inputs: int = MIN_INPUTS,
) -> None:
    """Add the step of an expression, which is rendered into its own kernel."""
    count = len(set(inputs))
    if count > max_inputs:
        raise NotLowerable(f"webgpu: an elementwise kernel reads {count} arrays, which is too many")
    dtypes = [program.buffers[b].dtype for b in inputs]
    expression = Expression(WGSL, "x", call.root, dtypes, call.views, call.out.shape)
    fours = not is_long(call.root)  # one element of a long expression keeps the device busy
    function = expression.texel_function if fours else expression.element_function
    body = f"{expression.shared()}\n{function('value', 'V')}"
    read = dict(zip(expression.names, inputs, strict=True))
    add_step(program, "elementwise", body, read, output, expression.params, flags_of(QUADS=fours))
