"""Exported programs run by ``tfpy-run.mjs`` in a node process."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .node_process import NodeProcess
from .node_runtime import Array


class ProgramRunner(NodeProcess):
    """A process with ``tfpy-run.mjs``, like one page. Arrays are exchanged as base64."""

    def __init__(self) -> None:
        super().__init__("program_driver.mjs")

    def load(self, path: Path, **options: Any) -> Any:
        return self.call("load", path=str(path), options=options)

    def run(self, inputs: Any, name: str | None = None) -> dict[str, Array]:
        by_name = isinstance(inputs, Mapping)
        given = {key: _input(x) for key, x in inputs.items()} if by_name else _input(inputs)
        more = {} if name is None else {"name": name}
        found = self.call("run", inputs=given, **more)
        return {key: _array(one) for key, one in found.items()}

    def read(self, name: str) -> Array:
        return _array(self.call("read", name=name))

    def write(self, name: str, value: Any) -> None:
        self.call("write", name=name, value=_input(value))

    def save(self) -> bytes:
        return base64.b64decode(self.call("save"))

    def broken(
        self, files: Sequence[bytes], inputs: Mapping[str, Any], name: str | None = None
    ) -> list[str]:
        """Return the error of loading and running each file, or "" if there is none."""
        given = {key: _input(value) for key, value in inputs.items()}
        texts = [base64.b64encode(file).decode() for file in files]
        found: list[str] = self.call("broken", files=texts, inputs=given, name=name)
        return found


def _input(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    array: Array = np.ascontiguousarray(value)
    return {
        "base64": base64.b64encode(array.tobytes()).decode(),
        "dtype": array.dtype.name,
        "shape": list(value.shape),
    }


def _array(one: Mapping[str, Any]) -> Array:
    dtype = np.dtype(one["dtype"])
    return np.frombuffer(base64.b64decode(one["base64"]), dtype).reshape(one["shape"])
