"""`tf.strings.format` and `tf.print`: the values of tensors as text."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

import numpy as np

from tfpy._src.compiler.ops import text
from tfpy._src.compiler.ops.reference.text import as_bytes
from tfpy._src.core import primitives
from tfpy._src.core.array_text import item_text, summary
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.functions.control.effects import effect
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


def format(
    template: str,
    inputs: Nest,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """Replace each placeholder of a template with the values of a tensor.

    Args:
        template: String with one placeholder for each tensor.
        inputs: A tensor (dense or ragged), or a list or tuple with one tensor for each placeholder.
        placeholder: Text that is replaced with a tensor. Default: `{}`.
        summarize: Number of elements to show at the beginning and at the end of each axis; -1 shows
            all elements. Default: 3.

    Returns:
        Scalar string tensor.

    Raises:
        ValueError: If the number of placeholders differs from the number of tensors.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.format("step {}: {}", (3, tf.constant([0.5, 0.25]))).numpy()
        b'step 3: [0.5 0.25]'

    See also: `tf.print`, `tf.strings.as_string`.
    """
    values = inputs if isinstance(inputs, list | tuple) else [inputs]
    parts = template.split(placeholder)
    if len(parts) != len(values) + 1:
        raise ValueError(
            f"The template expects {len(parts) - 1} tensors, but the inputs has {len(values)}: "
            "pass one tensor for each placeholder"
        )
    out = parts[0]
    for value, part in zip(values, parts[1:], strict=True):
        if isinstance(value, RaggedTensor):
            out += _ragged_summary(_quoted(value).to_list(), summarize, bytes.decode) + part
        else:
            out += summary(convert_to_tensor(value).host_view(), summarize, 1) + part
    return constant(as_bytes(out))


def _quoted(x: RaggedTensor) -> RaggedTensor:
    """Return the values as TensorFlow writes them in a ragged tensor."""
    flat = x.flat_values
    if flat.dtype == "string":
        escaped = text.regex_replace(flat, pattern=r"['\\]", rewrite=r"\\\0", replace_global=True)
        return x.with_flat_values(text.join("'", escaped, "'", separator=""))
    return x.with_flat_values(primitives.as_string(flat))


def print(
    *inputs: Any,
    output_stream: TextIO | str | None = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Print strings, tensors, and nested structures (lists, tuples or dicts) of them.

    Inside a `tf.function`, the values are printed at each call, whereas Python's `print` only
    prints while the function is traced.

    Args:
        *inputs: Values to print. Dicts are printed in the order of their keys.
        output_stream: Destination of the text, one of `sys.stderr` (default), `sys.stdout`, and
            `"file://<path>"` to append to a file.
        summarize: Number of elements to show at the beginning and at the end of each axis; -1 shows
            all elements. Default: 3.
        sep: String between values. Default: a space.
        end: String after the last value. Default: a newline.

    Raises:
        ValueError: If `output_stream` is not supported.

    Example:
        >>> import sys
        >>> import tfpy as tf
        >>> tf.print("loss", tf.constant([1.5, 2.0]), "after", 3, "steps", output_stream=sys.stdout)
        loss [1.5 2] after 3 steps

    See also: `tf.strings.format`.
    """

    def now(values: Sequence[Any]) -> None:
        _write(values, output_stream, summarize, sep, end)

    _check_stream(output_stream)
    if not effect(now, list(inputs)):
        now(inputs)


def _check_stream(stream: Any) -> None:
    """Raise ValueError if an output stream is not supported."""
    is_file = isinstance(stream, str) and stream.startswith("file://")
    if stream not in (None, sys.stderr, sys.stdout) and not is_file:
        raise ValueError(
            f"Unsupported output stream {stream!r}: use sys.stdout, sys.stderr or 'file://<path>'"
        )


def _write(inputs: Sequence[Any], output_stream: Any, summarize: int, sep: str, end: str) -> None:
    """Write one line to a stream or a file."""
    alone = len(inputs) == 1
    line = sep.join(_text(v, summarize, alone) for v in inputs) + end
    line = as_bytes(line).decode("utf-8", "backslashreplace")
    if isinstance(output_stream, str):
        with open(output_stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(line)
    else:
        builtins.print(line, end="", file=output_stream or sys.stderr)


def _text(value: Any, keep: int, alone: bool) -> str:
    """Return a value as text; a single string has no quotes."""
    if alone and is_operand(value) and value.dtype == "string" and not value.ndim:
        return str(value.numpy().decode(errors="replace"))
    return value if isinstance(value, str) else _shown(value, keep)


def _shown(value: Any, keep: int) -> str:
    """Return the values of a tensor or a nest as Python writes it, with mappings in key order."""
    if isinstance(value, RaggedTensor):
        return _ragged_summary(value.to_list(), keep)
    if isinstance(value, SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        shown = [_shown(part, keep) for part in parts]
        return "'SparseTensor(indices={}, values={}, shape={})'".format(*shown)
    if is_operand(value):
        return summary(np.asarray(value), keep, 1)
    if isinstance(value, Mapping):
        items = (f"{key!r}: {_shown(value[key], keep)}" for key in sorted(value))
        return "{" + ", ".join(items) + "}"
    if type(value) in (list, tuple):
        inner = ", ".join(_shown(v, keep) for v in value)
        single = type(value) is tuple and len(value) == 1
        return f"[{inner}]" if type(value) is list else f"({inner}{',' * single})"
    return repr(value)


def _ragged_summary(rows: Any, keep: int, one: Callable[[Any], str] = item_text) -> str:
    """Return nested rows as text, with at most `2 * keep` items per axis."""
    if not isinstance(rows, list):
        return one(rows)
    items = [_ragged_summary(row, keep, one) for row in rows]
    if keep >= 0 and len(items) > 2 * keep:
        items[keep : len(items) - keep] = ["..."]
    return f"[{', '.join(items)}]"
