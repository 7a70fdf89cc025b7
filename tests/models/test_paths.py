"""File names in a model must be below its folder, in every format."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import acting

import tfpy as tf
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer
from tfpy._src.library.io.checked_json import ModelFileError

DATA = np.arange(2, dtype="<f4").tobytes()


def manifest(path: str) -> dict[str, bytes]:
    """Return a graph-model with its weights in another file."""
    weights = [{"name": "w", "shape": [2], "dtype": "float32"}]
    constant = acting.node("w", "Const", dtype=acting.kind(acting.FLOAT))
    y = acting.node("y", "AddV2", "x", "w", T=acting.kind(acting.FLOAT))
    made = {"node": [acting.IDLE["node"][0], constant, y]}
    groups = [{"paths": [path], "weights": weights}]
    model = {"format": "graph-model", "modelTopology": made, "weightsManifest": groups}
    return {"model.json": json.dumps(model).encode()}


def onnx(path: str) -> dict[str, bytes]:
    """Return an ONNX file with an array in another file."""
    place = chunk(13, chunk(1, "location") + chunk(2, path))
    array = integer(1, 2) + integer(2, 1) + chunk(8, "w") + place + integer(14, 1)
    add = chunk(1, chunk(1, "x") + chunk(1, "w") + chunk(2, "y") + chunk(4, "Add"))
    graph = add + chunk(5, array) + chunk(11, chunk(1, "x")) + chunk(12, chunk(1, "y"))
    return {"model.onnx": integer(1, 8) + chunk(8, integer(2, 18)) + chunk(7, graph)}


def asset(path: str) -> dict[str, bytes]:
    """Return a SavedModel with a table in another file."""
    nodes = acting.acting("InitializeTableFromTextFileV2", "")
    return acting.starting(nodes, assets=[("p:0", path)])


FORMATS: Mapping[str, tuple[Callable[[str], dict[str, bytes]], str]] = {
    "weightsManifest": (manifest, ""),
    "ONNX": (onnx, ""),
    "SavedModel": (asset, "assets/"),
}
"""Functions that make a model with a file name, and the folder of the named file."""

ELSEWHERE = (
    "../w.bin", "/etc/passwd", "a/../../w", "./../w", "%2e%2e/w", ".%2E/w", "a/%2e%2e/%2e%2e/w",
    "..%2fw", "%252e%252e/w", "..\\w", "a\\..\\..\\w", "C:w", "file:///etc/passwd",
    "https://example.org/w", "//example.org/w", "javascript:w", "w?v", "w#v", ".. /w", ".../w",
    "a//w", "w\n", "\t../w", ".", "..", "a/..", "",
)  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_what_leads_elsewhere(name: str, tmp_path: Path) -> None:
    make, _ = FORMATS[name]
    (tmp_path / "w.bin").write_bytes(DATA)
    (tmp_path / "net").mkdir()
    for path in ELSEWHERE:
        files = make(path)
        for file, data in files.items():
            (tmp_path / "net" / file).write_bytes(data)
        for source in (files, tmp_path / "net"):
            with pytest.raises(ModelFileError, match=r"not a path below|must be a string"):
                tf.models.load(source)


@pytest.mark.parametrize("name", FORMATS)
def test_links_stay_in_the_folder(name: str, tmp_path: Path) -> None:
    make, below = FORMATS[name]
    net = tmp_path / "net"
    (net / below).mkdir(parents=True)
    for place in (tmp_path / "secret", net / "inner"):
        place.write_bytes(DATA)
    for file, data in make("w.bin").items():
        (net / file).write_bytes(data)
    link = net / below / "w.bin"

    def load(target: Any) -> Any:
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        return tf.models.load(net)

    load(os.path.relpath(net / "inner", link.parent))
    load(net / "inner")
    for target in (tmp_path / "secret", os.path.relpath(tmp_path / "secret", link.parent)):
        with pytest.raises(ModelFileError, match=r"w[.]bin' is a link that leads out of"):
            load(target)
    with pytest.raises(ModelFileError, match=r"w[.]bin' is not there"):
        load("w.bin")
    link.unlink()
    for file, data in make("on/secret").items():
        (net / file).write_bytes(data)
    (link.parent / "on").symlink_to(tmp_path)
    with pytest.raises(ModelFileError, match="is a link that leads out of"):
        tf.models.load(net)


@pytest.mark.parametrize("name", FORMATS)
def test_folders_of_links(name: str, tmp_path: Path) -> None:
    """Load models from a download cache: folders of links to files in one folder."""
    make, below = FORMATS[name]
    blobs, net = tmp_path / "blobs", tmp_path / "snapshot"
    (net / below).mkdir(parents=True)
    blobs.mkdir()
    for number, (file, data) in enumerate({**make("w.bin"), f"{below}w.bin": DATA}.items()):
        (blobs / f"{number}").write_bytes(data)
        (net / file).symlink_to(os.path.relpath(blobs / f"{number}", (net / file).parent))
    tf.models.load(net)
