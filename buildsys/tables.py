"""Tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table with these cells."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def with_between(page: Path, text: str, name: str, inside: str, command: str = "face") -> str:
    """Replace the text between two marks in a page. The rest is written by hand."""
    begin, end = f"<!-- {name}, made by build.py {command} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    assert found, f"{page} has no {begin.strip()} with its end"
    return f"{before}{begin}\n{inside}\n{end}{after}"
