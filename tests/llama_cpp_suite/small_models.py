"""The tokens that tfpy finds most probable after forced ones, for the recorded small models.

This program runs in the environment that has KerasHub, and prints JSON::

    python -m llama_cpp_suite.small_models [FORM ...]
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import tfpy

tfpy.as_tensorflow(replace=True)

from wasm.node_backend import active  # noqa: E402

import tfpy as tf  # noqa: E402

from .forcing import with_tfpy  # noqa: E402
from .random_files import random_file, random_tokens  # noqa: E402
from .recorded import POSITIONS  # noqa: E402


def main(forms: list[str]) -> None:
    """Print the tokens and the logarithms of their probabilities."""
    found = {}
    for form in forms:
        with tempfile.TemporaryDirectory() as place, active("relaxed", "auto"):
            file = Path(place, "model.gguf")
            file.write_bytes(random_file(form))
            model = tf.models.load(str(file))
            best = with_tfpy(model, random_tokens()[:POSITIONS], POSITIONS)
            del model
        found[form] = {
            "tokens": best.top.tolist(),
            "logs": best.logs[:, 0].tolist(),
            "margins": best.margins.tolist(),
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
