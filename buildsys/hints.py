"""The heads of pages: their common part, and hints for the modules that they will import.

`<!--#include file="../head.inc"-->` stands for the text of that file, relative to the page.

Without hints, a browser discovers a module only after it has loaded the module that imports it, at
the cost of a round trip to the server each.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .cache import entry

INCLUDE = re.compile(r' *<!--#include file="([^"]+)"-->\n')
INCLUDED = ".inc"
"""Suffix of the files that pages include. These files are not in the site."""
SCRIPT = re.compile(r'<script type="module" src="([^"]+)"')
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
AT_ONCE = re.compile(r'\b(?:from|import) "(\.[^"]+)"')
LATER = re.compile(r'\bimport\("(\.[^"]+)"')
PYTHON = 'type="text/tfpy"'
"""Mark of pages that import more modules later."""

HEAD = "</head>"


def ensure(files: Mapping[str, Path]) -> dict[str, Path]:
    """Return the pages among a site's files, with their parts included and with hints."""
    pages = {name: _hinted(name, files) for name in files if name.endswith(".html")}

    def make(into: Path) -> None:
        for name, text in pages.items():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            (into / name).write_text(text, encoding="utf-8")

    made = entry("pages", pages, "pages with hints", make)
    return {name: made / name for name in pages}


def _hinted(page: str, files: Mapping[str, Path]) -> str:
    text = _whole(files[page])
    patterns = (AT_ONCE, LATER) if PYTHON in text else (AT_ONCE,)
    scripts = {_beside(page, name) for name in SCRIPT.findall(text)}
    modules = sorted(set(_reached(scripts, patterns, files)) - scripts)
    folder = posixpath.dirname(page)
    names = (posixpath.relpath(module, folder or ".") for module in modules)
    links = (f'  <link rel="modulepreload" href="{name}">\n' for name in names)
    return text.replace(HEAD, "".join(links) + HEAD, 1)


def _whole(page: Path) -> str:
    def included(name: re.Match[str]) -> str:
        return (page.parent / name[1]).read_text(encoding="utf-8")

    return INCLUDE.sub(included, page.read_text(encoding="utf-8"))


def _reached(
    scripts: Iterable[str], patterns: Iterable[re.Pattern[str]], files: Mapping[str, Path]
) -> Iterator[str]:
    """Yield the reachable modules once each, by their names in the site."""
    todo, seen = list(scripts), set()
    while todo:
        module = todo.pop()
        if module in seen or module not in files:
            continue
        seen.add(module)
        yield module
        code = COMMENT.sub("", files[module].read_text(encoding="utf-8"))
        todo += [_beside(module, name) for how in patterns for name in how.findall(code)]


def _beside(file: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
