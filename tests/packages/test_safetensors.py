"""The site's safetensors, compared with a file of the real one."""

from __future__ import annotations

import base64
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

PACKAGES = Path(__file__).parents[2] / "web" / "python"
ARRAYS = {
    "é": np.arange(6, dtype="float32").reshape(2, 3),
    "a": np.array(True),
    "half": np.array([1.5, -2], ml_dtypes.bfloat16),
    "none": np.zeros((2, 0), "int64"),
}
METADATA = {"by": "ü"}
FILE = base64.b64decode(
    "CAEAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJieSI6IsO8In0sIm5vbmUiOnsiZHR5cGUiOiJJNjQiLCJzaGFwZSI6WzIsMF0s"
    "ImRhdGFfb2Zmc2V0cyI6WzAsMF19LCLDqSI6eyJkdHlwZSI6IkYzMiIsInNoYXBlIjpbMiwzXSwiZGF0YV9vZmZzZXRzIjpb"
    "MCwyNF19LCJoYWxmIjp7ImR0eXBlIjoiQkYxNiIsInNoYXBlIjpbMl0sImRhdGFfb2Zmc2V0cyI6WzI0LDI4XX0sImEiOnsi"
    "ZHR5cGUiOiJCT09MIiwic2hhcGUiOltdLCJkYXRhX29mZnNldHMiOlsyOCwyOV19fSAgICAgICAAAAAAAACAPwAAAEAAAEBA"
    "AACAQAAAoEDAPwDAAQ=="
)
"""Bytes that safetensors 0.8 writes for ARRAYS and METADATA."""


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PACKAGES))
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.import_module("safetensors.numpy")
    found = sys.modules["safetensors"]
    assert str(found.__file__).startswith(str(PACKAGES))
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.delitem(sys.modules, name)  # other tests find the real one, if there is one
    return found


def same(found: dict[str, Any]) -> bool:
    return found.keys() == ARRAYS.keys() and all(
        (array.dtype, array.tolist()) == (ARRAYS[name].dtype, ARRAYS[name].tolist())
        for name, array in found.items()
    )


def test_files(ours: Any, tmp_path: Path) -> None:
    assert ours.numpy.save(ARRAYS, METADATA) == FILE
    assert same(ours.numpy.load(FILE))
    file = tmp_path / "model.safetensors"
    ours.numpy.save_file(ARRAYS, file)
    assert same(ours.numpy.load_file(file))
    file.write_bytes(FILE)
    with ours.safe_open(file, framework="np", device="cpu") as opened:
        assert opened.keys() == ["a", "half", "none", "é"]
        assert opened.offset_keys() == ["none", "é", "half", "a"]
        assert opened.metadata() == METADATA
        part = opened.get_slice("é")
        assert (part.get_shape(), part.get_dtype()) == ([2, 3], "F32")
        assert part[1:].tolist() == [[3, 4, 5]]
        with pytest.raises(ours.SafetensorError, match="does not contain tensor b"):
            opened.get_tensor("b")


def damaged(sizes: str) -> bytes:
    """Return a file with 8 bytes of data and these sizes of an array."""
    header = f'{{"a":{{"dtype":"F32","shape":{sizes},"data_offsets":[0,8]}}}}'.encode()
    return len(header).to_bytes(8, "little") + header + bytes(8)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", FILE[:40], FILE[:-1], b"\2" + bytes(7) + b"[]", b"\xff" * 20),
        *(damaged("[-1,-2]"), damaged("[2.0]")),
    ],
)
def test_damaged_files(ours: Any, data: bytes) -> None:
    with pytest.raises(ours.SafetensorError, match="deserializing header"):
        ours.numpy.load(data)
