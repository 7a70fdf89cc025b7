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
from typing import Any

ROOT = Path(__file__).parents[2]


def blocks(document: str, language: str) -> list[str]:
    """The programs of a document in a language."""
    text = (ROOT / document).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def indented(document: str) -> list[str]:
    """The lines of a document that stand out in its lists."""
    text = (ROOT / document).read_text()
    return [
        textwrap.dedent(block) for block in re.findall(r"\n\n((?: {6}\S.*\n(?: {6}.*\n)*))", text)
    ]


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


def run_all(document: str) -> dict[str, Any]:
    """Runs the programs of a document, which print what they say; the names that they made."""
    names: dict[str, Any] = {}
    for program in blocks(document, "python"):
        printed = iter(run(program.replace('"/tmp/', f'"{Path.cwd()}/'), names).splitlines())
        for line in said(program):
            assert line in printed, f"{document}: nothing printed {line!r} in\n{program}"
    return names


if __name__ == "__main__":
    import tfpy

    tfpy.as_tensorflow(replace=True)
    for document in sys.argv[1:]:
        print(sorted(run_all(document)))
