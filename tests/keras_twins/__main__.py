"""Runs the twins: ``python keras_twins tfpy|tensorflow OUT.npz [names]``."""

from __future__ import annotations

import sys

library, out, *names = sys.argv[1:]
if library == "tfpy":
    import tfpy

    tfpy.as_tensorflow(replace=True)

import keras  # noqa: E402
import networks  # noqa: E402, F401
import numpy as np  # noqa: E402
import sequences  # noqa: E402, F401
import training  # noqa: E402, F401
from twins import PROGRAMS  # noqa: E402

arrays = {}
for name, program in PROGRAMS.items():
    if names and name not in names:
        continue
    keras.utils.set_random_seed(3)
    keras.backend.clear_session()
    found = keras.tree.flatten(program())
    arrays.update({f"{name}/{i}": np.asarray(x) for i, x in enumerate(found)})
np.savez(out, **arrays)
