"""``model.json``, its manifest and its weight files: valid and invalid contents."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy._src.formats import sources
from tfpy._src.formats.tfjs import model_json, weights_manifest, weights_writer
from tfpy._src.library.io import checked_json
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy.testing.server import SiteServer

FLOATS = {"name": "a", "shape": [2, 3], "dtype": "float32"}


def group(*specs: Any, paths: tuple[Any, ...] = ("w.bin",)) -> list[Any]:
    return [{"paths": list(paths), "weights": list(specs)}]


async def all_of(source: Any) -> list[tuple[weights_manifest.WeightGroup, bytes]]:
    """Return the groups of a model's weights with their bytes."""
    files = source if isinstance(source, sources.ModelFiles) else sources.opened(source)
    _, coming = model_json.begun(files, await files.read(files.model, 1 << 20))
    with coming:
        return await coming.data()


def load(source: Any) -> dict[str, np.ndarray]:
    """Return the weights of a model's files."""
    groups = asyncio.run(all_of(source))
    return {
        spec.name: values
        for one, data in groups
        for spec, values in weights_manifest.decoded(one, data)
    }


def model(weights: Any, **files: bytes) -> dict[str, bytes]:
    text = json.dumps({"modelTopology": {}, "weightsManifest": weights})
    return {"model.json": text.encode()} | {k.replace("_", "."): v for k, v in files.items()}


def decode(spec: dict[str, Any], data: bytes) -> np.ndarray:
    return load(model(group({"name": "a", **spec}), w_bin=data))["a"]


def quantized(dtype: str, stored: str, **how: float) -> dict[str, Any]:
    return {"shape": [3], "dtype": dtype, "quantization": {"dtype": stored, **how}}


def test_values() -> None:
    x = np.arange(6, dtype="<f4").reshape(2, 3)
    np.testing.assert_array_equal(decode({"shape": [2, 3], "dtype": "float32"}, x.tobytes()), x)
    ints = decode({"shape": [], "dtype": "int32"}, struct.pack("<i", -7))
    assert ints.shape == ()
    assert ints == -7
    bools = decode({"shape": [3], "dtype": "bool"}, b"\1\0\1")
    assert bools.dtype == bool
    assert bools.tolist() == [True, False, True]
    pair = decode({"shape": [1], "dtype": "complex64"}, struct.pack("<ff", 1, -2))
    assert pair.tolist() == [1 - 2j]
    words = decode({"shape": [2], "dtype": "string"}, b"\3\0\0\0abc\0\0\0\0")
    assert words.tolist() == [b"abc", b""]
    assert decode({"shape": [0, 4], "dtype": "float32"}, b"").shape == (0, 4)


def test_quantized_values() -> None:
    bytes_ = decode(quantized("float32", "uint8", scale=0.5, min=-1.0), b"\0\1\xff")
    np.testing.assert_array_equal(bytes_, np.float32([-1, -0.5, 126.5]))
    words = decode(quantized("float32", "uint16", scale=2.0, min=1.0), b"\0\0\1\0\xff\xff")
    np.testing.assert_array_equal(words, np.float32([1, 3, 131071]))
    # as JavaScript's Math.round: halves are rounded up
    ints = decode(quantized("int32", "uint8", scale=0.5, min=-1.0), b"\0\1\3")
    assert ints.dtype == np.int32
    assert ints.tolist() == [-1, 0, 1]
    halves = decode(quantized("float32", "float16"), np.float16([1, -0.1, 9]).tobytes())
    np.testing.assert_array_equal(halves, np.float16([1, -0.1, 9]).astype("float32"))


def test_weights_may_lie_across_files_and_groups() -> None:
    x = np.arange(6, dtype="<f4").tobytes()
    one = group(FLOATS, paths=("./s1.bin", "deep/s2.bin", "s3.bin"))
    two = group({**FLOATS, "name": "b"}, paths=("w.bin",))
    found = load(
        {**model(one + two, w_bin=x), "s1.bin": x[:7], "deep/s2.bin": b"", "s3.bin": x[7:]}
    )
    np.testing.assert_array_equal(found["a"], found["b"])
    assert found["a"][1, 2] == 5


