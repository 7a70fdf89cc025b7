"""Tests that every block of code in a document is read by a test."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import pytest
from guides.documents import FENCE, ROOT, Block, blocks_of, documents

DRAWINGS = {("docs/architecture.md", "public name  →"): "names of parts, each with its section"}
"""Blocks that no program prints, with the reason."""


class Taken(NamedTuple):
    """The arguments of a call of `documents.blocks` in a test."""

    document: str
    language: str
    having: str = ""

    def has(self, block: Block) -> bool:
        """Return True if the call returns the block."""
        return self[:2] == (block.document, block.language) and self.having in block.text


def calls() -> Iterator[Taken]:
    """Yield the calls in all tests."""
    for top in ("tests", "e2e"):
        for file in sorted((ROOT / top).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if "from guides.documents import" in text:
                yield from calls_in(ast.parse(text, file))


def calls_in(tree: ast.Module) -> Iterator[Taken]:
    """Yield the calls in a file.

    Raises:
        ValueError: If an argument is not a literal, because the blocks are unknown then.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="block" | "blocks"), args=arguments):
                yield Taken(*map(ast.literal_eval, arguments))


TAKEN = [*calls()]


def is_taken(block: Block) -> bool:
    """Return True if a test or Sphinx reads a block, or if it is in `DRAWINGS`.

    `test_documents.py` reads each ``python`` block, and Sphinx reads directives.
    """
    return (
        block.language == "python"
        or block.language.startswith("{")
        or any(taken.has(block) for taken in TAKEN)
        or any(block.document == page and words in block.text for page, words in DRAWINGS)
    )


@pytest.mark.parametrize("document", documents())
def test_each_block_is_taken(document: str) -> None:
    left = [f"{one.line}: {one.language}" for one in blocks_of(document) if not is_taken(one)]
    assert left == [], "no test reads these blocks with guides.documents.blocks"


@pytest.mark.parametrize("document", documents())
def test_code_stands_between_fences(document: str) -> None:
    """Check that no code is indented instead of fenced, and that each fence has a language."""
    text = FENCE.sub("", (ROOT / document).read_text(encoding="utf-8"))
    assert "```\n" not in text
    lines = text.splitlines()
    pairs = pairwise(["", *lines])
    indented = [line for before, line in pairs if not before and line[:4].isspace()]
    assert indented == []
