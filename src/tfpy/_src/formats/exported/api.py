"""The function `tf.export`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.tf_function.signature import TensorSpec


def export(
    function: Callable[..., Any] | Mapping[str, Callable[..., Any]],
    path: str | os.PathLike[str],
    signatures: TensorSpec | TensorLike | Mapping[str, Any] | None = None,
    *,
    backends: Sequence[str] | None = None,
) -> None:
    """Write compiled functions and their Variables to a file that runs in pages without Python.

    The JavaScript module `tfpy-run.mjs` runs the file: `const model = await
    loadProgram("file.tfpy")`, then `await model.run({x: numbers})`. Variables that a function
    assigns are the state of the loaded model.

    Args:
        function: A `tf.function`, a Keras model or another callable. A dictionary of several by
            name, such as a training step and a prediction, shares the Variables.
        path: Path of the file to write, by convention `*.tfpy`.
        signatures: Arguments of a call: a `tf.TensorSpec` or tensor, a tuple of them, or a
            dictionary by parameter. A list of these compiles the function for several sizes. For
            several functions, a dictionary of signatures by function name. Default: the signature
            of the function or model, or of the calls so far. A batch size that a model leaves open
            becomes 1.
        backends: Backends that the page may choose from: `"webgpu"`, `"webgl"`, `"wasm"`. Default:
            all that support every op, with a warning if some do not.

    Raises:
        tf.errors.UnimplementedError: If the function needs Python (`tf.print`, `tf.py_function`,
            strings, ops that only NumPy computes). The message names the op and the line.
        ValueError: If there is no signature, a signature has open sizes, or a backend is unknown.
        tf.errors.NotTraceableError: If a shape depends on values.
        TypeError: If `function` is not callable.

    Example:
        >>> import tempfile
        >>> import tfpy as tf
        >>> w = tf.Variable([[1.0], [2.0]])
        >>> def predict(x):
        ...     return {"y": x @ w}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tf.export(predict, f"{folder}/linear.tfpy", tf.TensorSpec([4, 2], name="x"))

    See also: `tf.save_graph_model`, `tf.models.convert`.
    """
    from tfpy._src.formats.exported import (
        writing,  # imports the lowerings, which other programs may not need
    )

    writing.write(function, Path(path), signatures, backends)
