"""The first result of a page with an exported program, compared with TensorFlow.js.

    PYTHONPATH=src:. python -m bench.exported build/site --backend wasm --work blazeface

exports graph models of packages, opens ``page/exported.html`` in Chromium, and prints the time and
the downloads of each side's start.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import tfpy as tf
from bench import shipped
from bench.pages import ROOT, lines_of
from tfpy.testing.drivers import start_browser
from tfpy.testing.environments import Environment
from tfpy.testing.server import SiteServer

WORKS = ("blazeface", "movenet-lightning", "facemesh", "mobilenet_v2_mid")


def write(works: list[str], folder: Path) -> None:
    """Write NAME.tfpy and NAME/, the graph model, to a folder for each work."""
    models = shipped.models()
    for name in works:
        shutil.copytree(models[name], folder / name, dirs_exist_ok=True)
        tf.export(tf.models.load(models[name] / f"{name}.json"), folder / f"{name}.tfpy")


async def measure(options: argparse.Namespace) -> None:
    """Open the page for each work, and print its record."""
    with tempfile.TemporaryDirectory() as folder:
        write(options.work, Path(folder))
        mounts = {"bench": ROOT / "bench", "models": Path(folder)}
        mounts["node_modules"] = ROOT / "node_modules"
        browser = await start_browser("chromium", Environment())
        try:
            with SiteServer(options.site, mounts=mounts) as server:
                for work in options.work:
                    query = {"backend": options.backend, "work": work, "pairs": options.pairs}
                    address = f"{server.url}bench/page/exported.html?{urlencode(query)}"
                    page = await browser.open(address)
                    print_line(await _record(page))
                    await page.close()
        finally:
            await browser.close()


async def _record(page: Any) -> dict[str, Any]:
    """Return the final record of the page, which loads itself many times."""
    while True:
        await asyncio.sleep(1)
        try:
            lines = await lines_of(page)
        except Exception:  # the page is being loaded
            continue
        if lines and "done" in json.loads(lines[-1]):
            found: dict[str, Any] = json.loads(lines[0])
            return found


def print_line(line: dict[str, Any]) -> None:
    """Print a row for each side."""
    if "error" in line:
        print(line["work"], line["error"], flush=True)
        return
    for side in ("tfpy", "tfjs"):
        own = line[side]
        kinds = (f"{kind} {_sizes(own[kind])}" for kind in ("program", "model"))
        times = (f"{what} {own[what]:.0f} ms" for what in ("median", "least", "first"))
        print(f"{line['work']:20} {line['backend']:6} {side:5}", *times, *kinds, flush=True)


def _sizes(bytes_: dict[str, int]) -> str:
    return f"{bytes_['compressed'] / 1e3:.0f} kB (plain {bytes_['plain'] / 1e3:.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.exported", description=__doc__)
    parser.add_argument("site", type=Path, help="folder of the site")
    parser.add_argument("--backend", choices=("wasm", "webgl"), default="wasm")
    parser.add_argument("--work", nargs="+", metavar="MODEL", default=list(WORKS))
    parser.add_argument("--pairs", type=int, default=10, help="loads of each side")
    parser.add_argument("--pack", type=Path, metavar="FOLDER", help="only write models to FOLDER")
    options = parser.parse_args()
    if options.pack is None:
        asyncio.run(measure(options))
        return
    (options.pack / "models").mkdir(parents=True, exist_ok=True)
    write(options.work, options.pack / "models")


if __name__ == "__main__":
    main()
