"""Draw docs/figures/export_colors.svg: the text colors that the model of docs/export.md chooses.

PYTHONPATH=src:tests python docs/figures/export_colors.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from guides.documents import blocks, run

FILE = Path(__file__).with_suffix(".svg")
COLORS = ("#ffee88", "#f08030", "#d02040", "#a080e0", "#336699", "#20a0d0", "#30b060", "#205020")
CORRECTED, TIMES = "#336699", 5
WIDTH, HEIGHT, SIDE = 720, 216, 76


def channels(color: str) -> list[float]:
    """Return red, green and blue of a color, from 0 to 1."""
    return [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def row(names: dict[str, Any], title: str, top: int) -> str:
    """Return the colors, each with a text in the color that the model chooses now."""
    colors = names["tf"].constant([channels(color) for color in COLORS])
    parts = [f'<text class="name" x="20" y="{top}">{title}</text>']
    for at, (color, dark) in enumerate(
        zip(COLORS, names["predict"](colors)["dark"].numpy(), strict=True)
    ):
        x = 20 + at * (SIDE + 10)
        text = "#000" if dark > 0.5 else "#fff"
        parts.append(
            f'<rect x="{x}" y="{top + 10}" width="{SIDE}" height="60" rx="6" fill="{color}"/>'
            f'<text class="big" x="{x + SIDE / 2}" y="{top + 38}" fill="{text}">Text</text>'
            f'<text class="mid" x="{x + SIDE / 2}" y="{top + 58}" fill="{text}">{dark:.2f}</text>'
        )
    return "\n".join(parts)


def main() -> None:
    """Write the figure."""
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for program in blocks("docs/export.md", "python")[:2]:
            run(program.replace("/tmp/", f"{folder}/"), names)
    tf = names["tf"]
    before = row(names, "The exported model: probability that dark text is readable", 28)
    for _ in range(TIMES):
        names["learn"](tf.constant([channels(CORRECTED)]), tf.constant([1.0]))
    title = f"After {TIMES} corrections: the visitor wants dark text on {CORRECTED}"
    after = row(names, title, 132)
    FILE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" role="img">\n'
        "<style>text{font:13px system-ui,sans-serif}.name{font-weight:600;fill:#1f2328}"
        ".big{font-size:17px;text-anchor:middle}.mid{text-anchor:middle}</style>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{before}\n{after}\n</svg>\n'
    )


if __name__ == "__main__":
    main()
