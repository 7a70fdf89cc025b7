"""The text of Variables, and of the copies that the replicas of a strategy have."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.tensor import Tensor, printed


def text_of(variable: Any, name: str) -> str:
    """Return the text of a Variable, with a line for each replica if there are several."""
    count = 1 if variable.strategy is None else variable.strategy.replicas
    if count == 1 or tracing.local.active:
        return _line(variable, name, None if tracing.local.active else variable.tensor)
    rows = getattr(variable, "rows", None)  # if each replica has its own value
    kind = "MirroredVariable" if rows is None else "SyncOnReadVariable"
    first, _, number = name.rpartition(":")
    names = [f"{first}/replica_{i}:{number}" if i else name for i in range(count)]
    values = [variable.tensor if rows is None else rows.tensor[i] for i in range(count)]
    lines = [f"  {i}: {_line(variable, names[i], values[i])}" for i in range(count)]
    return "\n".join([f"{kind}:{{", ",\n".join(lines), "}"])


def _line(variable: Any, name: str, value: Tensor | None) -> str:
    what = f"<tf.Variable '{name}' shape={variable.shape} dtype={variable.dtype.name}"
    return f"{what}>" if value is None else f"{what}, numpy={printed(value, repr)}>"
