"""The texts of ``shaders/glsl``, and what a kernel needs of the library there.

``library/<file>.glsl`` holds blocks, separated by blank lines: functions, structures, macros. A
kernel's source takes the blocks whose names it uses, and those that these use. A block within
``#ifdef X`` or ``#ifndef X`` is only for kernels that define X, or do not.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

FILES = (
    "numbers",
    "integers",
    "exponential",
    "trigonometric",
    "hyperbolic",
    "combining",
    "products",
    "tiles",
    "windows",
)
"""What any kernel may use, in an order in which each file uses only those before it."""

_NAME = re.compile(r"^(?:#define |struct |uniform highp \w+ |\w+ )(\w+)", re.MULTILINE)
_GUARD = re.compile(r"#(ifdef|ifndef) (\w+)\n(.*)\n#endif", re.DOTALL)


@functools.cache
def template(name: str) -> str:
    """The code of ``<name>.glsl``: a file of the source tree, or an asset of the package."""
    folders = Path(__file__).parents
    source = folders[6] / "shaders" / "glsl" / f"{name}.glsl"
    if not source.is_file():
        source = folders[4] / "assets" / "glsl" / f"{name}.glsl"
    return _code(source.read_text(encoding="utf-8"))


def _code(text: str) -> str:
    """Without the lines that are comments."""
    return re.sub(r"^ *//.*\n", "", text, flags=re.MULTILINE).strip()


@dataclass(frozen=True)
class Block:
    """Some definitions of the library."""

    code: str
    names: frozenset[str]
    """What it defines."""
    words: frozenset[str]
    """What it uses, among other words."""
    flag: str = ""
    """Only for kernels that define it, or with ``wanted`` false for those that do not."""
    wanted: bool = True

    def serves(self, flags: Set[str]) -> bool:
        return not self.flag or (self.flag in flags) == self.wanted


def block(text: str) -> Block:
    """The block of a text; see the module's text."""
    guard = _GUARD.fullmatch(text)
    kind, flag, code = guard.groups() if guard else ("ifdef", "", text)
    return Block(code, frozenset(_NAME.findall(code)), words_of(code), flag, kind == "ifdef")


@functools.cache
def operand(name: str, scalar: str, vector: str, layered: bool) -> tuple[Block, ...]:
    """The blocks that read the operand ``name`` of a kernel."""
    text = template("library/layered_operand" if layered else "library/operand")
    words = {"SAMPLER": "sampler" if scalar == "float" else "isampler", "NAME": name}
    for word, meaning in (words | {"SCALAR": scalar, "VECTOR": vector}).items():
        text = text.replace(word, meaning)
    return tuple(block(piece) for piece in re.split(r"\n{2,}", text))


@functools.cache
def library() -> tuple[Block, ...]:
    """The blocks that any kernel may use."""
    texts = (template(f"library/{name}") for name in FILES)
    return tuple(block(piece) for text in texts for piece in re.split(r"\n{2,}", text))


def needed(body: str, blocks: Sequence[Block], flags: Iterable[str]) -> list[Block]:
    """The blocks that ``body`` uses, and those that these use, in their order."""
    flags = set(flags)
    taken: set[int] = set()
    words = set(words_of(body))
    count = -1
    while count != len(taken):
        count = len(taken)
        for number, found in enumerate(blocks):
            if number not in taken and not found.names.isdisjoint(words) and found.serves(flags):
                taken.add(number)
                words |= found.words
    return [blocks[number] for number in sorted(taken)]


def words_of(code: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", code))
