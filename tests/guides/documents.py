"""The programs in documents.

python documents.py DOCUMENT...    runs the programs one after the other, with tfpy as TensorFlow
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
    """The text between two code fences."""

    document: str
    line: int
    language: str
    text: str


def documents() -> list[str]:
    """Return the paths of all documents that may have programs."""
    folders = ("*.md", "docs/**/*.md", "bench/**/*.md", "examples/**/*.md", "web/**/*.md")
    files = (file for folder in folders for file in ROOT.glob(folder))
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


def blocks_of(document: str) -> list[Block]:
    """Return all blocks of a document that specify a language."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [
        Block(document, text.count("\n", 0, at.start()) + 1, at[2], textwrap.dedent(at[3]))
        for at in FENCE.finditer(text)
    ]


def blocks(document: str, language: str, having: str = "") -> list[str]:
    """Return the blocks of a document in a language, optionally only those with some words.

    All tests read blocks with this function and with `block`, and the arguments are literals, so
    that `test_blocks.py` can find the blocks that no test reads.
    """
    found = [
        one.text for one in blocks_of(document) if one.language == language and having in one.text
    ]
    assert found, f"{document} has no {language} block that contains {having!r}"
    return found


def block(document: str, language: str, having: str = "") -> str:
    """Return the only block that `blocks` returns."""
    (found,) = blocks(document, language, having)
    return found


def run(program: str, names: dict[str, Any]) -> str:
    """Run a program, and return its output. The program may use `await`, as in a page."""
    name = f"<document {hash(program)}>"
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    code = compile(program, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        pending = eval(code, names)
        if inspect.iscoroutine(pending):
            asyncio.run(pending)
    return printed.getvalue()


def said(program: str) -> list[str]:
    """Return the outputs that comments announce: ``print(1 + 1)  # 2``."""
    return re.findall(r"^ *print\(.*\)  # (.*)$", program, re.M)


def run_as_said(program: str, names: dict[str, Any]) -> None:
    """Run a program, and check that it prints the lines that its comments announce."""
    printed = iter(run(program, names).splitlines())
    for line in said(program):
        assert line in printed, f"{line!r} is not printed in order by\n{program}"


def run_all(document: str) -> dict[str, Any]:
    """Run and check the programs of a document, and return the names that they define."""
    names: dict[str, Any] = {}
    for program in blocks(document, "python"):
        run_as_said(program.replace('"/tmp/', f'"{Path.cwd()}/'), names)
    return names


if __name__ == "__main__":
    import tfpy

    tfpy.as_tensorflow(replace=True)
    for document in sys.argv[1:]:
        print(sorted(run_all(document)))
