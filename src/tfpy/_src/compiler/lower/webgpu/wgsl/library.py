"""The templates in `shaders/wgsl`, with conditional parts.

A template has lines `#if NAME`, `#if !NAME`, `#else` and `#endif`, where NAME is a flag. `$NAME` is
replaced by the value of a flag that has one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from string import Template

from tfpy._src.compiler.lower.shaders.library import Block, pieces_of, template, words_of

FILES = (
    "numbers",
    "integers",
    "exponential",
    "trigonometric",
    "hyperbolic",
    "combining",
    "bytes",
    "packed",
    "stored",
    "blocks",
    "windows",
    "rows",
    "operands",
    "tiles",
    "matrices",
)
"""Files that any kernel may use."""

Flags = tuple[str, ...]
"""Names, or names with values: `"QUADS"`, `"RANK 3"`."""

_NAME = re.compile(r"^(?:fn|struct|alias|const|var<\w+>) (\w+)", re.MULTILINE)


def block(text: str) -> Block:
    """Return the block of some code."""
    return Block(text, frozenset(_NAME.findall(text)), words_of(text))


@functools.lru_cache(maxsize=256)
def specialized(text: str, flags: Flags) -> str:
    """Return the code for a kernel with these flags.

    Raises:
        KeyError: If a value is missing.
    """
    values = {name: value for name, _, value in (flag.partition(" ") for flag in flags)}
    kept = "\n".join(_kept(text, values))
    return Template(kept).substitute(values) if "$" in kept else kept


def _kept(text: str, values: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    on = [True]  # for each enclosing condition, whether it holds
    for line in text.splitlines():
        word, _, name = line.strip().partition(" ")
        if word == "#if":
            on.append(
                name.removeprefix("!") in values if name[0] != "!" else name[1:] not in values
            )
        elif word == "#else":
            on[-1] = not on[-1]
        elif word == "#endif":
            on.pop()
        elif all(on):
            lines.append(line)
    return lines


@functools.lru_cache(maxsize=64)
def library(flags: Flags) -> tuple[Block, ...]:
    """Return the blocks that a kernel with these flags may use."""
    texts = (specialized(template("wgsl", f"library/{name}"), flags) for name in FILES)
    return tuple(block(piece) for text in texts for piece in pieces_of(text.strip()))
