"""GLSL functions of a scalar expression over arrays: four neighbouring elements, or one.

A fragment computes the four elements of texel ``t``, from element ``4 * t`` on. How it reads an
operand depends on how that is broadcast: whole texels where it can.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.dtypes import DType
from tfpy.dtypes import bool as bool_
from tfpy.ir import expr as ex
from tfpy.lower.broadcast import View, collapse, dense_strides
from tfpy.lower.glsl import Glsl
from tfpy.lower.program import Param

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
        given: an element type: ``input_(0)`` is no array, but given to the function.
    """

    def __init__(
        self,
        prefix: str,
        root: ex.Expr,
        dtypes: Sequence[DType],
        views: Sequence[View],
        space: Sequence[int],
        given: DType | None = None,
    ) -> None:
        self.prefix, self.root, self.given = prefix, root, given
        self.names = tuple(f"{prefix}{i}" for i in range(len(views)))
        self.inputs = list(zip(self.names, dtypes, strict=True))
        """Names and element types of the arrays."""
        dims, strides = collapse(space, views)
        self._rank = len(dims)
        offsets = [view.offset for view in views]
        self._modes = [_mode(dims, s, o) for s, o in zip(strides, offsets, strict=True)]
        self.params: dict[str, Param] = {}
        """What the functions read as uniforms."""
        for x, s, offset, mode in zip(self.names, strides, offsets, self._modes, strict=True):
            if mode not in _ELEMENTS:
                self.params[f"{x}_strides"] = s
                if offset:
                    self.params[f"{x}_first"] = offset
        if self.params:
            self.params[f"{prefix}_dims"] = dims

    def texel_function(self, head: str) -> str:
        """``<head>(int t)``, or ``<head>(<given> given, int t)``: four elements of the result."""
        vector = _vector(self.root.dtype)
        parameters = "int t" if self.given is None else f"{_vector(self.given)} given, int t"
        lines = [*self._shared(), f"{head}({parameters}) {{", "    int i = 4 * t;"]
        for (x, dtype), mode in zip(self.inputs, self._modes, strict=True):
            text = _TEXELS[mode].format(x=x, v=_vector(dtype))
            lines.append(f"    {_vector(dtype)} {x} = {text};")
        calls = []
        for number, component in enumerate("xyzw"):
            args = [_argument(f"{x}.{component}", dtype) for x, dtype in self._operands()]
            calls.append(self._call(args, f"i + {number}"))
        lines += [f"    return {vector}({', '.join(calls)});", "}"]
        return "\n".join(lines)

    def element_function(self, head: str) -> str:
        """``<head>(int i)``: one element; stands behind :meth:`texel_function`."""
        args = []
        for (x, dtype), mode in zip(self.inputs, self._modes, strict=True):
            args.append(_argument(_ELEMENTS.get(mode, _ELEMENT).format(x=x), dtype))
        scalar = "float" if self.root.dtype.is_floating else "int"
        value = f"{scalar}({self._call(args, 'i')})"
        return f"{head}(int i) {{\n    return {value};\n}}"

    def _operands(self) -> list[tuple[str, DType]]:
        given = [] if self.given is None else [("given", self.given)]
        return [*given, *self.inputs]

    def _call(self, args: Sequence[str], index: str) -> str:
        return f"{self.prefix}_compute({', '.join([*args, index])})"

    def _shared(self) -> list[str]:
        """The expression itself, and where each array is read."""
        renderer = Glsl()
        tape, (result,) = ex.linearize(self.root)
        scalars = [f"{renderer.types[t]} x{i}" for i, (_, t) in enumerate(self._operands())]
        head = f"{renderer.types[self.root.dtype]} {self.prefix}_compute"
        lines = [f"{head}({', '.join([*scalars, 'int index'])}) {{"]
        lines += [f"    {statement}" for statement in renderer.statements(tape)]
        lines += [f"    return v{result};", "}"]
        for x, mode in zip(self.names, self._modes, strict=True):
            if mode not in _ELEMENTS:
                first = f"{x}_first" if f"{x}_first" in self.params else "0"
                lines += _offset_function(x, first, f"{self.prefix}_dims", self._rank)
        return lines


def _vector(dtype: DType) -> str:
    return "vec4" if dtype.is_floating else "ivec4"


def _mode(dims: Sequence[int], strides: Sequence[int], offset: int) -> str:
    if not any(strides) and offset == 0:
        return "scalar"
    if list(strides) == dense_strides(dims) and offset == 0:
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
