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
    max_length: int | None = None,
    prefill_lengths: Sequence[int] | None = None,
    candidates: int | None = None,
) -> None:
    """Write compiled functions and their Variables to a file that a web page runs without Python.

    In the page, the JavaScript module `tfpy-run.mjs`, which is in the folder `assets` of the
    package, runs the file. Inputs have the names of the function's parameters, and outputs have the
    keys of the dict that the function returns (a single tensor is called `output`)::

        import { loadProgram } from "./tfpy-run.mjs";
        const program = await loadProgram("linear.tfpy");
        const { y } = await program.run({ x: [[1, 2], [3, 4]] });
        console.log(y.shape, y.data);

    Variables that a function assigns keep their new values between calls of `run`.

    If `function` is a language model of KerasHub and `signatures` is None, the file contains
    everything that a page needs to generate text: the model, its tokenizer and its chat format. The
    page loads it with `loadLanguageModel`, in the same JavaScript module.

    Args:
        function: Function to write. It can be a `tf.function`, a Keras model or another callable.
            To write several functions that share their Variables, such as a training step and a
            prediction, pass a dict from names to functions. The second argument of `run` selects
            one of them.
        path: Path of the file to write, by convention `*.tfpy`.
        signatures: Shapes and dtypes of the arguments. Pass a `tf.TensorSpec` or an example tensor,
            a tuple with one for each argument, or a dict from parameter names to them. To accept
            several shapes, pass a list of such signatures. If `function` is a dict, pass a dict
            from function names to signatures. Default: the signature of the function or model, or
            the signatures of all calls so far.
        backends: List of the backends that the page can choose from. Legal values are `"webgpu"`,
            `"webgl"` and `"wasm"`. Default: all backends that support every op. A warning is issued
            if one does not.
        max_length: For a language model, number of tokens of the longest prompt and answer
            together. Default: the preprocessor's `sequence_length`.
        prefill_lengths: For a language model, numbers of tokens of a prompt that the page computes
            at once. Every length adds a program to the file. Default: `(16, 128)`.
        candidates: For a language model, number of the most probable tokens from which the page can
            draw one. Default: 64.

    Raises:
        tf.errors.UnimplementedError: If the function contains something that needs Python, such as
            `tf.print`, `tf.py_function`, strings, or an op that is computed by NumPy. The message
            names the op and the line of the program. It is also raised for language models that
            need inputs other than tokens or that have no cache of keys and values, and for
            tokenizers without byte-pair encoding.
        ValueError: If there is no signature, if a backend is unknown, if a dimension of a signature
            is None, or if an option of language models is not valid or is passed for another
            function. The batch dimension in the default signature of a Keras model may be None: it
            becomes 1, so the file accepts one example in each call.
        tf.errors.NotTraceableError: If a shape depends on the values of tensors.
        TypeError: If `function` is neither callable nor a dict of callables.

    Example:
        >>> import tempfile
        >>> import tfpy as tf
        >>> w = tf.Variable([[1.0], [2.0]])
        >>> def predict(x):
        ...     return {"y": x @ w}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tf.export(predict, f"{folder}/linear.tfpy", tf.TensorSpec([2, 2]))
        ...     tf.io.gfile.listdir(folder)
        ['linear.tfpy']

    See also: `tf.save_graph_model`, `tf.models.convert`.
    """
    from tfpy._src.formats.exported import (
        language_models,  # imports many functions, as the lowerings below
        writing,  # imports the lowerings, which other programs may not need
    )

    options = language_models.LanguageModelOptions(max_length, prefill_lengths, candidates)
    writing.write(function, Path(path), signatures, backends, options)
