"""Helpers for trees."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


def total_order_sorted(
    iterable: Iterable[T],
    /,
    *,
    key: Callable[[T], Any] | None = None,
    reverse: bool = False,
) -> list[T]:
    """Sort values; if they cannot be compared, sort them by the names of their types first.

    If values of one type cannot be compared either, the order is unchanged.
    """
    values = list(iterable)
    keys = values if key is None else [key(value) for value in values]

    def by_key(index: int) -> Any:
        return keys[index]

    def by_type(index: int) -> tuple[str, Any]:
        cls = type(keys[index])
        return f"{cls.__module__}.{cls.__qualname__}", keys[index]

    for rank in (by_key, by_type):
        try:
            order = sorted(range(len(values)), key=rank, reverse=reverse)
        except TypeError:
            continue
        return [values[index] for index in order]
    return values
