"""``tf.strings.format`` and ``tf.print``: values of tensors in a text."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tfpy.convert import constant, convert_to_tensor, is_tensor
from tfpy.ops.effects import print_op, shown, summary
from tfpy.ragged_tensor import RaggedTensor
from tfpy.sparse_tensor import SparseTensor
from tfpy.tensor import Tensor


def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """``template`` with each placeholder replaced by a tensor's values.

    Args:
        summarize: how many items at both ends of each axis are shown; -1 shows all.

    Raises:
        ValueError: when the numbers of placeholders and tensors differ.
    """
    values = inputs if isinstance(inputs, list | tuple) else [inputs]
    parts = template.split(placeholder)
    if len(parts) != len(values) + 1:
        raise ValueError(
            f"The template expects {len(parts) - 1} tensors, but the inputs has {len(values)}: "
            "give one tensor for each placeholder"
        )
    out = parts[0]
    for value, part in zip(values, parts[1:], strict=True):
        out += summary(convert_to_tensor(value).host_view(), summarize, 1) + part
    return constant(out)


def print(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Prints texts, tensors and nests of them.

    Args:
        output_stream: ``sys.stderr`` (the default), ``sys.stdout`` or ``"file://<path>"``, to which
            the text is appended.
        summarize: how many items at both ends of each axis are shown; -1 shows all.

    Raises:
        ValueError: for another output stream.
    """
    if output_stream in (None, sys.stderr):
        stream = "stderr"
    elif output_stream is sys.stdout:
        stream = "stdout"
    elif isinstance(output_stream, str) and output_stream.startswith("file://"):
        stream = output_stream
    else:
        raise ValueError(
            f"Unsupported output stream {output_stream!r}: give sys.stdout, sys.stderr or "
            "'file://<path>'"
        )
    parts: list[Any] = []
    for i, value in enumerate(inputs):
        parts += [sep] if i else []
        parts += [value] if isinstance(value, str) else _parts(value, summarize)
    texts, tensors = [""], []
    for part in [*parts, end]:
        if isinstance(part, str):
            texts[-1] += part
        else:
            tensors.append(part)
            texts.append("")
    print_op(*tensors, texts=tuple(texts), summarize=summarize, stream=stream)


def _parts(value: Any, keep: int) -> list[Any]:
    """Texts and tensors, in the order in which Python writes a nest; keys in their order."""
    if isinstance(value, RaggedTensor):
        return [_ragged_summary(value.to_list(), keep)]
    if isinstance(value, SparseTensor):
        return [
            "'SparseTensor(indices=", value.indices, ", values=", value.values,
            ", shape=", value.dense_shape, ")'",
        ]  # fmt: skip
    if is_tensor(value):
        return [convert_to_tensor(value)]
    if isinstance(value, Mapping):
        items = [[f"{key!r}: ", *_parts(value[key], keep)] for key in sorted(value)]
        return ["{", *_joined(items), "}"]
    if type(value) is list:
        return ["[", *_joined([_parts(v, keep) for v in value]), "]"]
    if type(value) is tuple:
        return ["(", *_joined([_parts(v, keep) for v in value]), ",)" if len(value) == 1 else ")"]
    return [repr(value)]


def _joined(items: list[list[Any]]) -> list[Any]:
    return [part for i, item in enumerate(items) for part in ([", "] if i else []) + item]


def _ragged_summary(rows: Any, keep: int) -> str:
    if not isinstance(rows, list):
        return shown(rows)
    items = [_ragged_summary(row, keep) for row in rows]
    if keep >= 0 and len(items) > 2 * keep:
        items[keep : len(items) - keep] = ["..."]
    return f"[{', '.join(items)}]"
