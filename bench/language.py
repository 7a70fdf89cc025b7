"""Language models: tfpy in turns with wllama, ONNX Runtime Web and transformers.js, in one browser.

    PYTHONPATH=src:. python -m bench.language build/site --backend wasm --threads 1 2

The model is SmolLM2-135M-Instruct, from the file in Q4_1 of the gallery. ``onnx_decoder.py`` writes
its ONNX files. The page is ``page/language.html``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bench import shipped, starts
from bench.pages import ROOT, records
from buildsys import archives, gallery_models, model_files, pyenv
from buildsys.cache import entry, file_hash
from buildsys.console import run_logged
from tfpy._src.formats.gguf.reader import GgufFile


class Peer(NamedTuple):
    """A package of npm that the page loads, and the files that it needs."""

    package: str
    version: str
    sha256: str
    files: tuple[str, ...]


PEERS = {
    "wllama": Peer(
        "@wllama/wllama",
        "3.13.0",
        "a9eaac205ff9a1d6fdbea395a48652bd5febc56511a7b66b736d862bf726d2d5",
        ("package.json", "esm/index.min.js", "esm/wasm/wllama.wasm"),
    ),
    "transformers": Peer(
        "@huggingface/transformers",
        "4.3.2",
        "5414fb47b11ae2a8c10a3aac68f833e6fb6e9bde03e9e612ad7da3ea9e9d2663",
        ("dist/transformers.min.js",),
    ),
    "onnxruntime": Peer(
        "onnxruntime-web",
        "1.31.0-dev.20260914-8d85527a0",  # the version that transformers.js requires
        "0de27582f3e3189dec4a2082513a0af1ea79ae7fd3039bbfe634a526e173cbe0",
        tuple(f"dist/ort-wasm-simd-threaded.asyncify.{suffix}" for suffix in ("mjs", "wasm")),
    ),
}
ONNX_RUNTIME = {
    "wasm": ("ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"),
    "webgpu": shipped.ONNX_RUNTIME,
}
"""Files of the release of ONNX Runtime Web in node_modules."""
PARTS = {"wllama": ("wllama",), "transformers": ("transformers", "onnxruntime")}
"""Peers with the files that a side needs."""
SOFTWARE = (
    "--enable-unsafe-webgpu --use-webgpu-adapter=swiftshader --enable-features=Vulkan"
    " --use-vulkan=swiftshader"
)
"""Arguments of Chromium without a GPU. The arguments of the tests leave a workgroup's memory
uninitialized, with which ONNX Runtime Web computes wrong results."""
SIDES = ("tfpy", "wllama", "onnxruntime", "transformers")
STORY = (
    "the sun was up and an old man went down the road to the house by the water where he saw a"
    " white dog that had no name so he gave it some food and a place to sleep near the fire the"
    " next day they walked together into the town and the people there said that the dog was very"
    " good then the man told them how he had found it and all of them wanted to hear more about"
    " that night"
)
"""The words of prompts, which repeat them. Each is one token of the model."""
MB = 1e6
COLUMNS = (
    *(("side", 34), ("backend", 8), ("threads", 7), ("agree", 9), ("open s", 7), ("load s", 7)),
    *(("first ms", 9), ("prefill/s", 9), ("decode/s", 9), ("whole/s", 8)),
    *(("wasm MB", 8), ("GPU MB", 7), ("runtime MB", 10)),
)
LEFT = 2  # left-aligned columns


def model() -> Path:
    """Return the GGUF file of the gallery's chat."""
    package, (name,) = gallery_models.OF_LANGUAGE["smollm2"]
    return model_files.ensure(package) / name


def story(file: Path) -> dict[str, list[Any]]:
    """Return the words of prompts, and the token of each in the model of a GGUF file."""
    with file.open("rb") as opened:
        names = GgufFile(opened).metadata["tokenizer.ggml.tokens"]
    tokens = {name: number for number, name in enumerate(names)}
    words = STORY.split()
    return {"words": words, "ids": [tokens[f"Ġ{word}"] for word in words]}


def peer(name: str) -> Path:
    """Return the folder of a peer's package, fetched if it is missing."""
    found = PEERS[name]

    def make(into: Path) -> None:
        archive = archives.fetch("npm", found.package, found.version, found.sha256, into)
        shutil.unpack_archive(archive, into)

    inputs = [found.package, found.version, found.sha256]
    return entry(f"bench-{name}", inputs, found.package, make) / "package"


def decoder() -> Path:
    """Return the folder with the model as ONNX files, written if it is missing."""
    maker = Path(__file__).with_name("onnx_decoder.py")
    words = ["-m", f"bench.{maker.stem}", model()]
    env = pyenv.importing("src", ".")

    def make(into: Path) -> None:
        run_logged([pyenv.ensure("bench"), *words, into], "onnx-decoder", env=env)

    return entry("bench-decoder", [file_hash(maker), file_hash(model())], "ONNX decoder", make)


