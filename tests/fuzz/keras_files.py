"""Corrupt files of Keras's formats, in a process where tfpy replaces TensorFlow.

Run it as ``python -m fuzz.keras_files SEED COUNT SECONDS``; COUNT and SECONDS may be "None".
"""

from __future__ import annotations

import functools
import logging
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tfpy as tf

from . import seeds
from .damage import Files
from .trying import Door, tried_once


def _model() -> Any:
    layers = [
        tf.keras.Input([4]),
        tf.keras.layers.Dense(3, "relu"),
        tf.keras.layers.Reshape([3, 1]),
        tf.keras.layers.LSTM(2),
    ]
    return tf.keras.Sequential(layers)


def _saved(write: Callable[[Any, Path], Any]) -> Files:
    with tempfile.TemporaryDirectory() as folder:
        write(_model(), Path(folder))
        return {file.name: file.read_bytes() for file in Path(folder).iterdir()}


def _file(name: str) -> Door:
    def read(files: Files) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(files.get(name, b""))
            tf.models.load(str(path))

    return lambda: _saved(lambda model, folder: model.save(folder / name)), read


DOORS: dict[str, Door] = {
    "keras": _file("m.keras"),
    "h5": _file("m.h5"),
    "layers-model": (
        lambda: _saved(lambda model, folder: tf.save_layers_model(model, folder)),
        lambda files: tf.models.load(dict(files)),
    ),
}


def main() -> int:
    """Try corrupt files, and return 1 if there are findings."""
    seed, count, seconds = (None if word == "None" else float(word) for word in sys.argv[1:])
    tf.as_tensorflow(replace=True)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    doors = {name: (functools.cache(make), read) for name, (make, read) in DOORS.items()}
    number = None if count is None else int(count)
    found = seeds.run(
        "files of Keras", functools.partial(tried_once, doors), int(seed or 0), number, seconds
    )
    return int(found.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
