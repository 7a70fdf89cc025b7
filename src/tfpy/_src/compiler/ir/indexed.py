"""Operands that hold indices: their limits, and the error of an index out of range."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array, Shape

_LIMIT = re.compile(r"\[0, (\d+)\)")
_CLASSES = r"[0, \1): the logits have \1 classes, which are numbered from 0"


@dataclass(frozen=True)
class Indexed:
    """The operand of an op that holds indices.

    NumPy and wasm check indices before they use them. Other devices cannot raise: there the op
    reads zeros and drops updates at indices out of range.
    """

    operand: int
    """Position among the op's inputs."""
    name: str
    """Subject of the error. An attribute ``role`` of an equation replaces it, for class labels."""
    limit: Callable[..., int | Sequence[int]]
    """(*shapes, **attrs) -> the size that indices must be below, or one for each column."""
    drops_negative: bool = False
    """True if negative indices mean that an update is dropped."""

    def check(self, indices: Array, shapes: Sequence[Shape], attrs: Mapping[str, Any]) -> None:
        """Check all indices.

        Raises:
            InvalidArgumentError: If an index is out of range. The error names the first one.
        """
        limit = np.asarray(self.limit(*shapes, **attrs), np.int64)
        outside = indices >= limit
        if not self.drops_negative:
            outside |= indices < 0
        if outside.any():
            at = int(np.argmax(outside))
            size = int(np.broadcast_to(limit, indices.shape).reshape(-1)[at])
            text = f"[{at}] = {indices.reshape(-1)[at]} is not in [0, {size})"
            raise self._error(text, shapes, attrs)

    def reported(
        self, text: str, shapes: Sequence[Shape], attrs: Mapping[str, Any]
    ) -> InvalidArgumentError:
        """Return the error of an index that a device has refused.

        Args:
            text: The device's message, which contains ``[position] = index ...``.
        """
        return self._error(text[text.find("[") :], shapes, attrs)

    def _error(
        self, text: str, shapes: Sequence[Shape], attrs: Mapping[str, Any]
    ) -> InvalidArgumentError:
        """Return the error of a text that begins with a position in the flat indices."""
        shape, role = shapes[self.operand], attrs.get("role")
        if role and shape[-1:] == (1,):  # the cross entropy adds this axis to the labels
            shape = shape[:-1]

        def place(found: re.Match[str]) -> str:
            return str([int(i) for i in np.unravel_index(int(found[1]), shape)]) if shape else ""

        said = re.sub(r"^\[(\d+)\]", place, text)
        if role:
            said = _LIMIT.sub(_CLASSES, said)
        else:
            given = ", ".join(str(list(shape)) for shape in shapes)
            said += f"; the shapes of the operands are {given}"
        name = role or self.name
        return InvalidArgumentError(None, name.partition(":")[0], f"{name}{said}")
