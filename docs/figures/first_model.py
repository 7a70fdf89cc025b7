"""Figures and the table of docs/first_model.md, from a run of the guide's own blocks.

PYTHONPATH=src:tests python docs/figures/first_model.py    writes them next to this file
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
from guides.documents import blocks, run

import tfpy

HERE = Path(__file__).parent
WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 60, 130, 24, 48
HOURS = range(6, 19, 2)
MONTHS = {1: "Jan", 91: "Apr", 182: "Jul", 274: "Oct", 365: "Dec 31"}
PLACES = {
    50.0: ("50° north", "#1f5fbf"),
    0.0: ("equator", "#2a7f4f"),
    -35.0: ("35° south", "#b3541e"),
}
PAPER = '<rect width="100%" height="100%" fill="#ffffff"/>'


def x_of(day: float) -> float:
    return LEFT + (day - 1) / 364 * (WIDTH - LEFT - RIGHT)


def y_of(hours: float) -> float:
    share = (hours - HOURS[0]) / (HOURS[-1] - HOURS[0])
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def curve(days: Any, hours: Any, style: str) -> str:
    points = " ".join(f"{x_of(d):.1f},{y_of(h):.1f}" for d, h in zip(days, hours, strict=True))
    return f'<polyline points="{points}" fill="none" {style}/>'


def year(names: dict[str, Any]) -> str:
    """The sunrise equation and the model over a year, at three latitudes."""
    days = np.arange(1, 366, 4)
    parts = []
    for hours in HOURS:
        y = y_of(hours)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{hours} h</text>')
    for day, name in MONTHS.items():
        y = HEIGHT - BOTTOM + 20
        parts.append(f'<text x="{x_of(day):.1f}" y="{y}" text-anchor="middle">{name}</text>')
    for latitude, (name, color) in PLACES.items():
        exact = [names["daylight"](latitude, int(day)) for day in days]
        rows = np.float32([[latitude, day] for day in days])
        found = asyncio.run(names["loaded"].predict_async(rows, verbose=0))[:, 0]
        parts.append(curve(days, exact, f'stroke="{color}" stroke-width="2"'))
        parts.append(
            curve(days, found, f'stroke="{color}" stroke-width="2" stroke-dasharray="5 5"')
        )
        y = y_of(exact[-1]) + 4
        parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{y:.1f}" fill="{color}">{name}</text>')
    y = HEIGHT - 10
    for x, dashes, text in ((LEFT, "", "sunrise equation"), (LEFT + 190, "5 5", "network")):
        parts.append(
            f'<path d="M{x} {y - 4}h36" stroke="#333333" stroke-dasharray="{dashes}"/>'
            f'<text x="{x + 44}" y="{y}">{text}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="13" '
        f'fill="#333333">{PAPER}{"".join(parts)}</svg>\n'
    )


def main() -> None:
    tfpy.as_tensorflow(replace=True)
    names: dict[str, Any] = {}
    for program in blocks("docs/first_model.md", "python"):
        run(program.replace('"/tmp/', f'"{HERE}/'), names)
        if "plot" in names and "curves" not in names:
            names["curves"] = names["plot"].to_svg()
    curves = names["curves"].replace("currentColor", "#333333").replace('size="11"', 'size="12"')
    curves = curves.replace(">", f">{PAPER}", 1)
    (HERE / "first_model_curves.svg").write_text(f"{curves}\n")
    (HERE / "first_model_year.svg").write_text(year(names))
    (HERE / "daylight.keras").unlink()


if __name__ == "__main__":
    main()
