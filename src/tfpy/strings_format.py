"""``tf.strings.format``: values of tensors in a text."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.convert import constant, convert_to_tensor
from tfpy.tensor import Tensor


def _one(value: Any) -> str:
    if isinstance(value, bytes):
        return '"' + value.decode("utf-8", "backslashreplace") + '"'
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _summary(array: Any, keep: int, indent: int) -> str:
    """The outermost ``keep`` items at both ends of every axis."""
    if array.ndim == 0:
        return _one(array.item())
    n = array.shape[0]
    whole = keep < 0 or n <= 2 * keep
    picked = range(n) if whole else [*range(keep), *range(n - keep, n)]
    items = [_summary(array[i, ...], keep, indent + 1) for i in picked]
    if not whole:
        items.insert(keep, "...")
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * indent
    return f"[{between.join(items)}]"


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
        out += _summary(convert_to_tensor(value).host_view(), summarize, 1) + part
    return constant(out)
