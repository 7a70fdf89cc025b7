"""The blocks of ``shaders/glsl/library``.

A block within `#ifdef X` or `#ifndef X` is only for kernels that define X or do not define X.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from tfpy._src.compiler.lower.shaders import library as shared
from tfpy._src.compiler.lower.shaders.library import Block, pieces_of, template, words_of

_TYPES = {"f32": "float", "i32": "int", "u32": "uint", "vec4<f32>": "vec4"}
_DECLARATION = re.compile(r"\b(?:let|var) (\w+)(?:: (\w+))? = ")
_FUNCTION = re.compile(r"^fn (\w+)\((.*?)\) -> (\S+) \{", re.MULTILINE)
_PARAMETER = re.compile(r"(\w+): (\S+)")
_STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(r"(\w+): (\w+),")
_ARRAY = re.compile(r"^const (\w+) = array<(\w+), (\d+)>", re.MULTILINE)
_CALLS = {
    "bitcast<f32>(": "as_float(",
    "bitcast<i32>(": "floatBitsToInt(",
    "bitcast<u32>(": "floatBitsToUint(",
}
"""`as_float` and `select` are functions of the GLSL library."""


def from_wgsl(text: str) -> str:
    """Return the same definitions in GLSL."""
    text = _STRUCT.sub(lambda m: f"struct {m[1]} {{\n{_MEMBER.sub(_member, m[2])}}};", text)
    text = _FUNCTION.sub(_function, text)
    text = _ARRAY.sub(lambda m: f"const {_glsl(m[2])} {m[1]}[{m[3]}] = {_glsl(m[2])}[{m[3]}]", text)
    text = _DECLARATION.sub(lambda m: f"{_glsl(m[2] or 'f32')} {m[1]} = ", text)
    for name, glsl in _CALLS.items():
        text = text.replace(name, glsl)
    return re.sub(r"\b(?:vec4<f32>|[fiu]32\b)", lambda m: _TYPES[m[0]], text)


def _glsl(kind: str) -> str:
    return _TYPES.get(kind, kind)


def _member(match: re.Match[str]) -> str:
    return f"{_glsl(match[2])} {match[1]};"


def _function(match: re.Match[str]) -> str:
    parameters = [
        f"{_glsl(kind)} {x}" for x, kind in _PARAMETER.findall(match[2].replace(",", " "))
    ]
    return f"{_glsl(match[3])} {match[1]}({', '.join(parameters)}) {{"


SHARED = ("exponential", "trigonometric", "hyperbolic")
"""Files that are written in WGSL."""

FILES = (
    "numbers",
    "integers",
    *SHARED,
    "combining",
    "products",
    "tiles",
    "windows",
)
"""Files that any kernel may use, in an order in which each file uses only previous ones."""

_NAME = re.compile(r"^(?:#define |struct |uniform highp \w+ |const \w+ |\w+ )(\w+)", re.MULTILINE)
_GUARD = re.compile(r"#(ifdef|ifndef) (\w+)\n(.*)\n#endif", re.DOTALL)


@dataclass(frozen=True)
class GuardedBlock(Block):
    """A block that may be restricted to some kernels."""

    flag: str = ""
    """Flag that a kernel must define, or must not define if `wanted` is False."""
    wanted: bool = True

    def serves(self, flags: Set[str]) -> bool:
        return not self.flag or (self.flag in flags) == self.wanted


def block(text: str) -> GuardedBlock:
    """Return the block of some code; see the module's docstring."""
    guard = _GUARD.fullmatch(text)
    kind, flag, code = guard.groups() if guard else ("ifdef", "", text)
    names = frozenset(_NAME.findall(code))
    return GuardedBlock(code, names, words_of(code), flag, kind == "ifdef")


@functools.cache
def operand(
    name: str, array: str, scalar: str, vector: str, layered: bool
) -> tuple[GuardedBlock, ...]:
    """Return the blocks that read the operand `name` of a kernel, which is stored in `array`."""
    text = template("glsl", "library/layered_operand" if layered else "library/operand")
    words = {"SAMPLER": "sampler" if scalar == "float" else "isampler", "NAME": name}
    for word, meaning in (words | {"ARRAY": array, "SCALAR": scalar, "VECTOR": vector}).items():
        text = text.replace(word, meaning)
    declaration, *readers = pieces_of(text)
    own = [declaration] if name == array else []
    return tuple(block(piece) for piece in (*own, *readers))


@functools.cache
def library() -> tuple[GuardedBlock, ...]:
    """Return the blocks that any kernel may use."""
    return tuple(block(piece) for name in FILES for piece in pieces_of(_text(name)))


def _text(name: str) -> str:
    """Return a file of the library."""
    place = f"library/{name}"
    return from_wgsl(template("wgsl", place)) if name in SHARED else template("glsl", place)


def needed(body: str, blocks: Sequence[GuardedBlock], flags: Iterable[str]) -> list[Block]:
    """Return the blocks that `body` uses with these flags, also indirectly, in their order."""
    on = set(flags)
    return shared.needed(body, [found for found in blocks if found.serves(on)])
