"""The lowering of a Graph to a Program of WebGL2 fragment shaders.

The specialization of a shader (types, ranks, whole texels) is decided here and, for named kernels,
in `kernels.py`. Shapes stay parameters, so that one compiled shader supports all shapes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.buffers import assign_buffers
from tfpy._src.compiler.lower.calls import Elementwise
from tfpy._src.compiler.lower.donation_plan import reuse_dead
from tfpy._src.compiler.lower.program import Kernel, Program
from tfpy._src.compiler.lower.shaders.arrays import Arrays
from tfpy._src.compiler.lower.shaders.expression import Expression
from tfpy._src.compiler.lower.webgl.glsl.language import GLSL
from tfpy._src.compiler.lower.webgl.glsl.shader import kernel_source
from tfpy._src.compiler.lower.webgl.kernels import add_kernel
from tfpy._src.compiler.lower.webgl.steps import MAX_TEXTURES, MIN_TARGETS


def lower(
    graph: Graph,
    donated: Collection[int] = (),
    spent: bool = False,
    targets: int = MIN_TARGETS,
    block: int = 0,
) -> Program:
    """Return the WebGL2 Program of a Graph.

    Args:
        donated: Positions of inputs that may be donated to a run. Then the Graph must not have
            complex values.
        spent: True if nothing reads donated inputs after a run that failed. Has no effect, because
            steps do not write in place.
        targets: Number of textures to which the device writes at once: 4 (all devices) or 8 (most
            devices).
        block: Number of bytes of an input that a fragment reads through a uniform block, 0 if that
            is slow.

    Raises:
        ValueError: If a value has a dtype that devices do not store.
        NotLowerable: If an elementwise equation reads more arrays than a shader supports.
    """
    program, tasks = assign_buffers(graph, "webgl")
    for call, inputs, output in tasks:
        if isinstance(call, Elementwise):
            add_elementwise(program, call, inputs, output)
        else:
            add_kernel(program, call, inputs, output, targets, block)
    if donated:
        reuse_dead(program, [program.inputs[i] for i in donated])
    return program


def add_elementwise(
    program: Program, call: Elementwise, inputs: Sequence[int], output: int
) -> None:
    """Add the step of an expression, which is rendered into its own kernel."""
    count = len(set(inputs))
    if count > MAX_TEXTURES:
        raise NotLowerable(f"webgl: an elementwise kernel reads {count} arrays, which is too many")
    dtypes = [program.buffers[b].dtype for b in inputs]
    expression = Expression(GLSL, "x", call.root, dtypes, call.views, call.out.shape)
    body = f"{expression.shared()}\n{expression.texel_function('value', 'V')}"
    arrays = Arrays(dict(zip(expression.names, inputs, strict=True)), program.buffers)
    out = call.out.dtype
    source = kernel_source(body, arrays.operands, out, expression.params, ["QUADS"])
    kernel = Kernel("elementwise", arrays.names, source.text)
    program.add_step(kernel, arrays.buffers, [output], expression.params)
