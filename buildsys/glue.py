"""The XNNPACK modules of the wasm backend: csrc/xnnpack_glue linked with XNNPACK.

A variant is an instruction set (SIMD or relaxed SIMD) and a memory model (with or without threads).
The variants of one memory model are one entry of the cache, because they share most objects.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from . import toolchain, xnnpack
from .cache import entry, tree_hash
from .paths import ROOT

PROJECT = ROOT / "csrc" / "xnnpack_glue"
VARIANTS = ("simd", "simd-threads", "relaxed", "relaxed-threads")


def ensure(variant: str) -> tuple[Path, Path]:
    """Return the script and the module of a variant, built if they are missing."""
    model = "threads" if variant.endswith("-threads") else "plain"
    prefix = xnnpack.ensure(model)
    tools = toolchain.ensure()
    inputs = {"project": tree_hash(PROJECT), "xnnpack": prefix.name, "emscripten": tools.version}

    def make(into: Path) -> None:
        _link(model, prefix, tools, into)

    folder = entry(f"glue-{model}", inputs, f"XNNPACK modules, memory model {model}", make)
    return folder / f"xnnpack-{variant}.js", folder / f"xnnpack-{variant}.wasm"


def _link(model: str, prefix: Path, tools: toolchain.Toolchain, into: Path) -> None:
    build = into / "build"
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_TOOLCHAIN_FILE": tools.cmake_toolchain,
        "THREADS": int(model == "threads"),
        "SOURCES": xnnpack.ensure_sources(),
        "XNNPACK_DIR": prefix,
    }
    defines = [f"-D{name}={value}" for name, value in options.items()]
    log = f"glue-{model}"
    tools.run(["cmake", "-G", "Ninja", "-S", PROJECT, "-B", build, *defines], f"{log}-configure")
    tools.run(["ninja", "-C", build], log)
    for file in (build / "out").iterdir():
        shutil.copy(file, into)
    shutil.rmtree(build)
