"""Reports: dicts that print as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class Report(dict[str, dict[str, Any]]):
    """A dict of dicts that prints as a table, also in notebooks.

    Args:
        facts: The facts by name.
        head: Header of the table. The first item describes the names; the others are the keys of
            the facts to show. If `is_spread`, it has three items.
        is_spread: If True, each fact has its own row.
    """

    def __init__(
        self, facts: Mapping[str, dict[str, Any]], head: Sequence[str], is_spread: bool = False
    ) -> None:
        super().__init__(facts)
        self._head, self._is_spread = head, is_spread

    def _rows(self) -> list[Sequence[str]]:
        if not self._is_spread:
            shown = self._head[1:]
            return [self._head, *([k, *(_text(v[c]) for c in shown)] for k, v in self.items())]
        lines = (
            ["" if n else name, fact, _text(value)]
            for name, facts in self.items()
            for n, (fact, value) in enumerate(facts.items())
        )
        return [self._head, *lines]

    def __str__(self) -> str:
        from tfpy._src.display import tables  # few programs need it

        return tables.text(self._rows())

    def _repr_html_(self) -> str:
        from tfpy._src.display import tables

        return tables.html(self._rows())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the table in IPython's terminal."""
        printer.text(str(self))

    def __reduce__(self) -> Any:
        return Report, (dict(self), self._head, self._is_spread)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
