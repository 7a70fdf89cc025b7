"""The tables in ``docs/environment.md``: the lists of flags, and the tested browsers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .paths import ROOT
from .tables import table, with_between

if TYPE_CHECKING:
    from tfpy._src.base.flags.kinds import Flag

PAGE = ROOT / "docs" / "environment.md"
NO_BACKEND = "of no backend"


def page() -> str:
    """Return the page with current lists. The text between the lists is written by hand."""
    from tfpy._src.base.flags.table import FLAGS
    from tfpy._src.base.flags.without_effect import MEANINGLESS

    from . import tested

    flags: dict[str, list[Flag]] = {}
    for flag in FLAGS.values():
        flags.setdefault(flag.backend or NO_BACKEND, []).append(flag)
    reasons: dict[str, list[str]] = {}
    for name, reason in MEANINGLESS.items():
        reasons.setdefault(reason, []).append(f"`{name}`")
    lists = (f"### {title}\n\n{_table_of(group)}" for title, group in flags.items())
    rows = ((", ".join(names), reason) for reason, names in reasons.items())
    text = with_between(PAGE, PAGE.read_text(), "flags", "\n".join(lists))
    text = with_between(
        PAGE, text, "meaningless", table(("flags of TensorFlow.js", "why not here"), rows)
    )
    return with_between(PAGE, text, "browsers", tested.tables())


def _table_of(flags: Iterable[Flag]) -> str:
    rows = (
        (f"`{flag.name}`", flag.kind.name, f"{flag.words}{_limit(flag)}", flag.meaning)
        for flag in flags
    )
    return table(("flag", "kind", "default", "meaning"), rows)


def _limit(flag: Flag) -> str:
    return " (fixed)" if flag.fixed else " (or less)" if flag.lowers else ""
