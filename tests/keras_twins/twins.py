"""Programs that compute the same numbers with Keras on TensorFlow and with Keras on tfpy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Program = Callable[[], Any]

PROGRAMS: dict[str, Program] = {}
"""Programs by name. Each returns a nest of arrays and numbers."""


def twin(program: Program) -> Program:
    """Register a program under its name."""
    PROGRAMS[program.__name__] = program
    return program


def all_programs() -> dict[str, Program]:
    """Return the programs of all files of this folder."""
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if "\n@twin\n" in file.read_text():
            importlib.import_module(file.stem)
    return PROGRAMS


def rng() -> np.random.Generator:
    """Return a new generator with the seed that the data of all programs use."""
    return np.random.default_rng(7)


def floats(*shape: int) -> Any:
    """Return normally distributed numbers."""
    return rng().normal(size=shape).astype(np.float32)


def ints(below: int, *shape: int) -> Any:
    """Return integers from 0 to `below` - 1."""
    return rng().integers(0, below, shape).astype(np.int32)


def learnt(model: Any, x: Any, y: Any, **options: Any) -> Any:
    """Train a model for ten steps by default, and return the history, weights and predictions."""
    options = {"batch_size": 8, "epochs": 2, "verbose": 0, **options}
    history = model.fit(x, y, **options).history
    return {"history": history, "weights": model.get_weights(), "out": model.predict(x, verbose=0)}