def test_sources(tmp_path: Path) -> None:
    files = model(group(FLOATS), w_bin=np.ones(6, "f4").tobytes())
    (tmp_path / "m").mkdir()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            (tmp_path / "m" / name).write_bytes(data)
            made.writestr(f"top/{name}", data)
    (tmp_path / "m.zip").write_bytes(archive.getvalue())
    renamed = {"net.json": files["model.json"], "w.bin": files["w.bin"]}
    with SiteServer(tmp_path) as server:
        for source in (
            tmp_path / "m",
            str(tmp_path / "m" / "model.json"),
            tmp_path / "m.zip",
            archive.getvalue(),
            files,
            renamed,
            f"{server.url}m/model.json?token=1",
        ):
            assert load(source)["a"].sum() == 6, source
        with pytest.raises(ValueError, match=r"cannot fetch .*: .*404"):
            load(f"{server.url}nix/model.json")


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nix"):
        load(tmp_path / "nix")
    with pytest.raises(ValueError, match=r"one model\.json among the files"):
        load(tmp_path)
    with pytest.raises(ValueError, match=r"'w\.bin' is not there"):
        load(model(group(FLOATS)))
    with pytest.raises(ValueError, match="not a supported ZIP archive"):
        load(b"PK nothing")
    for names in ([], ["a.json", "b.json"]):
        with pytest.raises(ValueError, match=r"one model\.json"):
            load(dict.fromkeys(names, b"{}"))
    with pytest.raises(TypeError, match="files of the browser, got int"):
        load(3)


class Noted(sources.ModelFiles):
    """Files in memory that record the files announced by `expect`."""

    model = "model.json"

    def __init__(self, contents: dict[str, bytes]) -> None:
        self.contents, self.heard_of = contents, list[list[tuple[str, ...]]]()

    async def read(self, path: str, limit: int) -> bytes:
        return self.contents[path]

    def expect(self, groups: Any) -> None:
        self.heard_of.append(list(groups))


def test_files_that_are_likely_to_be_named_come_before_all_is_read() -> None:
    x = np.ones(6, "f4").tobytes()
    files = model(group(FLOATS) + group({**FLOATS, "name": "b"}, paths=("./s1", "d/s2")), w_bin=x)
    spread = json.dumps(json.loads(files["model.json"]), indent=2).encode()
    for text in (files["model.json"], spread):
        noted = Noted({"model.json": text, "w.bin": x, "s1": x[:5], "d/s2": x[5:]})
        assert len(asyncio.run(all_of(noted))) == 2
        assert noted.heard_of == [[("w.bin",), ("s1", "d/s2")], []]
    odd = {
        "else": b'{"weightsManifest": [], "metadata": {"paths": ["a"]}}',
        "none": b'{"paths": ["a"]}',
        "up": json.dumps({"weightsManifest": group(FLOATS, paths=("../w.bin",))}).encode(),
        "broken": b'{"weightsManifest": [{"paths": ["a"], "weights"',
        "no paths": b'{"weightsManifest": [{"paths": [3], "weights": []}]}',
    }
    heard = {}
    for name, text in odd.items():
        noted = Noted({"model.json": text})
        with contextlib.suppress(ModelFileError):
            asyncio.run(all_of(noted))
        heard[name] = noted.heard_of
    one: list[Any] = [[("a",)], []]
    assert heard == {
        "else": one, "none": [[], []], "up": [[], []], "broken": one, "no paths": [[], []]
    }  # fmt: skip