def files(options: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Yield the files that the sides need, with their addresses."""
    if not {"tfpy", "wllama"}.isdisjoint(options.side):
        yield "models/model.gguf", model()
    names = ["model.gguf"] if options.check else []
    if not {"onnxruntime", "transformers"}.isdisjoint(options.side):
        # Another machine has a GPU with float16.
        types = ["q4f16"] if options.pack and options.backend == "webgpu" else ["q4", "q4f16"]
        names += ["config.json", *(f"onnx/model_{one}.onnx" for one in types)]
    for name in names:
        yield f"models/decoder/{name}", decoder() / name
    for side in options.side:
        for name in PARTS.get(side, ()):
            for file in PEERS[name].files:
                yield f"peers/{name}/{file}", peer(name) / file
    if "onnxruntime" in options.side:
        for file in ONNX_RUNTIME[options.backend]:
            path = f"node_modules/onnxruntime-web/dist/{file}"
            yield path, ROOT / path


def write(folder: Path, options: argparse.Namespace) -> None:
    """Copy the files to a folder."""
    for name, source in files(options):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    text = json.dumps(story(model()))
    (folder / "models").mkdir(parents=True, exist_ok=True)
    (folder / "models" / "story.json").write_text(text, encoding="utf-8")


async def measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Open a page for each number of threads, and print each record when it arrives."""
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, options)
        mounts = {one: folder / one for one in ("models", "peers", "node_modules")}
        query = {key: getattr(options, key) for key in ("backend", "prompt", "tokens", "rounds")}
        query |= {"side": ",".join(options.side), "repeats": options.repeats}
        query |= {"check": 1} if options.check else {}
        for threads in options.threads:
            asked = query | {"threads": threads}
            arguments = shlex.split(options.flags)
            async for line in records(
                options.site, "language", asked, mounts=mounts, arguments=arguments
            ):
                if not options.check and "files" in line:
                    places = {**mounts, "": options.site}
                    line["runtime_bytes"] = downloads(line["files"], places)
                print_line(line)
                lines.append(line)
    return lines


def downloads(addresses: list[str], places: dict[str, Path]) -> dict[str, int]:
    """Return the bytes of the files of a runtime: plain, with gzip and with brotli."""
    paths = set()
    for address in addresses:
        name = urlsplit(address).path.lstrip("/")
        first, _, rest = name.partition("/")
        paths.add(places[first] / rest if first in places else places[""] / name)
    sizes = [_sizes(path) for path in paths if path.is_file()]
    kinds = ("plain", "gzip", "brotli")
    return {kind: sum(size[at] for size in sizes) for at, kind in enumerate(kinds)}


_sizes = cache(starts.sizes)


def print_line(line: dict[str, Any]) -> None:
    """Print the row of a side."""
    if "failure" in line:
        print(f"{line['side']} on {line['backend']} FAILED: {line['failure']}", flush=True)
        return
    cells = [line["name"], line["backend"], str(line["threads"])]
    cells.append(f"{line['agree']}/{line['of']}" if "agree" in line else "")
    if "first_ms" in line:
        cells += [f"{line[key] / 1e3:.2f}" for key in ("open_ms", "load_ms")]
        cells += [f"{line[key]:.1f}" for key in ("first_ms", "prefill_per_s", "decode_per_s")]
        cells.append(f"{line['whole_per_s']:.1f}" if "whole_per_s" in line else "")
        sizes = [line["wasm_bytes"], line["gpu_bytes"]]
        sizes.append(line.get("runtime_bytes", {}).get("brotli"))
        cells += [f"{size / MB:.1f}" if size else "" for size in sizes]
    print_row(*cells)


def print_row(*cells: str) -> None:
    fields = [
        cell.ljust(width) if at < LEFT else cell.rjust(width)
        for at, (cell, (_, width)) in enumerate(zip(cells, COLUMNS, strict=False))
    ]
    print("  ".join(fields).rstrip(), flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.language", description=__doc__)
    parser.add_argument("site", type=Path, nargs="?", help="folder of the site")
    parser.add_argument("--backend", choices=("wasm", "webgpu"), default="wasm")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="numbers of threads")
    parser.add_argument("--side", nargs="+", choices=SIDES, default=list(SIDES))
    parser.add_argument("--prompt", type=int, default=128, help="tokens of a prompt")
    parser.add_argument("--tokens", type=int, default=32, help="tokens to generate")
    parser.add_argument("--rounds", type=int, default=2, help="loads of each side")
    parser.add_argument("--repeats", type=int, default=3, help="samples after each load")
    parser.add_argument("--check", action="store_true", help="only compare the tokens")
    parser.add_argument("--flags", default=SOFTWARE, help="arguments of Chromium for WebGPU")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for JSON lines")
    parser.add_argument("--pack", type=Path, metavar="FOLDER", help="only copy files to FOLDER")
    parser.add_argument("--show", type=Path, metavar="FILE", help="only print a file of --json")
    options = parser.parse_args()
    if options.site is None and options.show is None and options.pack is None:
        parser.error("the folder of the site, --pack or --show is required")
    return options


def main() -> None:
    options = arguments()
    if options.pack:
        write(options.pack, options)
        return
    print_row(*(title for title, _ in COLUMNS))
    if options.show:
        for text in options.show.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if "done" not in line:
                print_line(line)
        return
    lines = asyncio.run(measure(options))
    if options.json:
        options.json.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


if __name__ == "__main__":
    main()
