"""Measure tfpy and its peers in one browser, in one run: ``python build.py bench``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from bench import comparison, pages
from buildsys import speed
from tfpy.testing.drivers import start_browser
from tfpy.testing.environments import BROWSERS, Environment
from tfpy.testing.server import SiteServer

ROOT = Path(__file__).resolve().parent.parent
BACKENDS: dict[str, dict[str, Any]] = {
    "cpu": {"backend": "cpu"},
    "wasm": {"backend": "wasm"},
    "wasm-threads": {"backend": "wasm", "threads": 1},
    "webgl": {"backend": "webgl"},
    "webgpu": {"backend": "webgpu"},
}
COLUMNS = (
    ("work", 18),
    ("backend", 8),
    ("threads", 7),
    ("peer", 24),
    ("tfpy ms", 9),
    ("peer ms", 9),
    ("ratio", 6),
    ("least", 6),
    ("tfpy", 14),
)
LEFT = 4  # left-aligned columns
Line = dict[str, Any]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build.py bench", description=__doc__)
    parser.add_argument("site", nargs="?", type=Path, help="folder of the site, from build.py")
    parser.add_argument("--backend", nargs="+", choices=BACKENDS, default=list(BACKENDS))
    parser.add_argument("--all", action="store_true", help="measure the works of README.md's table"
                        " with the GPU of this machine, and print the table")  # fmt: skip
    parser.add_argument("--flags", default=comparison.GPU, help="with --all: arguments of Chromium"
                        " for the GPU (default: %(default)s)")  # fmt: skip
    parser.add_argument("--work", nargs="+", metavar="WORK", help="measure only these works")
    parser.add_argument("--repeats", type=int, default=15, help="samples of each side")
    parser.add_argument("--seconds", type=float, default=30, help="time limit for one work")
    parser.add_argument("--browser", choices=BROWSERS, default="chromium")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for JSON lines")
    parser.add_argument("--show", type=Path, metavar="FILE", help="only print a file of --json")
    options = parser.parse_args()
    if options.site is None and options.show is None:
        parser.error("the folder of the site or --show is required")
    if options.all:
        if options.show is not None:
            parser.error("--all measures on this machine, so it does not accept --show")
        options.backend = [name for name in options.backend if name in speed.works()]
    return options


async def measure(options: argparse.Namespace) -> list[Line]:
    """Open one page for each backend, and print each line when it arrives."""
    from bench import onnx_models

    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        onnx_models.write(Path(folder))
        mounts = {
            "bench": ROOT / "bench",
            "models": Path(folder),
            "node_modules": ROOT / "node_modules",
        }
        browser: Any = await _browser(options)
        try:
            with SiteServer(options.site, mounts=mounts) as server:
                for backend in options.backend:
                    address = f"{server.url}bench/page/index.html?{_query(options, backend)}"
                    async for line in _page_lines(browser, address):
                        lines.append(line)
                        print_line(line)
        finally:
            await browser.close()
    return lines


async def _browser(options: argparse.Namespace) -> Any:
    """Start the browser. With --all, Chromium does not imitate a GPU."""
    if options.all and options.browser == "chromium":
        return await pages.chromium(options.flags.split())
    return await start_browser(options.browser, Environment())


def _query(options: argparse.Namespace, backend: str) -> str:
    query = BACKENDS[backend] | {
        "repeats": options.repeats,
        "seconds": options.seconds,
    }
    works = options.work or (speed.works()[backend] if options.all else [])
    if works:
        query["work"] = ",".join(works)
    if options.all:
        query["hardware"] = 1
    return urlencode(query)


async def _page_lines(browser: Any, address: str) -> AsyncIterator[Line]:
    page = await browser.open(address)
    try:
        async for line in results(page):
            yield line
    finally:
        await page.close()


async def results(page: Any) -> Any:
    """Yield the lines that the page reports, including the last one ("done")."""
    while True:
        for line in await page.evaluate("nextLines()"):
            yield line
            if "done" in line:
                return


def print_line(line: Line) -> None:
    """Print one row for each peer of tfpy."""
    if "failure" in line:
        print(f"{line.get('work', 'page')} on {line.get('backend', line.get('done'))} FAILED:")
        print(f"    {line['failure']}")
    elif "work" in line:
        theirs, ratio, least = (line.get(key) for key in ("peer_ms", "ratio", "least_ratio"))
        print_row(
            line["work"],
            line["backend"],
            str(line["threads"]),
            line["peer"] or "",
            f"{line['tfpy_ms']:.2f}",
            "cannot" if "peer_failure" in line else f"{theirs:.2f}" if theirs else "",
            f"{ratio:.2f}" if ratio else "",
            f"{least:.2f}" if least else "",
            rate(line["tfpy_ms"], line["amount"], line["unit"]) if "unit" in line else "",
        )


def rate(ms: float, amount: float, unit: str) -> str:
    """Return the work per second, or the time per item: "44.1 GFLOP/s", "8.3 µs/op"."""
    if unit.startswith("G"):
        return f"{amount / ms * 1000:.1f} {unit}/s"
    return f"{ms / amount * 1000:.1f} µs/{unit}"


def print_row(*cells: str) -> None:
    fields = [
        cell.ljust(width) if i < LEFT else cell.rjust(width)
        for i, (cell, (_, width)) in enumerate(zip(cells, COLUMNS, strict=True))
    ]
    print("  ".join(fields), flush=True)


def main() -> int:
    options = arguments()
    print_row(*(title for title, _ in COLUMNS))
    if options.show:
        lines = [json.loads(text) for text in options.show.read_text().splitlines() if text]
        for line in lines:
            print_line(line)
    else:
        lines = asyncio.run(measure(options))
    if options.all:
        report = comparison.report(lines)
        print(f"\n{report.text()}")
        if options.json:
            options.json.write_text(report.json())
        return int(not any(found.ratio for found in report.outcomes.values()))
    print("Medians. ratio = peer / tfpy: above 1, tfpy is faster. least: of the fastest samples.")
    print("WebGL times from a software rasterizer (a machine without a GPU) are meaningless.")
    if options.json:
        options.json.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return int(any("failure" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
