"""The pages' heads: what pages have in common, and the names of the modules they will import.

`<!--#include file="../head.inc"-->` stands for the text of that file, from the page's folder.

Modules name each other: without hints a browser learns of one when it has the one before, a round
trip to the server each.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .cache import entry

INCLUDE = re.compile(r' *<!--#include file="([^"]+)"-->\n')
INCLUDED = ".inc"
"""How the names of files end that pages include, and the site has not."""
SCRIPT = re.compile(r'<script type="module" src="([^"]+)"')
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
AT_ONCE = re.compile(r'\b(?:from|import) "(\.[^"]+)"')
LATER = re.compile(r'\bimport\("(\.[^"]+)"')
PYTHON = 'type="text/tfpy"'
"""In pages for which modules are imported later, too."""

HEAD = "</head>"


def ensure(files: Mapping[str, Path]) -> dict[str, Path]:
    """The pages among a site's files, made of their parts, with hints for what scripts lead to."""
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
    """Modules by their names in the site, each once."""
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
