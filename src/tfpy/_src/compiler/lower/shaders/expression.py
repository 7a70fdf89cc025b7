"""Functions of a scalar expression over arrays, for four adjacent elements or for one.

A shader computes the four elements of texel `t`, from element `4 * t` on. It reads whole texels of
an operand where the operand's broadcasting allows it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from tfpy._src.base.dtypes import DType, bool as bool_
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.kernel import Param
from tfpy._src.compiler.ir.strides import View, collapse, dense_strides
from tfpy._src.compiler.lower.shaders.language import ShadingLanguage

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

_LONG = 64
"""Number of instructions from which compilers are slow with four copies of an expression."""


def is_long(root: ex.Expr) -> bool:
    """Return True if one copy of an expression should compute the four elements of a texel."""
    instructions, _ = ex.linearize(root)
    return len(instructions) > _LONG


class Expression:
    """An expression over arrays that are read as `<prefix>0`, `<prefix>1` and so on.

    Args:
        language: Language of the code.
        dtypes, views: Dtypes and views of the arrays, which are read from the index space `space`.
        result: Element type of a kernel's result. If given, `input_(0)` is not an array but an
            argument of the function.
    """

    def __init__(
        self,
        language: ShadingLanguage,
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
        """Parameters that the functions read."""
        for x, s, offset, mode in zip(self.names, strides, offsets, modes, strict=True):
            if mode not in _ELEMENTS:
                self.params[f"{x}_strides"] = s
                if offset:
                    self.params[f"{x}_first"] = offset
        if self.params:
            self.params[f"{prefix}_dims"] = dims
        starts = tuple(
            language.number(f"{x}_first") if f"{x}_first" in self.params else "0"
            for x in self.names
        )
        inputs, ways = tuple(self.inputs), tuple(modes)
        self._text = _Text(language, prefix, root, inputs, ways, starts, len(dims), result)

    def shared(self) -> str:
        """Return the code that the functions call: the expression and the offsets into arrays."""
        return _shared(self._text)

    def texel_function(self, name: str, kind: str) -> str:
        """Return the function `name` of a texel's number, with four elements of type `kind`.

        If the expression has a kernel's result, the result is the first parameter.
        """
        return _texel_function(self._text, name, kind)

    def element_function(self, name: str, kind: str) -> str:
        """Return the same function for one element, with its position."""
        return _element_function(self._text, name, kind)


@dataclass(frozen=True)
class _Text:
    """Everything that determines the code of an expression; the values of parameters do not."""

    language: ShadingLanguage
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

    def head(self, fours: bool, position: str) -> list[tuple[str, str]]:
        """Return the parameters of a function: the result of a kernel, if any, and a position."""
        at = (self.language.int_, position)
        if self.result is None:
            return [at]
        return [(self.language.stored(self.result)[fours], "result"), at]


@functools.lru_cache(maxsize=256)  # unrolled loops repeat the same expression
def _shared(text: _Text) -> str:
    language = text.language
    instructions, (last,) = ex.linearize(text.root)
    scalars = [(language.types[t], f"x{i}") for i, (_, t) in enumerate(text.operands())]
    lines = language.function(
        f"{text.prefix}_compute",
        language.types[text.root.dtype],
        [*scalars, (language.int_, "index")],
        [*language.statements(instructions), f"return v{last};"],
    )
    for (x, _), mode, start in zip(text.inputs, text.modes, text.starts, strict=True):
        if mode not in _ELEMENTS:
            lines += _offset_function(language, x, start, f"{text.prefix}_dims", text.rank)
    return "\n".join(lines)


@functools.lru_cache(maxsize=256)
def _texel_function(text: _Text, name: str, kind: str) -> str:
    language = text.language
    lines = [language.variable(language.int_, "i", "4 * t")]
    for (x, dtype), mode in zip(text.inputs, text.modes, strict=True):
        _, vector = language.stored(dtype)
        lines.append(language.variable(vector, x, _TEXELS[mode].format(x=x, v=vector)))
    scalar, vector = language.stored(text.root.dtype)

    def computed(component: str, number: str) -> str:
        args = [_argument(f"{x}{component}", dtype) for x, dtype in text.operands()]
        call = text.call(args, f"i + {number}")
        return f"{scalar}({call})" if text.root.dtype == bool_ else call

    if is_long(text.root):
        lines.append(language.variable(vector, "four", f"{vector}(0)"))
        lines.append(language.count_down("k", 4))
        lines.append(f"    four[k - 1] = {computed('[k - 1]', 'k - 1')};")
        lines += ["}", "return four;"]
    else:
        calls = [computed(f".{component}", str(number)) for number, component in enumerate("xyzw")]
        lines.append(f"return {vector}({', '.join(calls)});")
    return "\n".join(language.function(name, kind, text.head(True, "t"), lines))


def _element_function(text: _Text, name: str, kind: str) -> str:
    args = [] if text.result is None else [_argument("result", text.result)]
    for (x, dtype), mode in zip(text.inputs, text.modes, strict=True):
        args.append(_argument(_ELEMENTS.get(mode, _ELEMENT).format(x=x), dtype))
    scalar, _ = text.language.stored(text.root.dtype)
    line = f"return {scalar}({text.call(args, 'i')});"
    return "\n".join(text.language.function(name, kind, text.head(False, "i"), [line]))


def _mode(dims: Sequence[int], dense: Sequence[int], strides: Sequence[int], offset: int) -> str:
    """Return how the elements of a texel are read, a key of :data:`_TEXELS`."""
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


def _offset_function(
    language: ShadingLanguage, x: str, first: str, dims: str, rank: int
) -> list[str]:
    size, stride = language.item(dims, "d"), language.item(f"{x}_strides", "d")
    lines = [
        language.variable(language.int_, "rest", "i"),
        language.variable(language.int_, "at", first),
        language.count_down("d", rank - 1),
        f"    {language.variable(language.int_, 'outer', f'rest / {size}')}",
        f"    at += (rest - outer * {size}) * {stride};",
        "    rest = outer;",
        "}",
        f"return at + rest * {language.item(f'{x}_strides', '0')};",
    ]
    return language.function(f"{x}_offset", language.int_, [(language.int_, "i")], lines)
