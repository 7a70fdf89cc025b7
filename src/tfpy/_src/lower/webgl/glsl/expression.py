"""GLSL functions of a scalar expression over arrays: four neighbouring elements, or one.

A fragment computes the four elements of texel ``t``, from element ``4 * t`` on. How it reads an
operand depends on how that is broadcast: whole texels where it can.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from tfpy._src.dtypes import DType, bool as bool_
from tfpy._src.ir import expr as ex
from tfpy._src.ir.kernel import Param
from tfpy._src.ir.strides import View, collapse, dense_strides
from tfpy._src.lower.webgl.glsl.language import Glsl

_TEXELS = {
    "dense": "{x}_texel(t)",
    "scalar": "{v}({x}_at(0))",
    "texel": "{x}_texel({x}_offset(i) >> 2)",
    "splat": "{v}({x}_at({x}_offset(i)))",
    "element": "{v}({x}_at({x}_offset(i)), {x}_at({x}_offset(i + 1)), "
    "{x}_at({x}_offset(i + 2)), {x}_at({x}_offset(i + 3)))",
}
_ELEMENTS = {"dense": "{x}_at(i)", "scalar": "{x}_at(0)"}
_ELEMENT = "{x}_at({x}_offset(i))"


class Expression:
    """An expression over arrays that are read as ``<prefix>0``, ``<prefix>1`` and so on.

    Args:
        dtypes, views: of the arrays, which are read from the index space ``space``.
        result: the element type of a kernel's result: that is ``input_(0)``, no array but passed to
            the function.
    """

    def __init__(
        self,
        prefix: str,
        root: ex.Expr,
        dtypes: Sequence[DType],
        views: Sequence[View],
        space: Sequence[int],
        result: DType | None = None,
    ) -> None:
        self.root = root
        self.names = tuple(f"{prefix}{i}" for i in range(len(views)))
        self.inputs = list(zip(self.names, dtypes, strict=True))
        """Names and element types of the arrays."""
        dims, strides = collapse(space, views)
        dense = dense_strides(dims)
        offsets = [view.offset for view in views]
        modes = [_mode(dims, dense, s, o) for s, o in zip(strides, offsets, strict=True)]
        self.params: dict[str, Param] = {}
        """What the functions read as uniforms."""
        for x, s, offset, mode in zip(self.names, strides, offsets, modes, strict=True):
            if mode not in _ELEMENTS:
                self.params[f"{x}_strides"] = s
                if offset:
                    self.params[f"{x}_first"] = offset
        if self.params:
            self.params[f"{prefix}_dims"] = dims
        starts = tuple(f"{x}_first" if f"{x}_first" in self.params else "0" for x in self.names)
        inputs, ways = tuple(self.inputs), tuple(modes)
        self._text = _Text(prefix, root, inputs, ways, starts, len(dims), result)

    def texel_function(self, head: str) -> str:
        """``<head>(int t)``, or ``<head>(<result> result, int t)``: four elements of the result."""
        return _texel_function(self._text, head)

    def element_function(self, head: str) -> str:
        """``<head>(int i)``: one element; stands behind :meth:`texel_function`."""
        return _element_function(self._text, head)


@dataclass(frozen=True)
class _Text:
    """What the text of an expression depends on: everything but the numbers in its uniforms."""

    prefix: str
    root: ex.Expr
    inputs: tuple[tuple[str, DType], ...]
    modes: tuple[str, ...]
    starts: tuple[str, ...]
    rank: int
    result: DType | None

    def operands(self) -> list[tuple[str, DType]]:
        result = [] if self.result is None else [("result", self.result)]
        return [*result, *self.inputs]

    def call(self, args: Sequence[str], index: str) -> str:
        return f"{self.prefix}_compute({', '.join([*args, index])})"

    def shared(self) -> list[str]:
        """The expression itself, and where each array is read."""
        renderer = Glsl()
        instructions, (last,) = ex.linearize(self.root)
        statements = renderer.statements(instructions)
        scalars = [f"{renderer.types[t]} x{i}" for i, (_, t) in enumerate(self.operands())]
        head = f"{renderer.types[self.root.dtype]} {self.prefix}_compute"
        text = [f"{head}({', '.join([*scalars, 'int index'])}) {{"]
        text += [f"    {statement}" for statement in statements]
        text += [f"    return v{last};", "}"]
        for (x, _), mode, start in zip(self.inputs, self.modes, self.starts, strict=True):
            if mode not in _ELEMENTS:
                text += _offset_function(x, start, f"{self.prefix}_dims", self.rank)
        return text


@functools.lru_cache(maxsize=256)  # unrolled loops have the same expression again and again
def _texel_function(text: _Text, head: str) -> str:
    lines = text.shared()
    vector = _vector(text.root.dtype)
    parameters = "int t" if text.result is None else f"{_vector(text.result)} result, int t"
    lines += [f"{head}({parameters}) {{", "    int i = 4 * t;"]
    for (x, dtype), mode in zip(text.inputs, text.modes, strict=True):
        read = _TEXELS[mode].format(x=x, v=_vector(dtype))
        lines.append(f"    {_vector(dtype)} {x} = {read};")
    calls = []
    for number, component in enumerate("xyzw"):
        args = [_argument(f"{x}.{component}", dtype) for x, dtype in text.operands()]
        calls.append(text.call(args, f"i + {number}"))
    lines += [f"    return {vector}({', '.join(calls)});", "}"]
    return "\n".join(lines)


def _element_function(text: _Text, head: str) -> str:
    args = []
    for (x, dtype), mode in zip(text.inputs, text.modes, strict=True):
        args.append(_argument(_ELEMENTS.get(mode, _ELEMENT).format(x=x), dtype))
    scalar = "float" if text.root.dtype.is_floating else "int"
    return f"{head}(int i) {{\n    return {scalar}({text.call(args, 'i')});\n}}"


def _vector(dtype: DType) -> str:
    return "vec4" if dtype.is_floating else "ivec4"


def _mode(dims: Sequence[int], dense: Sequence[int], strides: Sequence[int], offset: int) -> str:
    """How the elements of a texel are read: a key of :data:`_TEXELS`."""
    if not any(strides) and offset == 0:
        return "scalar"
    if strides == dense and offset == 0:
        return "dense"
    if dims[-1] % 4 == 0 and strides[-1] == 0:
        return "splat"
    whole = all(n % 4 == 0 for n in (dims[-1], *strides[:-1], offset))
    if whole and strides[-1] == 1:
        return "texel"
    return "element"


def _argument(stored: str, dtype: DType) -> str:
    return f"bool({stored})" if dtype == bool_ else stored


def _offset_function(x: str, first: str, dims: str, rank: int) -> list[str]:
    return [
        f"int {x}_offset(int i) {{",
        f"    int at = {first};",
        f"    for (int d = {rank - 1}; d > 0; d--) {{",
        f"        int rest = i / {dims}[d];",
        f"        at += (i - rest * {dims}[d]) * {x}_strides[d];",
        "        i = rest;",
        "    }",
        f"    return at + i * {x}_strides[0];",
        "}",
    ]
