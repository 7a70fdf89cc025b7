"""Lowers a Graph to a Program of WebGL2 fragment shaders.

What a shader is specialised for (types, ranks, whole texels) is decided here and, for named
kernels, in ``webgl_kernels.py``; shapes stay parameters, so that one compiled shader serves all.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tfpy._src.errors import NotLowerable
from tfpy._src.ir.aval import Aval
from tfpy._src.ir.graph import Graph
from tfpy._src.ir.kernel import Epilogue, KernelCall, Prologue
from tfpy._src.lower.common import Elementwise, build_program
from tfpy._src.lower.donation_plan import reuse_dead
from tfpy._src.lower.program import Kernel, Program
from tfpy._src.lower.webgl.attention import takes_attention
from tfpy._src.lower.webgl.glsl import kernel_source
from tfpy._src.lower.webgl.glsl_expression import Expression
from tfpy._src.lower.webgl.kernels import add_kernel
from tfpy._src.lower.webgl.steps import MAX_TEXTURES, MIN_TARGETS, takes_epilogue, takes_prologue


def lower(
    graph: Graph, donors: Collection[int] = (), targets: int = MIN_TARGETS, block: int = 0
) -> Program:
    """The WebGL2 Program of a Graph.

    Args:
        donors: positions of inputs that a run may be given for good; the Graph has no complex
            values then.
        targets: how many textures the device writes to at once: 4 (all can) or 8 (most can).
        block: bytes of an input that a fragment reads through a uniform block, 0 if that is slow.

    Raises:
        ValueError: when a value has a dtype that devices do not store.
        NotLowerable: when an elementwise equation reads more arrays than a shader can.
    """
    program = build_program(graph, "webgl", _Emitter(targets, block))
    reuse_dead(program, [program.inputs[i] for i in donors])
    return program


class _Emitter:
    """See :class:`tfpy.lower.common.Emitter`."""

    def __init__(self, targets: int = MIN_TARGETS, block: int = 0) -> None:
        self._targets, self._block = targets, block

    def elementwise(self, program: Program, call: Elementwise, output: int) -> None:
        """Renders the expression into a kernel of its own."""
        if len(call.buffers) > MAX_TEXTURES:
            raise NotLowerable(f"webgl: an elementwise kernel reads {len(call.buffers)} arrays")
        dtypes = [program.buffers[b].dtype for b in call.buffers]
        expression = Expression("x", call.root, dtypes, call.views, call.out.shape)
        source = kernel_source(
            expression.texel_function("V value"),
            expression.inputs,
            call.out.dtype,
            expression.params,
            ["QUADS"],
        )
        kernel = Kernel("elementwise", expression.names, source.text)
        program.add_step(kernel, call.buffers, [output], expression.params)

    def kernel(
        self, program: Program, call: KernelCall, inputs: Sequence[int], output: int
    ) -> None:
        """Adds the steps of a named kernel."""
        add_kernel(program, call, inputs, output, self._targets, self._block)


class WebGLTarget:
    """What fusion passes may do for WebGL2; see :class:`tfpy.passes.target.Target`."""

    fuses_loops = True
    fuses_prologues = True
    max_inputs = MAX_TEXTURES
    kernels = frozenset({"softmax", "log_softmax", "layer_norm", "attention"})

    def takes_epilogue(self, call: KernelCall, epilogue: Epilogue, out: Aval) -> bool:
        """Any expression, as long as the kernel's last step reads no more textures than it can."""
        return takes_epilogue(call, epilogue)

    def takes_prologue(self, call: KernelCall, prologue: Prologue) -> bool:
        """Kernels that read each element of their operand about once."""
        return takes_prologue(call, prologue)

    def takes_attention(self, call: KernelCall) -> bool:
        """Small products."""
        return takes_attention(call)
