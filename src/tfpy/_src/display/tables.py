"""Tables: aligned text for terminals, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.display.html import escape

Rows = Sequence[Sequence[str]]
"""Cells of a table. The first row is the header."""


def text(rows: Rows, *, numbers: bool = False) -> str:
    """Return a table as aligned text for a terminal.

    Args:
        numbers: If True, align all columns except the first on the right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if numbers and n else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def html(rows: Rows, *, numbers: bool = False) -> str:
    """Return a table as HTML for a notebook, in the colors of its surroundings.

    Args:
        numbers: If True, align all columns except the first on the right.
    """
    head, *body = rows
    lines = "".join(f"<tr>{_cells('td', row, numbers)}</tr>" for row in body)
    return (
        '<table style="border-collapse:collapse;margin:4px 0;font-size:13px">'
        f"<thead><tr>{_cells('th', head, numbers)}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _cells(tag: str, row: Sequence[str], numbers: bool) -> str:
    return "".join(
        f'<{tag} style="text-align:{"right" if numbers and n else "left"};'
        f'vertical-align:top;padding:2px 8px;border:1px solid #8886">{escape(cell)}</{tag}>'
        for n, cell in enumerate(row)
    )
