"""A script that writes TFLite results: ``python -m models.tflite_references TARGET FILE…``.

TARGET/NAME.npz has the arrays "in INPUT" and "out OUTPUT" of TensorFlow's interpreter. The file
itself is copied to TARGET.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
from models.tflite import Interpreter, by_tensor, sample

from tfpy._src.formats.tflite.model import read_tflite


def main(into: Path, *files: Path) -> None:
    """Write the arrays and copies of the files."""
    for file in files:
        data = file.read_bytes()
        model = read_tflite(data)
        given = {s.name: sample(s.shape, s.dtype.as_numpy_dtype) for s in model.inputs}
        made = Interpreter(data, plain="selfie" not in file.name)(by_tensor(model, given))
        found = dict(zip(model.outputs, made.values(), strict=True))
        arrays = {f"in {key}": x for key, x in given.items()}
        np.savez(
            into / f"{file.stem}.npz", **arrays, **{f"out {key}": y for key, y in found.items()}
        )
        shutil.copy(file, into)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
