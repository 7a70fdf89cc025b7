"""The tensors of an exported file, in the safetensors format, which other tools can read.

The file begins with eight bytes for the length of the header. The header is JSON. It contains the
dtype, shape and position of each tensor, and the document of the program under `__metadata__`.
Constants of Programs come first, so that Programs can be prepared while the weights are downloaded.
Tensors with elements of one byte come last, so that all others are aligned.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.atomic_files import whole_file
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Aval

_NAMES = {
    dtypes.float32: "F32",
    dtypes.int32: "I32",
    dtypes.complex64: "C64",
    dtypes.bool: "BOOL",
    dtypes.int8: "I8",
}
_KEY = "tfpy"
"""Key of the document in the metadata."""


class _Entry(NamedTuple):
    """A tensor of the file."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


class TensorFile:
    """The tensors of a file, by name."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._constants: dict[_Entry, str] = {}
        self._reserved: set[str] = set()

    def reserve(self, name: str) -> str:
        """Return a name that no tensor of the file has, with a number appended if necessary."""
        found = self._free(name)
        self._reserved.add(found)
        return found

    def add(self, array: Any, aval: Aval, name: str) -> str:
        """Add a tensor and return its name, with a number appended if the name is taken.

        Raises:
            UnimplementedError: If pages do not support the dtype.
        """
        if aval.dtype not in _NAMES:
            raise UnimplementedError(
                None,
                None,
                f"tf.export: '{name}' has the dtype {aval.dtype.name}, which pages without Python "
                "do not support",
            )
        data = np.ascontiguousarray(array, aval.dtype.as_numpy_dtype).tobytes()
        return self._add(_Entry(_NAMES[aval.dtype], aval.closed.shape, data), name)

    def add_constant(self, array: Any, aval: Aval) -> str:
        """Add a constant tensor unless an equal one exists, and return its name."""
        data = np.ascontiguousarray(array, aval.dtype.as_numpy_dtype).tobytes()
        return self._shared(_Entry(_NAMES[aval.dtype], aval.closed.shape, data), "constant")

    def add_bytes(self, data: bytes, name: str = "constants") -> str:
        """Add bytes, such as the constants of a Program, unless equal ones exist.

        Return their name.
        """
        return self._shared(_Entry("U8", (len(data),), data), name)

    def _shared(self, entry: _Entry, name: str) -> str:
        if entry not in self._constants:
            self._constants[entry] = self._add(entry, name)
        return self._constants[entry]

    def _add(self, entry: _Entry, name: str) -> str:
        found = self._free(name)
        self._entries[found] = entry
        return found

    def _free(self, name: str) -> str:
        found, number = name, 0
        while found in self._entries or found in self._reserved or found == "__metadata__":
            number += 1
            found = f"{name}_{number}"
        return found

    def write(self, path: Path, text: str) -> None:
        """Write the file with its document."""
        ranks = ["U8", "F32", "I32", "C64", "BOOL", "I8"]
        entries = sorted(self._entries.items(), key=lambda item: ranks.index(item[1].dtype))
        header: dict[str, Any] = {"__metadata__": {_KEY: text}}
        at = 0
        for name, (dtype, shape, data) in entries:
            offsets = [at, at := at + len(data)]
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        head = json.dumps(header, separators=(",", ":")).encode()
        head = head.ljust(-(-len(head) // 8) * 8)
        with whole_file(path) as file:
            file.write(len(head).to_bytes(8, "little") + head)
            for _, (_, _, data) in entries:
                file.write(data)
