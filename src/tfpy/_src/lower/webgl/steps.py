"""What the kernels on WebGL2 share: steps with prologues and epilogues, how long sums are split."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.ir.kernel import Epilogue, KernelCall, Param, Prologue
from tfpy._src.lower.program import Kernel, Program
from tfpy._src.lower.webgl.glsl.expression import Expression
from tfpy._src.lower.webgl.glsl.library import template
from tfpy._src.lower.webgl.glsl.shader import Finish, kernel_source
from tfpy._src.lower.webgl.textures import Chunks, drawn_in, layers_of, texture

MIN_TARGETS = 4
"""Textures that a fragment can write at once on any WebGL2 device."""

MAX_TEXTURES = 16
"""Textures that a fragment shader can read on any WebGL2 device."""

LONGEST_SUM = 256
"""Elements that one fragment combines at most in a reduction."""

ONE_STEP = 64
"""Elements that one fragment combines rather than leave a second step to do."""

ENOUGH_FRAGMENTS = 8192
"""With so many outputs a long sum is not split further for the sake of parallelism."""

Params = dict[str, Any]

_MADE = -1
"""Stands for the operand that a prologue makes, among buffers."""


class Steps:
    """Adds the steps of one kernel call to a Program.

    The epilogue is applied by the step that writes ``output``, the prologue by the steps that read
    the buffer that stands for its result. Fragments write up to ``targets`` texels
    and read up to ``block`` bytes of an input through a uniform block.
    """

    def __init__(
        self,
        program: Program,
        call: KernelCall,
        inputs: Sequence[int],
        output: int,
        targets: int = MIN_TARGETS,
        block: int = 0,
    ) -> None:
        self.program = program
        self.targets = targets
        self.block = block
        self.call = call
        self.inputs = list(inputs)
        self.output = output
        self._made: tuple[Expression, list[int]] | None = None
        self._finish: tuple[Expression, list[int]] | None = None
        self._dtype = program.buffers[output].dtype
        if call.epilogue is not None:
            self._finish = self._take_epilogue(call.epilogue)
        if call.prologue is not None:
            self._made = self._take_prologue(call.prologue)

    def _take_epilogue(self, epilogue: Epilogue) -> tuple[Expression, list[int]]:
        count = len(self.inputs) - len(epilogue.views)
        self.inputs, extra = self.inputs[:count], self.inputs[count:]
        dtypes = [self.program.buffers[b].dtype for b in extra]
        self._dtype = epilogue.result
        views, space = epilogue.views, epilogue.out.shape
        return Expression("e", epilogue.root, dtypes, views, space, self._dtype), extra

    def _take_prologue(self, prologue: Prologue) -> tuple[Expression, list[int]]:
        count = len(prologue.views)
        read, self.inputs = self.inputs[:count], [_MADE, *self.inputs[count:]]
        dtypes = [self.program.buffers[b].dtype for b in read]
        return Expression("p", prologue.root, dtypes, prologue.views, prologue.out.shape), read

    def step(
        self,
        name: str,
        inputs: Mapping[str, int],
        output: int,
        params: Mapping[str, Param],
        defines: Sequence[str] = (),
        chunks: Chunks | None = None,
    ) -> None:
        """Adds one step: the template ``name`` on named input buffers, drawn in chunks if told."""
        buffers = self.program.buffers
        read = {x: b for x, b in inputs.items() if b != _MADE}
        body, params, finish = template(name), dict(params), None
        for x in inputs.keys() - read.keys():
            assert self._made is not None
            expression, own = self._made
            body = f"{_made_operand(x, expression, 'QUADS' in defines)}\n{body}"
            read |= zip(expression.names, own, strict=True)
            params |= expression.params
            defines = [*defines, "PROLOGUE"]
        if self._finish is not None and output == self.output:
            expression, own = self._finish
            vector = "vec4" if buffers[self.output].dtype.is_floating else "ivec4"
            finish = Finish(expression.texel_function(f"{vector} finish"), self._dtype)
            read |= zip(expression.names, own, strict=True)
            params |= expression.params
        types = [(x, buffers[b].dtype) for x, b in read.items()]
        layered = [x for x, b in read.items() if layers_of(buffers[b]) > 1]
        out, layers = buffers[output].dtype, layers_of(buffers[output])
        source = kernel_source(body, types, out, params, defines, layers, layered, finish)
        kernel = Kernel(name, tuple(read), source.text)
        numbers = {k: v for k, v in params.items() if k in source.members}
        arrays = list(read.values())
        assert chunks is None or chunks.count * chunks.nbytes <= buffers[arrays[-1]].nbytes
        self.program.add_step(kernel, arrays, [output], numbers, **drawn_in(chunks))

    def like(self, output: int, count: int, layers: int = 1, line: int | None = None) -> int:
        """A new buffer of the result's type, of ``count`` elements for each layer."""
        dtype = self._dtype if output == self.output else self.program.buffers[output].dtype
        return self.program.add_buffer([layers, count], dtype, **texture(layers, line))


def _made_operand(x: str, expression: Expression, quads: bool) -> str:
    """What reads the operand ``x`` of a template: an expression instead of a texture."""
    scalar, vector = ("float", "vec4") if expression.root.dtype.is_floating else ("int", "ivec4")
    return "\n".join(
        [
            f"#define {x}_TYPE {scalar}",
            expression.texel_function(f"{vector} {x}_texel"),
            expression.element_function(f"{scalar} {x}_at"),
            f"#define {x}_value {x}_{'texel' if quads else 'at'}",
        ]
    )


def inputs_of(call: KernelCall, inputs: Sequence[int]) -> dict[str, int]:
    """The buffers by the names that the template reads them by."""
    return dict(zip(call.inputs, inputs, strict=True))


def flags_of(**flags: bool) -> list[str]:
    """The names of the flags that are set, which the template is compiled with."""
    return [name for name, on in flags.items() if on]


def chunk_of(n: int, outputs: int, longest: int = LONGEST_SUM) -> int:
    """How many of ``n`` elements a fragment combines, so that enough fragments run.

    A multiple of four, or all of them; at least 1.
    """
    if n <= ONE_STEP or (n <= longest and outputs >= ENOUGH_FRAGMENTS):
        return max(n, 1)
    if outputs >= ENOUGH_FRAGMENTS:
        return longest
    return min(longest, 4 * math.ceil(math.sqrt(n) / 4))
