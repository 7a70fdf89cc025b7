"""Draw docs/figures/export_sizes.svg: bytes that a page downloads, compressed with brotli.

PYTHONPATH=src:tests python docs/figures/export_sizes.py    needs node and the built assets

The sizes of Python, NumPy and tfpy are in the table of docs/pages.md.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from guides.documents import ROOT, blocks, run

FILE = Path(__file__).with_suffix(".svg")
ASSETS = ROOT / "src/tfpy/assets"
WIDTH, HEIGHT, LEFT, RIGHT = 720, 240, 20, 700
COLORS = ("#54aeff", "#9898ff", "#4ac26b", "#eac54f")
BROTLI = """
const { readFileSync } = require("fs");
const size = (file) => require("zlib").brotliCompressSync(readFileSync(file)).length;
console.log(process.argv.slice(1).map(size).join(" "));
"""


def compressed(*files: Path) -> list[int]:
    """Return the compressed sizes of files, in kB."""
    done = subprocess.run(
        ["node", "-e", BROTLI, *map(str, files)], capture_output=True, text=True, check=True
    )
    return [max(1, round(int(size) / 1000)) for size in done.stdout.split()]


def of_python() -> dict[str, int]:
    """Return the kB that a page with Python downloads."""
    text = (ROOT / "docs/pages.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w' ]+)[^|]*\| (\d+) \|$", text, re.M)
    assert len(rows) == len(COLORS)
    names = ("Python", "NumPy", "tfpy", "wasm module")
    return {name: int(size) for name, (_, size) in zip(names, rows, strict=True)}


def of_program() -> dict[str, int]:
    """Return the kB that a page with the program of docs/export.md downloads."""
    with tempfile.TemporaryDirectory() as folder:
        names: dict[str, Any] = {}
        for program in blocks("docs/export.md", "python")[:2]:
            run(program.replace("/tmp/", f"{folder}/"), names)
        files = (
            ASSETS / "tfpy-run.mjs",
            ASSETS / "xnnpack-relaxed.wasm",
            Path(folder, "text_color.tfpy"),
        )
        parts = ("tfpy-run.mjs", "wasm module", "text_color.tfpy")
        return dict(zip(parts, compressed(*files), strict=True))


def bar(title: str, sizes: dict[str, int], top: float, most: int) -> str:
    """Return a bar with its parts, and their names below it."""
    whole = sum(sizes.values())
    parts = [f'<text class="name" x="{LEFT}" y="{top}">{title}: {whole:,} kB</text>']
    x = float(LEFT)
    for color, size in zip(COLORS, sizes.values(), strict=False):
        width = size / most * (RIGHT - LEFT)
        parts.append(
            f'<rect x="{x:.1f}" y="{top + 10:.0f}" width="{width:.1f}" height="30" fill="{color}"/>'
        )
        x += width
    at = LEFT
    for color, (name, size) in zip(COLORS, sizes.items(), strict=False):
        parts.append(f'<rect x="{at}" y="{top + 52:.0f}" width="11" height="11" fill="{color}"/>')
        parts.append(f'<text x="{at + 17}" y="{top + 62:.0f}">{name} {size:,} kB</text>')
        at += 170
    return "\n".join(parts)


def main() -> None:
    """Write the figure."""
    python, program = of_python(), of_program()
    most = sum(python.values())
    body = "\n".join(
        [
            bar("A page with Python", python, 34, most),
            bar("An exported program", program, 144, most),
        ]
    )
    FILE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" role="img">\n'
        "<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.name{font-weight:600}</style>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{body}\n</svg>\n'
    )
    print(python, program, sum(program.values()))


if __name__ == "__main__":
    main()
