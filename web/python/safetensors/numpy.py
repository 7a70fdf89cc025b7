"""Reading and writing of files and bytes with dicts of arrays."""

import io
import json
from typing import Any

import numpy as np

from . import LENGTH, METADATA, NAMES, dtype_of, header_of, safe_open

ALIGNMENT = 8
"""The length of a header is a multiple of this."""
_ORDER = list(NAMES)
_FILE_NAMES = {dtype: name for name, dtype in NAMES.items()}


def save(tensor_dict: dict[str, Any], metadata: dict[str, str] | None = None) -> bytes:
    """Return the bytes of a file with arrays."""
    out = io.BytesIO()
    _write(out, tensor_dict, metadata)
    return out.getvalue()


def save_file(
    tensor_dict: dict[str, Any], filename: Any, metadata: dict[str, str] | None = None
) -> None:
    """Write a file with arrays."""
    with open(filename, "wb") as out:
        _write(out, tensor_dict, metadata)


def load(data: bytes) -> dict[str, Any]:
    """Return the arrays in the bytes of a file."""
    start, entries, _ = header_of(io.BytesIO(data))
    return {
        name: np.frombuffer(data[start + entry.begin : start + entry.end], dtype_of(entry.dtype))
        .reshape(entry.shape)
        .copy()
        for name, entry in sorted(entries.items())
    }


def load_file(filename: Any) -> dict[str, Any]:
    """Return the arrays in a file."""
    with safe_open(filename, "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def _write(out: Any, tensors: dict[str, Any], metadata: dict[str, str] | None) -> None:
    """Write arrays. Those with the largest items are first, so that all are aligned."""
    kinds = {name: _FILE_NAMES[array.dtype.name] for name, array in tensors.items()}
    order = sorted(tensors, key=lambda name: (-_ORDER.index(kinds[name]), name))
    header: dict[str, Any] = {} if metadata is None else {METADATA: metadata}
    end = 0
    for name in order:
        begin, end = end, end + tensors[name].nbytes
        shape = list(tensors[name].shape)
        header[name] = {"dtype": kinds[name], "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    out.write(len(text).to_bytes(LENGTH, "little") + text)
    for name in order:
        out.write(np.ascontiguousarray(tensors[name], dtype_of(kinds[name])).tobytes())
