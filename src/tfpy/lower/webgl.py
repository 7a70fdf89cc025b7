"""Lowers a Graph to a Program of WebGL2 fragment shaders.

What a shader is specialised for (types, ranks, whole texels) is decided here and, for named
kernels, in ``webgl_kernels.py``; shapes stay parameters, so that one compiled shader serves all.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.dtypes import DType
from tfpy.dtypes import bool as bool_
from tfpy.ir import expr as ex
from tfpy.ir.graph import Graph
from tfpy.lower.broadcast import collapse, dense_strides
from tfpy.lower.common import Elementwise, build_program
from tfpy.lower.glsl import Glsl, kernel_source
from tfpy.lower.program import Kernel, NotLowerable, Program
from tfpy.lower.webgl_kernels import MAX_TEXTURES, add_kernel
from tfpy.lower.webgl_steps import MIN_TARGETS
from tfpy.ops.op import KernelCall


def lower(graph: Graph, targets: int = MIN_TARGETS) -> Program:
    """The WebGL2 Program of a Graph.

    Args:
        targets: how many textures the device writes to at once: 4 (all can) or 8 (most can).

    Raises:
        ValueError: when a value has a dtype that devices do not store.
        NotLowerable: when an elementwise equation reads more arrays than a shader can.
    """
    return build_program(graph, "webgl", _Emitter(targets))


class _Emitter:
    """See :class:`tfpy.lower.common.Emitter`."""

    def __init__(self, targets: int = MIN_TARGETS) -> None:
        self._targets = targets

    def elementwise(self, program: Program, call: Elementwise, output: int) -> None:
        """Renders the expression into a kernel of its own."""
        if len(call.buffers) > MAX_TEXTURES:
            raise NotLowerable(f"webgl: an elementwise kernel reads {len(call.buffers)} arrays")
        dims, strides = collapse(call.out.shape, call.shapes)
        modes = [_mode(dims, s) for s in strides]
        params = {f"x{i}_strides": strides[i] for i, mode in enumerate(modes) if mode in _OFFSET}
        if params:
            params["dims"] = dims
        names = tuple(f"x{i}" for i in range(len(call.buffers)))
        types = [program.buffers[b].dtype for b in call.buffers]
        source = kernel_source(
            _body(call.root, types, modes),
            list(zip(names, types, strict=True)),
            call.out.dtype,
            params,
            ["QUADS", f"RANK {len(dims)}"] if params else ["QUADS"],
        )
        program.add_step(Kernel("elementwise", names, source), call.buffers, [output], params)

    def kernel(
        self, program: Program, call: KernelCall, inputs: Sequence[int], output: int
    ) -> None:
        """Adds the steps of a named kernel."""
        add_kernel(program, call, inputs, output, self._targets)


# How a fragment, which computes four neighbours from element i = 4 * t on, reads an input.
_READS = {
    "dense": "{x}_texel(t)",
    "scalar": "{v}({x}_at(0))",
    "texel": "{x}_texel({x}_offset(i) >> 2)",
    "splat": "{v}({x}_at({x}_offset(i)))",
    "element": "{v}({x}_at({x}_offset(i)), {x}_at({x}_offset(i + 1)), "
    "{x}_at({x}_offset(i + 2)), {x}_at({x}_offset(i + 3)))",
}
_OFFSET = ("texel", "splat", "element")


def _mode(dims: Sequence[int], strides: Sequence[int]) -> str:
    if not any(strides):
        return "scalar"
    if list(strides) == dense_strides(dims):
        return "dense"
    if dims[-1] % 4 == 0 and strides[-1] == 0:
        return "splat"
    if dims[-1] % 4 == 0 and all(s % 4 == 0 for s in strides[:-1]):
        return "texel"
    return "element"


def _body(root: ex.Expr, types: Sequence[DType], modes: Sequence[str]) -> str:
    renderer = Glsl()
    tape, (result,) = ex.linearize(root)
    scalars = [f"{renderer.types[dtype]} x{i}" for i, dtype in enumerate(types)]
    lines = [f"{renderer.types[root.dtype]} compute({', '.join([*scalars, 'int index'])}) {{"]
    lines += [f"    {statement}" for statement in renderer.statements(tape)]
    lines += [f"    return v{result};", "}"]
    for i, mode in enumerate(modes):
        if mode in _OFFSET:
            lines += _offset_function(f"x{i}")
    lines += ["V value(int t) {", "    int i = 4 * t;"]
    for i, (dtype, mode) in enumerate(zip(types, modes, strict=True)):
        vector = "vec4" if dtype.is_floating else "ivec4"
        lines.append(f"    {vector} x{i} = {_READS[mode].format(x=f'x{i}', v=vector)};")
    calls = []
    for number, component in enumerate("xyzw"):
        args = [_argument(f"x{i}.{component}", dtype) for i, dtype in enumerate(types)]
        calls.append(f"compute({', '.join([*args, f'i + {number}'])})")
    lines += [f"    return V({', '.join(calls)});", "}"]
    return "\n".join(lines)


def _argument(stored: str, dtype: DType) -> str:
    return f"bool({stored})" if dtype == bool_ else stored


def _offset_function(x: str) -> list[str]:
    return [
        f"int {x}_offset(int i) {{",
        "    int at = 0;",
        "    for (int d = RANK - 1; d > 0; d--) {",
        "        int rest = i / dims[d];",
        f"        at += (i - rest * dims[d]) * {x}_strides[d];",
        "        i = rest;",
        "    }",
        f"    return at + i * {x}_strides[0];",
        "}",
    ]
