"""Corrupt files of exported programs, which node loads and runs on wasm."""

from __future__ import annotations

import base64
import json
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from wasm.node_process import NodeProcess

import tfpy as tf
from e2e.exported_cases import CASES
from e2e.exported_mutants import text_of, with_text

from .campaign import SILENCE
from .mutate import mutated
from .values import Rng

SOURCES = ("dense", "lstm_loop", "training", "control_flow", "lists")
"""Cases with steps of all kinds."""
OUTSIDE = 0.7
"""Probability of a change outside Programs, which are larger than the rest."""

CLEAR = re.compile(
    r"Error: (broken file: |wasm: |No backend could be opened: |the program was disposed"
    r"|list item \d+ is |items \S+ and \S+ of lists cannot be added)"
    r"|ResourceExhaustedError: (wasm: |a list has|lists are nested|all lists have|a tensor of"
    r"|out of memory for)"
    r"|RangeError: Tried to write to index"
)
"""Beginning of an error message that users understand."""


class File(NamedTuple):
    """An exported program, and the data of the call to run."""

    data: bytes
    text: str


def files() -> list[File]:
    """Return files to start from, for wasm only."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in SOURCES:
            case, path = CASES[name](), Path(folder) / f"{name}.tfpy"
            tf.export(case.functions, path, case.signatures, backends=["wasm"])
            data = path.read_bytes()
            found.append(File(data, text_of(data)))
    return found


def broken(rng: Rng, file: File) -> File:
    """Return a file with one to three changes in its document."""
    if rng.random() >= OUTSIDE:
        text = mutated(rng, file.text)
    else:
        document = json.loads(file.text)
        programs = document.pop("programs")
        text = mutated(rng, json.dumps(document))
        changed = _parsed(text)
        if isinstance(changed, dict):
            text = json.dumps({**changed, "programs": programs})
    return File(with_text(file.data, lambda _: text), text)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


@contextmanager
def in_node() -> Iterator[Callable[[Sequence[File]], list[dict[str, Any]]]]:
    """Return a function that tries files in node and returns verdicts as in ``e2e/trial.mjs``."""
    runtime = NodeProcess("program_driver.mjs")

    def trials(batch: Sequence[File]) -> list[dict[str, Any]]:
        clock = threading.Timer(SILENCE, runtime.kill)
        clock.start()
        try:
            texts = [base64.b64encode(file.data).decode() for file in batch]
            return list(runtime.call("trials", files=texts))
        finally:
            clock.cancel()

    yield trials
    runtime.kill()
