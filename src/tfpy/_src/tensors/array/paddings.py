"""The paddings of `tf.pad`, which are known while a function is traced."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.static import static_int, static_ints


def pairs_of_paddings(paddings: Any, x: Tensor) -> list[tuple[int, int]]:
    """Return the pair of paddings of each axis.

    Raises:
        InvalidArgumentError: If there is not one pair of sizes for each axis.
    """
    if not (
        isinstance(paddings, list | tuple) and all(isinstance(p, list | tuple) for p in paddings)
    ):
        given = convert_to_tensor(paddings)
        flat = static_ints(given)
        if given.ndim != 2 or given.aval.shape[1] != 2:
            found = list(given.aval.shape)
            raise invalid("pad", f"paddings must be a matrix with 2 columns: {found}")
        paddings = zip(flat[::2], flat[1::2], strict=True)
    pairs = [tuple(static_int(n) for n in pair) for pair in paddings]
    if any(len(pair) != 2 for pair in pairs):
        raise invalid("pad", f"paddings must be a matrix with 2 columns: {pairs}")
    if len(pairs) != x.ndim:
        raise invalid(
            "pad",
            f"The first dimension of paddings must be the rank of inputs: {pairs} for an input of "
            f"shape {list(x.aval.shape)}",
        )
    if any(min(pair) < 0 for pair in pairs):
        shape = list(x.aval.shape)
        raise invalid("pad", f"Paddings must be non-negative: {pairs} for shape {shape}")
    return [(before, after) for before, after in pairs]
