"""The tables of ``docs/environment.md``: flags, and the tested browsers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .paths import ROOT
from .tables import table, with_between

if TYPE_CHECKING:
    from tfpy._src.base.flags.kinds import Flag

PAGE = ROOT / "docs" / "environment.md"
NO_BACKEND = "Flags of all backends"


def page() -> str:
    """Return the page with generated tables. The text between them is written by hand."""
    from tfpy._src.base.flags.table import FLAGS
    from tfpy._src.base.flags.without_effect import MEANINGLESS

    from . import tested

    flags: dict[str, list[Flag]] = {}
    for flag in FLAGS.values():
        flags.setdefault(flag.backend, []).append(flag)
    reasons: dict[str, list[str]] = {}
    for name, reason in MEANINGLESS.items():
        reasons.setdefault(reason, []).append(f"`{name}`")
    lists = (f"### {_title(name)}\n\n{_table_of(group)}" for name, group in flags.items())
    rows = ((", ".join(names), reason) for reason, names in reasons.items())
    text = with_between(PAGE, PAGE.read_text(), "flags", "\n".join(lists))
    text = with_between(
        PAGE, text, "meaningless", table(("flags of TensorFlow.js", "reason"), rows)
    )
    return with_between(PAGE, text, "browsers", tested.tables())


def _title(backend: str) -> str:
    return f"Flags of {backend}" if backend else NO_BACKEND


def _table_of(flags: Iterable[Flag]) -> str:
    rows = (
        (f"`{flag.name}`", flag.kind.name, f"{flag.words}{_limit(flag)}", flag.meaning)
        for flag in flags
    )
    return table(("flag", "kind", "default", "meaning"), rows)


def _limit(flag: Flag) -> str:
    return " (fixed)" if flag.fixed else " (or less)" if flag.lowers else ""
