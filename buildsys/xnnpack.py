"""XNNPACK as static libraries for wasm32, one cache entry per memory model."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from . import toolchain
from .cache import entry, tree_hash
from .console import run_logged
from .debian import checked, private_apt
from .paths import ROOT

PROJECT = ROOT / "csrc" / "xnnpack"
MODELS = {"plain": (), "threads": ("-pthread",)}
"""The memory models, with the compiler flags that all objects of a link share."""
SUITE = toolchain.SUITE
SOURCES = {
    "xnnpack": (
        "0.0~git20241108.4ea82e5",
        "90bde2caef0f880f627bab0dc805a86c4b8070cd98e3243db3046ab3f3be1a99",
    ),
    "pthreadpool": (
        "0.0~git20240616.560c60d",
        "4cc3cbd933b28131d2a34edc54f76af9fb41bc490af5eae1a5bd3cd07ea90708",
    ),
    "fxdiv": (
        "0.0~git20200417.b408327",
        "7953482badaf4cb34026c3487c257b8e4ab2df061c019bd6fabbbc12ad52c44b",
    ),
    "fp16": (
        "0.0~git20200514.4dfe081",
        "7d7782b37b74136e0e12593a2a93ccbe7db831f4374cc408e44623d9b708b54e",
    ),
}
RAPIDJSON = (
    "rapidjson-dev",
    "1.1.0+dfsg2-7.4",
    "bae757b6f8c3bac0cad89877d34f125e5533ec27e61d38dc66559a7b8a0e46bf",
)


def ensure(model: str) -> Path:
    """Return the entry with lib/ and include/ of one memory model, compiled if it is missing.

    The libraries are libXNNPACK.a, libXNNPACK-simd.a, libXNNPACK-relaxed.a and libpthreadpool.a.
    """
    sources = ensure_sources()
    tools = toolchain.ensure()
    inputs = {
        "flags": MODELS[model],
        "sources": sources.name,
        "project": tree_hash(PROJECT),
        "emscripten": tools.version,
    }

    def make(into: Path) -> None:
        _compile(model, sources, tools, into)

    return entry(f"xnnpack-{model}", inputs, f"XNNPACK, memory model {model}", make)


def ensure_sources() -> Path:
    """Return the entry with a source directory for each of SOURCES, and RapidJSON's headers."""
    inputs = {"suite": SUITE, "sources": SOURCES, "rapidjson": RAPIDJSON}
    return entry("xnnpack-sources", inputs, "XNNPACK's sources", _fetch)


def _fetch(into: Path) -> None:
    apt = private_apt(SUITE, into / "apt")
    apt.fetch_sources(SOURCES, into, "xnnpack-sources")
    package, version, sha256 = RAPIDJSON
    apt.fetch(["download", f"{package}={version}"], into, "rapidjson")
    deb = checked(into / f"{package}_{version}_all.deb", sha256)
    run_logged(["dpkg", "-x", deb, into / "rapidjson"], "rapidjson-unpack")
    deb.unlink()
    shutil.rmtree(into / "apt")


def _compile(model: str, sources: Path, tools: toolchain.Toolchain, into: Path) -> None:
    build = into / "build"
    flags = tools.read(["emcc", "-msimd128", *MODELS[model], "--cflags"])
    options: Mapping[str, object] = {
        "CMAKE_BUILD_TYPE": "None",
        "CMAKE_C_COMPILER": tools.llvm("clang"),
        "CMAKE_CXX_COMPILER": tools.llvm("clang++"),
        "CMAKE_AR": tools.llvm("llvm-ar"),
        "CMAKE_RANLIB": tools.llvm("llvm-ranlib"),
        "XNNPACK": sources / "xnnpack",
        "PTHREADPOOL": sources / "pthreadpool",
        "FXDIV": sources / "fxdiv",
        "FP16": sources / "fp16",
        "SHIMS": PROJECT / "shims",
        "TARGET_FLAGS": flags,
        "THREADS": int(model == "threads"),
    }
    defines = [f"-D{name}={value}" for name, value in options.items()]
    log = f"xnnpack-{model}"
    tools.run(["cmake", "-G", "Ninja", "-S", PROJECT, "-B", build, *defines], f"{log}-configure")
    tools.run(["ninja", "-C", build], log)
    (into / "lib").mkdir()
    for library in build.glob("*.a"):
        shutil.copy(library, into / "lib")
    include = into / "include"
    shutil.copytree(sources / "rapidjson" / "usr" / "include", include)
    for header in ("xnnpack/include/xnnpack.h", "pthreadpool/include/pthreadpool.h"):
        shutil.copy(sources / header, include)
    shutil.rmtree(build)
