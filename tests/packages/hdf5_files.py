"""An HDF5 file with all features of h5py, and its check, which CPython and Pyodide run."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np

WORDS = ["one", "zwei", "três", "四"]
LIBVERS = ("earliest", "latest")
DTYPES = ("float16", "float32", "float64", "int8", "int64", "uint16", "bool", "complex64")
RAISED = (
    ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError,
    TypeError, ValueError,
)  # fmt: skip
FILTERS: dict[str, dict[str, Any]] = {
    "gzip": {"compression": "gzip", "compression_opts": 9, "shuffle": True},
    "lzf": {"compression": "lzf", "fletcher32": True},
    "plain": {"chunks": (7, 9)},
    "scaled": {"scaleoffset": 2},
}


def values(dtype: str) -> np.ndarray:
    return (np.arange(600).reshape(20, 30) % 97).astype(dtype)


def fill(file: Any) -> None:
    file.attrs["text"] = "grün"
    file.attrs["bytes"] = np.bytes_(b"\x01raw")
    file.attrs["words"] = np.array([word.encode() for word in WORDS])
    file.attrs["numbers"] = np.arange(5, dtype="int32")
    file.attrs.create("names", WORDS, dtype=h5py.string_dtype())
    deep = file.create_group("a/b/c/d", track_order=True)
    for dtype in DTYPES:
        deep.create_dataset(dtype, data=values(dtype)).attrs["dtype"] = dtype
    chunked = file.require_group("chunked")
    for name, options in FILTERS.items():
        chunked.create_dataset(name, data=values("float32"), **options)
    grown = chunked.create_dataset("grown", (0, 3), maxshape=(None, 3), dtype="float32")
    for row in range(50):
        grown.resize(row + 1, axis=0)
        grown[row] = row
    file["words"] = np.array(WORDS, dtype=object)
    file["scalar"] = np.float32(2.5)
    file["empty"] = h5py.Empty("float32")
    file["record"] = np.array([(1, 2.5)], dtype=[("i", "int32"), ("x", "float64")])
    file["soft"] = h5py.SoftLink("/a/b/c/d/float32")
    file["many"] = np.zeros(0, "float32")
    for i in range(300):
        file.create_group(f"layers/layer_{i}").attrs["index"] = i


def check(file: Any) -> None:
    assert file.attrs["text"] == "grün"
    assert file.attrs["bytes"] == b"\x01raw"
    assert [word.decode() for word in file.attrs["words"]] == WORDS
    assert list(file.attrs["names"]) == WORDS
    assert list(file.attrs["numbers"]) == list(range(5))
    deep = file["a"]["b/c"]["d"]
    assert list(deep) == list(DTYPES)
    for dtype in DTYPES:
        found = deep[dtype]
        assert found.dtype == dtype == found.attrs["dtype"]
        np.testing.assert_array_equal(found[...], values(dtype))
    for name in FILTERS:
        np.testing.assert_array_equal(file["chunked"][name][()], values("float32"))
    grown = np.repeat(np.arange(50, dtype="float32")[:, None], 3, 1)
    np.testing.assert_array_equal(file["chunked/grown"], grown)
    assert [word.decode() for word in file["words"]] == WORDS
    assert file["scalar"][()] == 2.5
    assert file["empty"].shape is None
    assert file["record"][0]["x"] == 2.5
    np.testing.assert_array_equal(file["soft"], values("float32"))
    assert file["many"].shape == (0,)
    assert sorted(group.attrs["index"] for group in file["layers"].values()) == list(range(300))


def write_files(folder: Path) -> None:
    for libver in LIBVERS:
        with h5py.File(folder / f"{libver}.h5", "w", libver=libver) as file:
            fill(file)
    memory = BytesIO()
    with h5py.File(memory, "w") as file:
        fill(file)
    (folder / "memory.h5").write_bytes(memory.getvalue())
    with h5py.File(folder / "core.h5", "w", driver="core") as file:
        fill(file)


def check_files(folder: Path) -> None:
    for name in (*LIBVERS, "memory", "core"):
        path = folder / f"{name}.h5"
        with h5py.File(path) as file:
            check(file)
        with h5py.File(BytesIO(path.read_bytes())) as file:
            check(file)


def check_broken_files(folder: Path) -> None:
    """Check that truncated or changed files raise errors, and h5py works afterwards."""
    whole = (folder / "earliest.h5").read_bytes()
    rng = np.random.default_rng(3)
    broken = [b"", b"no HDF5", *(whole[:size] for size in (8, 100, 2000, len(whole) // 2))]
    for _ in range(60):
        changed = bytearray(whole)
        for at in rng.integers(0, 4000, 8):
            changed[at] = rng.integers(256)
        broken.append(bytes(changed))
    errors = 0
    for data in broken:
        try:
            with h5py.File(BytesIO(data)) as file:
                check(file)
        except RAISED:
            errors += 1
    assert errors > 6
    check_files(folder)
