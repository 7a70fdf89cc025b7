"""``docs/ops.md`` is what the op table and the calls make it."""

from __future__ import annotations

from surface.report import BACKENDS, PAGE, page, rows, summary


def test_page_is_current() -> None:
    found = rows()
    assert PAGE.read_text(encoding="utf-8") == page(found), "run python build.py coverage --write"
    assert all(backend in summary(found) for backend in BACKENDS)
