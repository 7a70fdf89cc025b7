"""The XNNPACK modules of the wasm backend: csrc/xnnpack_glue linked with XNNPACK."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import toolchain, xnnpack
from .cache import entry, tree_hash
from .paths import ROOT

PROJECT = ROOT / "csrc" / "xnnpack_glue"


def ensure(variant: str) -> Path:
    """The entry with xnnpack-<variant>.js and xnnpack-<variant>.wasm."""
    prefix = xnnpack.ensure(variant)
    tools = toolchain.ensure()
    inputs = {"project": tree_hash(PROJECT), "xnnpack": prefix.name, "emscripten": tools.version}

    def make(into: Path) -> None:
        _link(variant, prefix, tools, into)

    return entry(f"glue-{variant}", inputs, f"XNNPACK module, variant {variant}", make)


def _link(variant: str, prefix: Path, tools: toolchain.Toolchain, into: Path) -> None:
    build = into / "build"
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_TOOLCHAIN_FILE": tools.cmake_toolchain,
        "VARIANT": variant,
        "SOURCES": xnnpack.ensure_sources(),
        "XNNPACK_DIR": prefix,
    }
    defines = [f"-D{name}={value}" for name, value in options.items()]
    log = f"glue-{variant}"
    tools.run(["cmake", "-G", "Ninja", "-S", PROJECT, "-B", build, *defines], f"{log}-configure")
    tools.run(["ninja", "-C", build], log)
    for suffix in ("js", "wasm"):
        shutil.copy(build / "out" / f"xnnpack-{variant}.{suffix}", into)
    shutil.rmtree(build)
