"""Names of files that match patterns, as tensors and Variables."""

from __future__ import annotations

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.inference import aval_of
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.io.gfile import glob
from tfpy._src.tensors.variables.variable import Variable


def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """Return the names of the files that match one of several patterns.

    Args:
        pattern: String scalar or vector with the wildcards `*`, `?` and `[...]`.

    Returns:
        String vector of the names in order.

    Raises:
        tf.errors.InvalidArgumentError: If `pattern` has more than one dimension.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("found/a.txt", "")
        >>> tf.io.matching_files("found/*.txt").numpy().tolist()
        [b'found/a.txt']

    See also: `tf.io.gfile.glob`.
    """
    patterns = convert_to_tensor(pattern)
    if patterns.aval.rank > 1:
        raise invalid_value(
            "matching_files",
            f"Input patterns tensor must be scalar or vector, but had shape: {patterns.shape}",
        )
    texts = np.atleast_1d(np.asarray(patterns.numpy(), object)).tolist()
    found = sorted(glob([text.decode() for text in texts]))
    return constant(np.array([text.encode() for text in found], object))


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Variable:
    """Return a Variable with the names of the files that match a pattern when it is made.

    Args:
        pattern: String scalar or vector with the wildcards `*`, `?` and `[...]`.
        name: Name of the Variable.

    Returns:
        A Variable of strings. In a graph it is a local Variable, and its initializer searches.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("once/a.txt", "")
        >>> tf.io.match_filenames_once("once/*.txt").numpy().tolist()
        [b'once/a.txt']

    See also: `tf.io.matching_files`.
    """
    graph = tracing.active_graph()
    if graph is None:
        return Variable(matching_files(pattern), trainable=False, name=name)
    given = convert_to_tensor(pattern)
    (found,) = graph.add(matching_files, [given], [aval_of([None], dtypes.string)], "MatchingFiles")
    found.op.is_dynamic = True
    return GraphVariable(
        found, trainable=False, validate_shape=False, name=name or "matching_filenames",
        collections=[GraphKeys.LOCAL_VARIABLES],
    )  # fmt: skip
