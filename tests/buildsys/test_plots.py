"""The plots of the documentation match the tables in bench/results."""

from __future__ import annotations

import pytest

from buildsys import plots

PAGE = plots.ROOT / "docs" / "site" / "benchmarks.md"


def test_figures() -> None:
    rows = plots.figures("h200.md", "webgpu")
    assert len(rows) > 15
    for row in rows:
        assert row.ratio == pytest.approx(row.theirs / row.ours, rel=0.05)


def test_every_place_has_a_plot() -> None:
    text = PAGE.read_text()
    places = plots.PLACE.findall(text)
    drawn = plots.with_plots(text)
    assert len(places) >= 6
    assert drawn.count("<ul class=") == len(places)
    for file, heading in places:
        ratios = [row.ratio for row in plots.figures(file, heading)]
        assert plots.SCALE[0] < min(ratios)
        assert max(ratios) < plots.SCALE[-1]


def test_a_table_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="no table"):
        plots.with_plots("<!-- plot: h200.md, abacus -->")
