"""The templates in `shaders/<language>`, and the parts of their library that a kernel needs.

`library/<file>` contains blocks that are separated by blank lines: functions, structures and
macros. A kernel's source contains the blocks with names that it uses, and the blocks that these
use.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@functools.cache
def template(language: str, name: str) -> str:
    """Return the code of `<name>.<language>`, from the source tree or the package's assets."""
    folders = Path(__file__).parents
    source = folders[6] / "shaders" / language / f"{name}.{language}"
    if not source.is_file():
        source = folders[4] / "assets" / language / f"{name}.{language}"
    return _code(source.read_text(encoding="utf-8"))


def _code(text: str) -> str:
    """Remove the lines that are comments."""
    return re.sub(r"^ *//.*\n", "", text, flags=re.MULTILINE).strip()


def pieces_of(text: str) -> list[str]:
    """Return the blocks of a library file."""
    return re.split(r"\n{2,}", text)


@dataclass(frozen=True)
class Block:
    """Definitions of the library."""

    code: str
    names: frozenset[str]
    """Names that the block defines."""
    words: frozenset[str]
    """Words in the code, which include the names that it uses."""


def needed(body: str, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks that `body` uses, directly or through other blocks, in their order."""
    taken: set[int] = set()
    words = set(words_of(body))
    count = -1
    while count != len(taken):
        count = len(taken)
        for number, found in enumerate(blocks):
            if number not in taken and not found.names.isdisjoint(words):
                taken.add(number)
                words |= found.words
    return [blocks[number] for number in sorted(taken)]


def words_of(code: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", code))