REFUSED = {
    "no list": ({}, None, "must be a list, got"),
    "no group": ([3], None, "must be an object, got 3"),
    "no paths": ([{"weights": []}], None, "paths must be a list"),
    "up": (group(FLOATS, paths=("../w.bin",)), None, "not a path below"),
    "up within": (group(FLOATS, paths=("a/../../w.bin",)), None, "not a path below"),
    "up twice": (group(FLOATS, paths=("./../w.bin",)), None, "not a path below"),
    "root": (group(FLOATS, paths=("/etc/passwd",)), None, "not a path below"),
    "drive": (group(FLOATS, paths=("C:\\w.bin",)), None, "not a path below"),
    "address": (group(FLOATS, paths=("https://example.org/w",)), None, "not a path below"),
    "escaped": (group(FLOATS, paths=("%2e%2e/w.bin",)), None, "not a path below"),
    "number as path": (group(FLOATS, paths=(3,)), None, "must be a string, got 3"),
    "no name": (group({"shape": [], "dtype": "float32"}), None, "name must be a string"),
    "negative": (group({**FLOATS, "shape": [-1]}), None, "a size must be an integer"),
    "fraction": (group({**FLOATS, "shape": [1.5]}), None, "a size must be an integer"),
    "truth": (group({**FLOATS, "shape": [True]}), None, "a size must be an integer"),
    "too large": (group({**FLOATS, "shape": [1 << 40]}), None, "a size must be an integer"),
    "no shape": (group({**FLOATS, "shape": None}), None, "shape must be a list"),
    "large": (group({**FLOATS, "shape": [1 << 30, 16]}), b"", "have 0 bytes, but their weights"),
    "huge": (group({**FLOATS, "shape": [1 << 30] * 4}), b"", "which is too large"),
    "dtype": (group({**FLOATS, "dtype": "float128"}), None, "unknown dtype 'float128'"),
    "two of a name": (group(FLOATS, FLOATS), None, "two weights with the name 'a'"),
    "cut": (group(FLOATS), b"\0" * 23, "have 23 bytes, but their weights take 24"),
    "surplus": (group(FLOATS), b"\0" * 25, "more than the 24 bytes"),
    "quantized how": (group({**FLOATS, "quantization": {"dtype": "int4"}}), None, "'int4'"),
    "no scale": (
        group({**FLOATS, "quantization": {"dtype": "uint8", "min": 0}}), None,
        "scale must be a finite number",
    ),
    "endless scale": (
        group({**FLOATS, "quantization": {"dtype": "uint8", "min": 0, "scale": 1e999}}), None,
        "scale must be a finite number",
    ),
    "quantized bools": (
        group({**FLOATS, "dtype": "bool", "quantization": {"dtype": "uint8"}}), None,
        "bool cannot be quantized",
    ),
    "halves of ints": (
        group({**FLOATS, "dtype": "int32", "quantization": {"dtype": "float16"}}), None,
        "int32 cannot be quantized to float16",
    ),
    "many strings": (
        group({**FLOATS, "dtype": "string", "shape": [1 << 30]}), b"\0" * 8, "files end within",
    ),
    "long string": (
        group({**FLOATS, "dtype": "string", "shape": [1]}), b"\xff\xff\xff\xffab",
        "files end within",
    ),
    "surplus string": (
        group({**FLOATS, "dtype": "string", "shape": [1]}), b"\1\0\0\0abc",
        "2 bytes after the last",
    ),
    "cut after string": (
        group({**FLOATS, "dtype": "string", "shape": [1]}, {**FLOATS, "name": "b"}),
        b"\1\0\0\0abc", "files end within weight 'b'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_manifests(name: str) -> None:
    weights, data, text = REFUSED[name]
    files = model(weights) if data is None else model(weights, w_bin=data)
    with pytest.raises(ModelFileError, match=text):
        load(files)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[1]", "must be an object"),
        (b'{"a": 1', "not valid JSON"),
        (b'{"a": ' + b"[" * 129 + b"]" * 129 + b"}", "128 levels"),
        (b'{"a": ' * 100_000, "128 levels"),
        (b'{"]]": ' * 129 + b"0" + b"}" * 129, "128 levels"),
        (b"[" * 1_000_000, "128 levels"),
    ],
)
def test_refused_json(text: bytes, error: str) -> None:
    with pytest.raises(ModelFileError, match=error):
        checked_json.parse(text)


def test_brackets_in_strings_are_not_deep() -> None:
    value = {"a": "[" * 500, 'b"\\': "]{\\"}
    assert checked_json.parse(json.dumps(value).encode()) == value


def test_archives_that_grow_are_cut() -> None:
    files = model(group(FLOATS), w_bin=b"\0" * 50_000_000)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    with pytest.raises(ValueError, match="more than the 24 bytes"):
        load(archive.getvalue())


@pytest.mark.parametrize("kind", ["float16", "uint8", "uint16"])
def test_quantization_errs_by_half_a_step(kind: str) -> None:
    x = np.random.default_rng(0).normal(size=(50, 3)).astype("float32")
    x[3, 1] = 0
    entry, data = weights_writer.encoded("a", x, kind)
    found = load(model(group(entry), w_bin=data))["a"]
    step = entry["quantization"].get("scale", np.abs(x).max() * 2.0**-10)
    assert np.abs(found - x).max() <= step * 1.01
    assert abs(found[3, 1]) < 1e-6


def test_what_is_not_quantized() -> None:
    same, _ = weights_writer.encoded("a", np.full(3, 2.5, "f4"), "uint8")
    assert same["quantization"] == {"dtype": "uint8", "min": 2.5, "scale": 1.0}
    entry, data = weights_writer.encoded("a", np.arange(3), "uint8")
    assert "quantization" not in entry
    assert len(data) == 12
    with pytest.raises(ValueError, match="too large for float16"):
        weights_writer.encoded("a", np.float32([1e6]), "float16")
    with pytest.raises(ValueError, match="not finite"):
        weights_writer.encoded("a", np.float32([np.nan]), "uint8")
    with pytest.raises(ValueError, match="cannot be written"):
        weights_writer.encoded("a", np.array(["x"]), None)
