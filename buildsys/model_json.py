"""The wasm module that reads TensorFlow.js's model.json for Python: csrc/model_json."""

from __future__ import annotations

from pathlib import Path

from . import toolchain
from .cache import entry, tree_hash
from .paths import ROOT

PROJECT = ROOT / "csrc" / "model_json"
FUNCTIONS = ("tfpy_text", "tfpy_convert", "tfpy_result")


def ensure() -> Path:
    """Return the file model_json.wasm, built if it is missing."""
    tools = toolchain.ensure()
    options = [
        "-O3",
        "-flto",
        "-std=c++17",
        "-fno-exceptions",
        "-fno-rtti",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-sSTANDALONE_WASM",
        "-sALLOW_MEMORY_GROWTH",
        "-sINITIAL_MEMORY=1MB",
        "-sSTACK_SIZE=64KB",
        "-sMALLOC=emmalloc",
        f"-sEXPORTED_FUNCTIONS={','.join(f'_{name}' for name in FUNCTIONS)}",
        "--no-entry",
    ]

    def make(into: Path) -> None:
        words = ["em++", *options, *sorted(PROJECT.glob("*.cc")), "-o", into / "model_json.wasm"]
        tools.run(words, "model-json")

    inputs = {"project": tree_hash(PROJECT), "options": options, "emscripten": tools.version}
    return entry("model-json", inputs, "module for model.json", make) / "model_json.wasm"
