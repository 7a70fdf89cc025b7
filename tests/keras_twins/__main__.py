"""Runs the twins: ``python keras_twins tfpy|tensorflow OUT.npz [names]``."""

from __future__ import annotations

import importlib
import sys

import numpy as np

import tfpy


def main(library: str, out: str, *names: str) -> None:
    """Keeps the arrays that the programs of these names give, or all of them."""
    if library == "tfpy":
        tfpy.as_tensorflow(replace=True)
    keras = importlib.import_module("keras")
    if library == "tensorflow":  # whose XLA takes minutes to compile them
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
