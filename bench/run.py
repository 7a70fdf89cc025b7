"""Measures tfpy against TensorFlow.js in one browser, in one run: ``python build.py bench``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tfpy.testing.drivers import start_browser  # noqa: E402
from tfpy.testing.environments import BROWSERS, Environment  # noqa: E402
from tfpy.testing.server import SiteServer  # noqa: E402

BACKENDS = {
    "cpu": {"backend": "cpu"},
    "wasm": {"backend": "wasm"},
    "wasm-threads": {"backend": "wasm", "threads": 1},
    "webgl": {"backend": "webgl"},
}
COLUMNS = (
    ("workload", 18),
    ("backend", 13),
    ("against", 20),
    ("tfpy ms", 9),
    ("their ms", 9),
    ("ratio", 6),
    ("tfpy", 14),
)
Line = dict[str, Any]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build.py bench --", description=__doc__)
    parser.add_argument("site", nargs="?", type=Path, help="folder of the site (build.py gives it)")
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=list(BACKENDS))
    parser.add_argument("--only", nargs="+", metavar="WORKLOAD", help="only these workloads")
    parser.add_argument("--repeats", type=int, default=15, help="samples of each contender")
    parser.add_argument("--seconds", type=float, default=30, help="limit for one workload")
    parser.add_argument("--browser", choices=BROWSERS, default="chromium")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write JSON lines")
    parser.add_argument("--show", type=Path, metavar="FILE", help="only print such lines")
    options = parser.parse_args()
    if options.site is None and options.show is None:
        parser.error("needs the site's folder, or --show")
    return options


async def measure(options: argparse.Namespace) -> list[Line]:
    """Opens one page for each backend; prints each line as it comes."""
    lines: list[Line] = []
    mounts = {"bench": ROOT / "bench", "node_modules": ROOT / "node_modules"}
    browser = await start_browser(options.browser, Environment())
    try:
        with SiteServer(options.site, mounts=mounts) as server:
            for backend in options.backends:
                query = BACKENDS[backend] | {"repeats": options.repeats, "seconds": options.seconds}
                if options.only:
                    query["only"] = ",".join(options.only)
                page = await browser.open(f"{server.url}bench/page/index.html?{urlencode(query)}")
                try:
                    async for line in results(page):
                        lines.append(line)
                        print_line(line)
                finally:
                    await page.close()
    finally:
        await browser.close()
    return lines


async def results(page: Any) -> Any:
    """The lines that the page reports, the last one ("done") included."""
    while True:
        for line in await page.evaluate("nextLines()"):
            yield line
            if "done" in line:
                return


def print_line(line: Line) -> None:
    """One row for each contender that tfpy is measured against."""
    if "failure" in line:
        print(f"{line.get('workload', 'page')} on {line.get('backend', line.get('done'))} FAILED:")
        print(f"    {line['failure']}")
    if "samples" not in line:
        return
    mine = median(line["samples"]["tfpy"])
    for name, samples in line["samples"].items():
        if name != "tfpy":
            theirs = median(samples)
            print_row(
                line["workload"], line["backend"], name, f"{mine:.2f}", f"{theirs:.2f}",
                f"{mine / theirs:.2f}", rate(mine, line["amount"], line["unit"]),
            )  # fmt: skip


def rate(ms: float, amount: float, unit: str) -> str:
    """Work per second, or time per piece of it: "44.1 GFLOP/s", "8.3 µs/op"."""
    if unit.startswith("G"):
        return f"{amount / ms * 1000:.1f} {unit}/s"
    return f"{ms / amount * 1000:.1f} µs/{unit}"


def print_row(*cells: str) -> None:
    fields = [
        cell.ljust(width) if i < 3 else cell.rjust(width)
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
    print(
        "Medians; ratio = tfpy / theirs, so below 1 tfpy is faster. wasm is one thread against one."
    )
    print("WebGL times from a software rasteriser (a machine without a GPU) mean nothing.")
    if options.json:
        options.json.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return int(any("failure" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
