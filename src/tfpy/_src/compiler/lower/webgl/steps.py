"""The common parts of WebGL2 kernels: fragments that write several texels and read blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.compiler.ir.kernel import KernelCall, Param
from tfpy._src.compiler.lower.program import Kernel, Program
from tfpy._src.compiler.lower.shaders.arrays import Arrays
from tfpy._src.compiler.lower.shaders.steps import Steps
from tfpy._src.compiler.lower.webgl.glsl.language import GLSL
from tfpy._src.compiler.lower.webgl.glsl.shader import Finish, kernel_source
from tfpy._src.compiler.lower.webgl.textures import Chunks, drawn_in, layers_of, texture

MIN_TARGETS = 4
"""Number of textures that a fragment can write at once on any WebGL2 device."""

MAX_TEXTURES = 16
"""Number of textures that a fragment shader can read on any WebGL2 device."""


class WebGLSteps(Steps):
    """Steps with fragments that write several texels and read uniform blocks.

    Fragments write up to `targets` texels, and read up to `block` bytes of an input through a
    uniform block.
    """

    language = GLSL
    max_inputs = MAX_TEXTURES

    def __init__(
        self,
        program: Program,
        call: KernelCall,
        inputs: Sequence[int],
        output: int,
        targets: int = MIN_TARGETS,
        block: int = 0,
    ) -> None:
        super().__init__(program, call, inputs, output)
        self.targets = targets
        self.block = block

    def step(
        self,
        name: str,
        inputs: Mapping[str, int],
        output: int,
        params: Mapping[str, Param],
        defines: Sequence[str] = (),
        chunks: Chunks | None = None,
    ) -> None:
        """Add one step: the template `name` on named input buffers, drawn in `chunks` if given."""
        buffers = self.program.buffers
        parts = self.parts(name, inputs, output, params, defines)
        finish = None
        if parts.finish is not None:
            _, vector = GLSL.stored(buffers[output].dtype)
            text = f"{parts.finish.shared()}\n{parts.finish.texel_function('finish', vector)}"
            finish = Finish(text, self.result_dtype(output))
        arrays = Arrays(parts.read, buffers)
        layered = [x for x, b in parts.read.items() if layers_of(buffers[b]) > 1]
        out, layers = buffers[output].dtype, layers_of(buffers[output])
        source = kernel_source(
            parts.body, arrays.operands, out, parts.params, parts.defines, layers, layered, finish
        )
        kernel = Kernel(name, arrays.names, source.text)
        numbers = {k: v for k, v in parts.params.items() if k in source.members}
        if chunks is not None:
            assert chunks.count * chunks.nbytes <= buffers[arrays.buffers[-1]].nbytes
        self.program.add_step(kernel, arrays.buffers, [output], numbers, **drawn_in(chunks))

    def like(self, output: int, count: int, layers: int = 1, line: int | None = None) -> int:
        """Add a buffer of the result's dtype, with `count` elements per layer."""
        dtype = self.result_dtype(output)
        return self.program.add_buffer([layers, count], dtype, **texture(layers, line))
