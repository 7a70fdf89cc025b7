"""`model.summary()` as an HTML table in notebooks. Elsewhere Keras prints its usual text.

Keras builds a table with the package rich and prints it. In a notebook the same Keras function
runs with a recorder in place of rich.
"""

from __future__ import annotations

import functools
import re
import types
from typing import Any

from tfpy._src.display.html import escape
from tfpy._src.display.screen import append, in_notebook

_MARKUP = re.compile(r"\[(?:(bold)|color\((\d+)\)|/)\]")
_COLORS = {"9": "#c62828", "33": "#0a6fd1", "34": "#12863a", "45": "#0a8fa8"}
_BRACKET = "\0"
"""Placeholder for a bracket in a layer's name, which is not markup."""


def replace(module: types.ModuleType) -> None:
    """Make Keras's `summary_utils` show HTML in notebooks."""
    plain = module.print_summary

    @functools.wraps(plain)
    def print_summary(model: Any, *args: Any, **options: Any) -> None:
        wants_text = len(args) > 2 or options.get("print_fn") is not None
        shows = in_notebook() and module.io_utils.is_interactive_logging_enabled()
        if wants_text or not shows:
            plain(model, *args, **options)
        else:
            append(as_html(plain, model, *args, **options))

    vars(module)["print_summary"] = print_summary


def as_html(print_summary: Any, *args: Any, **options: Any) -> str:
    """Return the output of a Keras function that prints with rich, as HTML."""
    notes = Notes()
    names = {**print_summary.__globals__, "rich": notes.rich}
    function = types.FunctionType(
        print_summary.__code__, names, None, print_summary.__defaults__, print_summary.__closure__
    )
    function(*args, **options)
    return f'<div style="font-family: monospace">{"".join(notes.parts)}</div>'


class Notes:
    """A recorder with the parts of rich's interface that Keras uses."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.rich = types.SimpleNamespace(
            console=types.SimpleNamespace(Console=lambda **options: self),
            markup=types.SimpleNamespace(escape=lambda text: text.replace("[", _BRACKET)),
            table=types.SimpleNamespace(Column=_Column, Table=_Table),
        )

    def print(self, shown: Any) -> None:
        """Record a line or a table."""
        is_table = isinstance(shown, _Table)
        self.parts.append(shown.html() if is_table else f"<div>{_html(shown)}</div>")


class _Column:
    def __init__(self, name: str, justify: str, width: int) -> None:
        self.name, self.justify = name, justify


class _Table:
    def __init__(self, *columns: _Column, width: int, show_lines: bool) -> None:
        self._columns = columns
        self._rows: list[tuple[str, ...]] = []

    def add_row(self, *cells: str) -> None:
        """Add a row."""
        self._rows.append(cells)

    def html(self) -> str:
        """Return the table as HTML."""
        head = "".join(_cell("th", escape(c.name), c.justify) for c in self._columns)
        rows = "".join(
            "<tr>"
            + "".join(
                _cell("td", _html(cell), column.justify)
                for cell, column in zip(row, self._columns, strict=True)
            )
            + "</tr>"
            for row in self._rows
        )
        return (
            '<table style="border-collapse: collapse; margin: 4px 0">'
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        )


def _cell(kind: str, html: str, justify: str) -> str:
    style = f"text-align: {justify}; border: 1px solid #8886; padding: 3px 8px; white-space: pre"
    return f'<{kind} style="{style}">{html}</{kind}>'


def _html(text: str) -> str:
    """Convert a string with rich's markup to HTML."""
    parts: list[str] = []
    at = 0
    for found in _MARKUP.finditer(text):
        parts.append(escape(text[at : found.start()]))
        bold, color = found.groups()
        if bold:
            parts.append('<span style="font-weight: bold">')
        elif color:
            parts.append(f'<span style="color: {_COLORS.get(color, "inherit")}">')
        else:
            parts.append("</span>")
        at = found.end()
    parts.append(escape(text[at:]))
    return "".join(parts).replace(_BRACKET, "[")
