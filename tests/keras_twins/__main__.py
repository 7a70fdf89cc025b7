"""A script that runs the twins: ``python keras_twins tfpy|tensorflow OUT.npz [names]``."""

from __future__ import annotations

import importlib
import sys

import numpy as np

import tfpy


def main(library: str, out: str, *names: str) -> None:
    """Save the results of the programs with these names, or of all programs, as arrays."""
    if library == "tfpy":
        tfpy.as_tensorflow(replace=True)
    keras = importlib.import_module("keras")
    if library == "tensorflow":  # XLA would take minutes to compile the programs
        importlib.import_module("keras.src.trainers.trainer").model_supports_jit = lambda _: False
    programs = importlib.import_module("twins").all_programs()
    arrays = {}
    for name in names or programs:
        keras.utils.set_random_seed(3)
        keras.backend.clear_session()
        found = keras.tree.flatten(programs[name]())
        arrays.update({f"{name}/{i}": np.asarray(x) for i, x in enumerate(found)})
    np.savez(out, **arrays)


main(*sys.argv[1:])
