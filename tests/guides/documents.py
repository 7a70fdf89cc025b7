"""The programs in documents.

python documents.py DOCUMENT    runs its programs one after the other, on tfpy as TensorFlow
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
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
    code = compile(program, "document", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        pending = eval(code, names)
        if inspect.iscoroutine(pending):
            asyncio.run(pending)
    return printed.getvalue()


if __name__ == "__main__":
    import tfpy

    tfpy.as_tensorflow(replace=True)
    shared: dict[str, Any] = {}
    for text in blocks(sys.argv[1], "python"):
        run(text.replace('"/tmp/', f'"{Path.cwd()}/'), shared)
    print(sorted(shared))
