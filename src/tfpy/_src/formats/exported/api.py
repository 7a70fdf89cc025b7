"""``tf.export``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def export(
    function: Any,
    path: str | os.PathLike[str],
    signatures: Any = None,
    *,
    backends: Sequence[str] | None = None,
) -> None:
    """Writes compiled functions and their Variables to a file that runs in pages without Python.

    ``tfpy-run.mjs`` runs it: ``const model = await loadProgram("file.tfpy")``, then
    ``await model.run({x: numbers})``. Variables that a function assigns are its state there.

    Args:
        function: a ``tf.function``, a Keras model or another callable; or a dict of several by
            name, which share their Variables, such as a training step and a prediction.
        path: of the file, by convention ``*.tfpy``.
        signatures: what a call takes: a ``tf.TensorSpec`` (or tensor), a tuple of arguments, or a
            dict of them by parameter; a list of these for several sizes. For several functions, a
            dict of that by name. By default that of the function or model, or of the calls so far;
            a batch size that a model leaves open is 1.
        backends: which the page may choose from: "webgpu", "webgl", "wasm". By default all, or with
            a warning those that have all ops.

    Raises:
        UnimplementedError: where the function needs Python (``tf.print``, ``tf.py_function``,
            strings, ops that NumPy computes); the text names the op and the line.
        ValueError: without a signature, for one with open sizes, and for an unknown backend.
        NotTraceableError: when a shape depends on values.

    Example:
        >>> import tempfile
        >>> import tfpy as tf
        >>> w = tf.Variable([[1.0], [2.0]])
        >>> def predict(x):
        ...     return {"y": x @ w}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tf.export(predict, f"{folder}/linear.tfpy", tf.TensorSpec([4, 2], name="x"))
    """
    from tfpy._src.formats.exported import (
        writing,  # with the lowerings, which other programs may not need
    )

    writing.write(function, Path(path), signatures, backends)
