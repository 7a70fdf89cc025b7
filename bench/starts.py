"""What a page's start takes from a warm cache, and what Keras adds to it.

    PYTHONPATH=src python -m bench.starts build/site --pairs 10

Chromium loads a page again and again, by turns with tfpy alone and with Keras imported, too. The
first pair fills the caches and does not count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from statistics import median

from tfpy.testing.drivers import start_browser
from tfpy.testing.environments import Environment
from tfpy.testing.server import SiteServer

ROOT = Path(__file__).resolve().parent.parent
PAGE = "tfpy-testing/blank.html"
WORKS: dict[str, tuple[list[str], str]] = {
    "tfpy": ([], "import numpy, tfpy"),
    "keras": (["keras"], "import numpy, tfpy, keras"),
}
STEPS = ("Python", "packages", "tfpy", "import")
START = """async (packages, code) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  const begun = {};
  const onProgress = ({ stage }) => (begun[stage] ??= performance.now());
  const tfpy = await loadTfpy({ packages, backend: "cpu", onProgress });
  const loaded = performance.now();
  await tfpy.run(code);
  return [begun.packages, begun.backend, loaded, performance.now()];
}"""
Marks = list[float]


async def measure(site: Path, pairs: int) -> dict[str, list[Marks]]:
    """When the steps ended, in milliseconds from the page's beginning, for each load."""
    taken: dict[str, list[Marks]] = {name: [] for name in WORKS}
    mounts = {"tfpy-testing": ROOT / "src" / "tfpy" / "testing" / "page"}
    browser = await start_browser("chromium", Environment())
    try:
        with SiteServer(site, mounts=mounts) as server:
            page = await browser.open(server.url + PAGE)
            for _ in range(pairs + 1):
                for name, work in WORKS.items():
                    await page.goto(server.url + PAGE)  # type: ignore[attr-defined]
                    words = ", ".join(map(json.dumps, work))
                    taken[name].append(await page.evaluate(f"({START})({words})"))
    finally:
        await browser.close()
    return {name: marks[1:] for name, marks in taken.items()}


def show(name: str, samples: list[float]) -> None:
    """One row: the least and the median."""
    print(f"{name:20}{min(samples):8.0f}{median(samples):8.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.starts", description=__doc__)
    parser.add_argument("site", type=Path, help="folder of the site")
    parser.add_argument("--pairs", type=int, default=10, help="loads of each page")
    options = parser.parse_args()
    taken = asyncio.run(measure(options.site, options.pairs))
    print(f"{'ms':20}{'least':>8}{'median':>8}")
    for name, marks in taken.items():
        show(f"{name}: start", [times[-1] for times in marks])
        for at, step in enumerate(STEPS):
            show(f"  {step}", [times[at] - (times[at - 1] if at else 0) for times in marks])
    pairs = zip(taken["tfpy"], taken["keras"], strict=True)
    show("Keras adds", [theirs[-1] - own[-1] for own, theirs in pairs])
    least = {name: min(times[-1] for times in marks) for name, marks in taken.items()}
    print(f"between the fastest{least['keras'] - least['tfpy']:9.0f}")


if __name__ == "__main__":
    main()
