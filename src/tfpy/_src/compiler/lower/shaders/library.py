"""The texts of ``shaders/<language>``, and what a kernel needs of the library there.

``library/<file>`` holds blocks, separated by blank lines: functions, structures, macros. A kernel's
source takes the blocks whose names it uses, and those that these use.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@functools.cache
def template(language: str, name: str) -> str:
    """The code of ``<name>.<language>``: a file of the source tree, or an asset of the package."""
    folders = Path(__file__).parents
    source = folders[6] / "shaders" / language / f"{name}.{language}"
    if not source.is_file():
        source = folders[4] / "assets" / language / f"{name}.{language}"
    return _code(source.read_text(encoding="utf-8"))


def _code(text: str) -> str:
    """Without the lines that are comments."""
    return re.sub(r"^ *//.*\n", "", text, flags=re.MULTILINE).strip()


def pieces_of(text: str) -> list[str]:
    """The blocks of a file of the library."""
    return re.split(r"\n{2,}", text)


@dataclass(frozen=True)
class Block:
    """Some definitions of the library."""

    code: str
    names: frozenset[str]
    """What it defines."""
    words: frozenset[str]
    """What it uses, among other words."""


def needed(body: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks that ``body`` uses, and those that these use, in their order."""
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
