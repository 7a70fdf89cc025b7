"""Lists outside of the function that makes them: their items and the description of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control import lists
from tfpy._src.tensors.array import joining


@dataclass(frozen=True)
class Elements:
    """A description of a list's items, which a call attaches to a list that it returns."""

    count: int | None
    """Number of items; None if it is unknown before the list is computed."""
    shape: tuple[int | None, ...] | None
    """Shape of all items, or None if it is unknown."""
    dtype: DType | None
    """Dtype of the items, or None if it is unknown."""


_UNKNOWN = Elements(None, None, None)


def is_list(value: Any) -> bool:
    """Return True for a list of tensors, which is a tensor of dtype variant."""
    return isinstance(value, Tensor) and value.dtype == dtypes.variant


def describe(values: Tensor, elements: Elements) -> Tensor:
    """Attach a description of the items to a list, and return the list."""
    vars(values)["elements"] = elements
    return values


def description(values: Tensor) -> Elements:
    """Return the known facts about a list's items."""
    known: Elements = vars(values).get("elements", _UNKNOWN)
    if not values.has_values:
        return known
    avals = lists.avals_of(values)
    written = [aval for aval in avals if aval is not None]
    if not written:
        return replace(known, count=len(avals))
    shape = written[0].shape
    same = all(aval.shape == shape for aval in written)
    return Elements(len(avals), shape if same else None, written[0].dtype)


def items_of(values: Tensor, dtype: DType) -> tuple[list[Tensor | None], Tensor | None]:
    """Return the items of a list. If all have one shape, also return the tensor of all items.

    A missing item is None, or zeros if the shape of the items is known.

    Raises:
        InvalidArgumentError: If the items have a different dtype.
        NotTraceableError: If the length is unknown while a function is traced.
    """
    elements = description(values)
    count, shape, known = elements.count, elements.shape, elements.dtype
    if known is not None and known != dtype:
        raise InvalidArgumentError(
            None,
            "TensorArray",
            f"Invalid data types; list elements {known.name} but tried to read {dtype.name}",
        )
    if count is None:
        raise NotTraceableError("the length of a list of tensors is unknown before it is computed")
    sizes = [n for n in shape or () if n is not None]
    if count and shape is not None and len(sizes) == len(shape):
        whole = lists.stack(values, count, Aval(tuple(sizes), dtype))
        return [*joining.rows_of(whole)], whole
    if not values.has_values:
        return [None] * count, None
    avals = lists.avals_of(values)
    return [
        None if aval is None else lists.get(values, constant(i), aval)
        for i, aval in enumerate(avals)
    ], None
