"""Facts by name that are a table where they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class Report(dict[str, dict[str, Any]]):
    """A dict of dicts; printed it is a table, and a notebook shows one.

    Args:
        facts: the facts by name.
        head: of the table's columns: what the names are of, and the facts that are shown; or three
            words, where each fact has a line of its own.
        is_spread: whether each has.
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
        from tfpy._src.display import tables  # which few programs need

        return tables.text(self._rows())

    def _repr_html_(self) -> str:
        from tfpy._src.display import tables

        return tables.html(self._rows())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython prints in a terminal."""
        printer.text(str(self))

    def __reduce__(self) -> Any:
        return Report, (dict(self), self._head, self._is_spread)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
