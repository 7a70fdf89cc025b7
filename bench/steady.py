"""A check that a training loop of 100,000 steps holds constant memory on each backend.

    PYTHONPATH=src python -m bench.steady build/site --backend cpu wasm webgl webgpu

A page trains (``steady_steps.py``), and after every tenth of the steps a row shows what is held.
The last row is compared with the second one, because the first still has objects of the start. The
exit status is 1 if a figure grew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from tfpy.testing.drivers import start_browser
from tfpy.testing.environments import BACKENDS, BROWSERS, ENVIRONMENTS
from tfpy.testing.server import SiteServer

ROOT = Path(__file__).resolve().parent.parent
PAGE = "tfpy-testing/blank.html"
READINGS = 10
START = """async (backend, flags, source) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  const { pyodide } = await loadTfpy({ backend, flags });
  pyodide.FS.writeFile("steady_steps.py", source);
  globalThis.heap = () => pyodide._module.HEAPU8.length;
  globalThis.training = pyodide.pyimport("steady_steps").Training();
}"""
PART = """async (steps) => {
  const used = () => performance.memory?.usedJSHeapSize ?? 0;
  let least = Infinity;  // garbage comes and goes
  const watch = setInterval(() => { least = Math.min(least, used()); }, 50);
  const loss = await training.run(steps);
  clearInterval(watch);
  const figures = JSON.parse(training.figures());
  return { ...figures, "Python heap": heap(), "JS heap": Math.min(least, used()), loss };
}"""
MARGINS = {"Python objects": (0.01, 0), "JS heap": (0.1, 2**21)}
"""Allowed growth of figures without a leak: a share and a number. Other figures may not grow."""


async def measure(site: Path, browser_name: str, backend: str, steps: int) -> list[dict[str, Any]]:
    """Return the rows of a backend. They are printed as they arrive."""
    environment = ENVIRONMENTS["software"]
    source = (ROOT / "bench" / "steady_steps.py").read_text()
    given = ", ".join(map(json.dumps, (backend, dict(environment.flags), source)))
    rows: list[dict[str, Any]] = []
    mounts = {"tfpy-testing": ROOT / "src" / "tfpy" / "testing" / "page"}
    browser = await start_browser(browser_name, environment)
    try:
        with SiteServer(site, mounts=mounts) as server:
            page = await browser.open(server.url + PAGE)
            await page.evaluate(f"({START})({given})")
            for _ in range(READINGS):
                begun = time.perf_counter()
                row = await page.evaluate(f"({PART})({steps // READINGS})")
                row["µs a step"] = round((time.perf_counter() - begun) / steps * READINGS * 1e6)
                row["loss"] = round(row["loss"], 4)
                if not rows:
                    print(" | ".join(["backend", "steps", *row]))
                rows.append(row)
                done = len(rows) * steps // READINGS
                print(" | ".join(map(str, [backend, done, *row.values()])), flush=True)
    finally:
        await browser.close()
    return rows


def grown(rows: list[dict[str, Any]]) -> list[str]:
    """Return the figures that are larger at the end than early in the run."""
    early, last = rows[1], rows[-1]
    found = []
    for name in early.keys() - {"loss", "µs a step"}:
        share, number = MARGINS.get(name, (0, 0))
        if last[name] > early[name] * (1 + share) + number:
            found.append(f"{name}: {early[name]} to {last[name]}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.steady", description=__doc__)
    parser.add_argument("site", type=Path, help="folder of the site")
    parser.add_argument("--backend", nargs="+", choices=BACKENDS, default=list(BACKENDS))
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--browser", choices=BROWSERS, default="chromium")
    options = parser.parse_args()
    failed = False
    for backend in options.backend:
        rows = asyncio.run(measure(options.site, options.browser, backend, options.steps))
        leaks = grown(rows)
        print(f"{backend}: {'grew: ' + '; '.join(leaks) if leaks else 'flat'}", flush=True)
        failed |= bool(leaks)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
