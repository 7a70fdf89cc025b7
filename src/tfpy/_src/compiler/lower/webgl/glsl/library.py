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
from tfpy._src.compiler.lower.webgl.glsl.from_wgsl import from_wgsl

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
