"""The time of a page's start until the first result, and its bytes, for tfpy and its peers.

    PYTHONPATH=src:. python -m bench.starts build/site --backend wasm --loads 10

Chromium, with a profile on disk as users have it, loads a page of each side in turns: first with
empty caches, then from its cache. A page adds two numbers and reads them. The peers are
TensorFlow.js, jax-js and ONNX Runtime Web. A second site is another side (`before/site`), and so is
tfpy with Keras imported (`--keras`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from buildsys import archives
from buildsys.cache import entry
from tfpy.testing.environments import BACKENDS, BROWSERS, Environment
from tfpy.testing.server import SiteServer

ROOT = Path(__file__).resolve().parent.parent
PAGE = "tfpy-testing/blank.html"
JAX = (
    *("npm", "@jax-js/jax", "0.1.25"),
    "6bb85e8f37f497fa0eccf0beb25f1c69225db94e555e82e20a848eaac79db30e",
)
FLAGS = {"SOFTWARE_WEBGL_ENABLED": True, "WEBGPU_SOFTWARE_ENABLED": True}
COLD = 2
FILLING = 3
"""Loads that fill the caches. Chromium caches compiled code from the second load on."""
LARGE = 20_000
STEPS = ("Python", "packages", "tfpy", "result")
TFPY = """async (backend, flags, packages) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  const begun = {};
  const onProgress = ({ stage }) => (begun[stage] ??= performance.now());
  const tfpy = await loadTfpy({ packages, backend, flags, onProgress });
  const loaded = performance.now();
  const code = "import tfpy as tf; (await (tf.constant([1.0, 2.0]) + 1).data()).tolist()";
  const values = await tfpy.run([...packages.map((name) => `import ${name}`), code].join("\\n"));
  if (values.toJs()[1] !== 3) throw new Error(`${values}`);
  return [begun.packages, begun.backend, loaded, performance.now()];
}"""
TFJS = """async (backend) => {
  const dist = (name) => `/node_modules/@tensorflow/${name}.es2017.min.js`;
  const load = (src) => new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"),
      { src, onload: resolve, onerror: reject }));
  });
  await load(dist("tfjs/dist/tf"));
  if (backend === "wasm") {
    await load(dist("tfjs-backend-wasm/dist/tf-backend-wasm"));
    tf.wasm.setWasmPaths("/node_modules/@tensorflow/tfjs-backend-wasm/dist/");
  }
  if (!(await tf.setBackend(backend))) throw new Error(`no ${backend}`);
  const values = await tf.tensor([1, 2]).add(1).data();
  if (values[1] !== 3) throw new Error(`${values}`);
  return [performance.now()];
}"""
JAXJS = """async (backend) => {
  const { init, defaultDevice, numpy } = await import("/jax-js/index.js");
  if (!(await init(backend)).includes(backend)) throw new Error(`no ${backend}`);
  defaultDevice(backend);
  const values = await numpy.array([1, 2]).add(1).data();
  if (values[1] !== 3) throw new Error(`${values}`);
  return [performance.now()];
}"""
MODEL = (
    "CAg6RAoOCgF4CgFvEgF5IgNBZGQSAWcqDQgBEAFCAW9KBAAAgD9aDwoBeBIKCggIARIECgIIAmIPCgF5EgoKCAgB"
    "EgQKAggCQgQKABAN"
)
"""An ONNX model that adds 1 to a vector, in base64."""
ORT = """async (backend, model) => {
  const dist = "/node_modules/onnxruntime-web/dist/";
  const ort = await import(`${dist}ort.${backend}.min.mjs`);
  ort.env.wasm.wasmPaths = dist;
  const bytes = Uint8Array.from(atob(model), (letter) => letter.charCodeAt(0));
  const session = await ort.InferenceSession.create(bytes, { executionProviders: [backend] });
  const { y } = await session.run({ x: new ort.Tensor("float32", [1, 2], [2]) });
  if (y.data[1] !== 3) throw new Error(`${y.data}`);
  return [performance.now()];
}"""
FETCHED = "() => performance.getEntriesByType('resource').map(({ name }) => name)"
COMPRESSED = (".wasm", ".mjs", ".js", ".json", ".html", ".css")
"""Suffixes that servers compress. Wheels and archives are already compressed."""
SIZES = """
const { brotliCompressSync, constants, gzipSync } = await import("node:zlib");
const { readFileSync } = await import("node:fs");
const params = { [constants.BROTLI_PARAM_LGWIN]: 24 };
const data = readFileSync(process.argv[1]);
const compressed = [gzipSync(data, { level: 9 }), brotliCompressSync(data, { params })];
console.log(JSON.stringify(compressed.map(({ length }) => length)));
"""


@dataclass
class Side:
    """A page, its server, and the arguments of its script."""

    name: str
    server: SiteServer
    folders: dict[str, Path]
    script: str
    arguments: list[Any]
    cold: list[list[float]] = field(default_factory=list)
    warm: list[list[float]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def path(self, url: str) -> Path:
        """Return the file of an address."""
        name = urlsplit(url).path.lstrip("/")
        first, _, rest = name.partition("/")
        return self.folders[first] / rest if first in self.folders else self.folders[""] / name


def sides(options: argparse.Namespace, stack: ExitStack) -> Iterator[Side]:
    """Yield the sides. Their servers allow caching."""
    jax = entry("jax-js", JAX, "jax-js", _make_jax) / "package" / "dist"
    for number, site in enumerate(options.sites):
        folders = {"tfpy-testing": ROOT / "src" / "tfpy" / "testing" / "page"}
        folders |= {"node_modules": ROOT / "node_modules", "jax-js": jax}
        headers = {"Cache-Control": "max-age=86400"}
        server = stack.enter_context(SiteServer(site, mounts=folders, headers=headers))
        folders[""] = site
        side = partial(_side, server, folders, options.backend)
        yield side(f"tfpy ({site})", TFPY, FLAGS, [])
        if number == 0:
            if options.keras:
                yield side("tfpy, Keras", TFPY, FLAGS, ["keras"])
            if not options.alone:
                yield side("TensorFlow.js", TFJS)
                if options.backend != "cpu":
                    yield side("jax-js", JAXJS)
                if options.backend in ("wasm", "webgpu"):
                    yield side("ONNX Runtime Web", ORT, MODEL)


def _side(
    server: SiteServer, folders: dict[str, Path], backend: str, name: str, script: str, *rest: Any
) -> Side:
    return Side(name, server, folders, script, [backend, *rest])


def _make_jax(into: Path) -> None:
    shutil.unpack_archive(archives.fetch(*JAX, into), into)


async def measure(found: list[Side], loads: int) -> None:
    """Load the sides in turns."""
    from playwright.async_api import async_playwright

    chromium = BROWSERS["chromium"]
    arguments, _ = chromium.start(Environment())
    with tempfile.TemporaryDirectory() as profile:
        async with async_playwright() as playwright:
            context = await playwright.chromium.launch_persistent_context(
                profile, executable_path=chromium.executable(), args=arguments
            )
            page = context.pages[0]
            session = await context.new_cdp_session(page)
            for turn in range(-COLD - FILLING, loads):
                for side in found:
                    if turn < -FILLING:
                        await session.send("Network.clearBrowserCache")
                    await page.goto(side.server.url + PAGE)
                    words = ", ".join(map(json.dumps, side.arguments))
                    times = await page.evaluate(f"({side.script})({words})")
                    if turn < -FILLING:
                        side.cold.append(times)
                        side.files = await page.evaluate(FETCHED)
                    elif turn >= 0:
                        side.warm.append(times)
            await context.close()


def show(found: list[Side]) -> None:
    """Print a table of times and a table of bytes."""
    print(f"{'ms':44}{'cold':>8}{'warm':>8}{'median':>8}")
    for side in found:
        ends = [[times[-1] for times in kind] for kind in (side.cold, side.warm)]
        least = [min(kind) for kind in ends]
        print(f"{side.name:44}{least[0]:8.0f}{least[1]:8.0f}{median(ends[1]):8.0f}")
        for at, step in enumerate(STEPS if len(side.warm[0]) > 1 else ()):
            spans = [times[at] - (times[at - 1] if at else 0) for times in side.warm]
            print(f"  {step:50}{min(spans):8.0f}{median(spans):8.0f}")
    print(f"\n{'kB':44}{'plain':>8}{'gzip':>8}{'brotli':>8}")
    for side in found:
        rows = {path: sizes(path) for path in sorted(set(map(side.path, side.files)))}
        total = [sum(row[at] for row in rows.values()) for at in range(3)]
        print(f"{side.name:44}" + "".join(f"{size / 1e3:8.0f}" for size in total))
        for path, row in rows.items():
            if row[1] >= LARGE:
                print(f"  {path.name[:41]:42}" + "".join(f"{size / 1e3:8.0f}" for size in row))


def sizes(path: Path) -> list[int]:
    """Return the bytes of a file: plain, and as servers send it with gzip and with brotli."""
    plain = path.stat().st_size
    if path.suffix not in COMPRESSED:
        return [plain] * 3
    words = ["node", "--input-type=module", "-e", SIZES, str(path)]
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    return [plain, *json.loads(done.stdout)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.starts", description=__doc__)
    parser.add_argument("sites", type=Path, nargs="+", help="folders of sites")
    parser.add_argument("--backend", choices=BACKENDS, default="wasm")
    parser.add_argument("--loads", type=int, default=10, help="loads of each side from the cache")
    parser.add_argument("--keras", action="store_true", help="also load tfpy with Keras imported")
    parser.add_argument("--alone", action="store_true", help="omit the peers")
    options = parser.parse_args()
    with ExitStack() as stack:
        found = list(sides(options, stack))
        before = os.getloadavg()[0]
        asyncio.run(measure(found, options.loads))
        print(f"{options.backend}; load {before:.1f} to {os.getloadavg()[0]:.1f}")
        show(found)


if __name__ == "__main__":
    main()
