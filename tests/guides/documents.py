"""The programs in documents.

python documents.py DOCUMENT...    runs their programs one after the other, on tfpy as TensorFlow
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import linecache
import re
import sys
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)```(.+)\n((?:.*\n)*?)\1```$", re.M)


class Block(NamedTuple):
    """What stands between fences."""

    document: str
    line: int
    language: str
    text: str


def documents() -> list[str]:
    """All that have programs, by their paths."""
    folders = ("*.md", "docs/**/*.md", "bench/**/*.md", "examples/**/*.md", "web/**/*.md")
    files = (file for folder in folders for file in ROOT.glob(folder))
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


def blocks_of(document: str) -> list[Block]:
    """All blocks of a document, of which each says its language."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [
        Block(document, text.count("\n", 0, at.start()) + 1, at[2], textwrap.dedent(at[3]))
        for at in FENCE.finditer(text)
    ]


def blocks(document: str, language: str, having: str = "") -> list[str]:
    """The blocks of a document in a language, or those of them that have some words.

    All tests take blocks by this function and by `block`, and name them by literals:
    `test_blocks.py` finds those that none takes.
    """
    found = [
        one.text for one in blocks_of(document) if one.language == language and having in one.text
    ]
    assert found, f"{document} has no {language} with {having!r}"
    return found


def block(document: str, language: str, having: str = "") -> str:
    """The only one."""
    (found,) = blocks(document, language, having)
    return found


def run(program: str, names: dict[str, Any]) -> str:
    """What a program prints; it may await, as in a page."""
    name = f"<document {hash(program)}>"
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    code = compile(program, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        pending = eval(code, names)
        if inspect.iscoroutine(pending):
            asyncio.run(pending)
    return printed.getvalue()


def said(program: str) -> list[str]:
    """What its lines say that they print: ``print(1 + 1)  # 2``."""
    return re.findall(r"^ *print\(.*\)  # (.*)$", program, re.M)


def run_as_said(program: str, names: dict[str, Any]) -> None:
    """Runs a program, which prints what it says."""
    printed = iter(run(program, names).splitlines())
    for line in said(program):
        assert line in printed, f"nothing printed {line!r} in\n{program}"


def run_all(document: str) -> dict[str, Any]:
    """Runs the programs of a document, which print what they say; the names that they made."""
    names: dict[str, Any] = {}
    for program in blocks(document, "python"):
        run_as_said(program.replace('"/tmp/', f'"{Path.cwd()}/'), names)
    return names


if __name__ == "__main__":
    import tfpy

    tfpy.as_tensorflow(replace=True)
    for document in sys.argv[1:]:
        print(sorted(run_all(document)))
