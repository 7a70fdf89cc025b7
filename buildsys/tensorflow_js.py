"""The tables of ``docs/tensorflow_js.md``: the names of TensorFlow.js and of tfpy."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from .paths import ROOT
from .tables import table, with_between

PAGE = ROOT / "docs" / "tensorflow_js.md"
NAMES = PAGE.with_suffix(".toml")


def page() -> str:
    """Return the page with current tables."""
    parts = tomllib.loads(NAMES.read_text())
    groups = {title: names for part in parts.values() for title, names in part.items()}
    tables = (f"### {title}\n\n{_table(names)}" for title, names in groups.items())
    return with_between(PAGE, PAGE.read_text(), "names", "\n".join(tables))


def _table(names: dict[str, str | list[str]]) -> str:
    return table(("TensorFlow.js", "tfpy", ""), _rows(names))


def _rows(names: dict[str, str | list[str]]) -> Iterator[tuple[str, ...]]:
    """Yield rows. Names with the same answer, such as `concat1d` and `concat2d`, share one."""
    together: dict[tuple[str, str], list[str]] = {}
    for name, answer in names.items():
        ours, said = (answer, "") if isinstance(answer, str) else answer
        together.setdefault((ours, said), []).append(f"`{name}`")
    for (ours, said), theirs in together.items():
        yield ", ".join(theirs), f"`{ours}`" if ours else "–", said
