"""``tf.debugging``: assertions on shapes, which are known without values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Asserts rank 0.

    Raises:
        ValueError: when it is another one.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_scalar(tf.constant(1))
        >>> try:
        ...     tf.debugging.assert_scalar(tf.constant([1, 2]))
        ... except ValueError:
        ...     print("no scalar")
        no scalar
    """
    found = convert_to_tensor(tensor).aval.shape
    if found != ():
        raise ValueError(f"{message or ''} Expected scalar shape, saw shape: {found}.".strip())


def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Asserts a rank.

    Raises:
        ValueError: when it is another one.

    Example:
        >>> import tfpy as tf
        >>> tf.assert_rank(tf.zeros([2, 3]), 2)
        >>> try:
        ...     tf.assert_rank(tf.zeros([2, 3]), 1)
        ... except ValueError:
        ...     print("not a vector")
        not a vector
    """
    wanted = _number(rank)
    _check_rank(x, lambda n: n == wanted, f"rank {wanted}", message)


def assert_rank_at_least(
    x: Any, rank: Any, message: str | None = None, name: str | None = None
) -> None:
    """Asserts a rank or a greater one.

    Raises:
        ValueError: when it is smaller.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_rank_at_least(tf.zeros([2, 3]), 1)
        >>> try:
        ...     tf.debugging.assert_rank_at_least(tf.zeros([2, 3]), 3)
        ... except ValueError:
        ...     print("too few dimensions")
        too few dimensions
    """
    wanted = _number(rank)
    _check_rank(x, lambda n: n >= wanted, f"rank at least {wanted}", message)


def assert_rank_in(
    x: Any, ranks: Sequence[Any], message: str | None = None, name: str | None = None
) -> None:
    """Asserts one of several ranks.

    Raises:
        ValueError: when it is another one.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_rank_in(tf.zeros([2, 3]), [1, 2])
        >>> try:
        ...     tf.debugging.assert_rank_in(tf.zeros([2, 3]), [0, 1])
        ... except ValueError:
        ...     print("neither scalar nor vector")
        neither scalar nor vector
    """
    wanted = tuple(_number(r) for r in ranks)
    _check_rank(x, lambda n: n in wanted, f"rank in {wanted}", message)


def _number(rank: Any) -> int:
    found = convert_to_tensor(rank)
    if found.aval.shape != ():
        raise ValueError(f"Rank must be a scalar, got shape {found.shape}")
    return int(found.host_view())


def _check_rank(x: Any, fits: Callable[[int], bool], wanted: str, message: str | None) -> None:
    found = convert_to_tensor(x)
    if not fits(found.ndim):
        raise ValueError(
            f"{message or ''} Tensor must have {wanted}. Received rank {found.ndim}, shape "
            f"{found.shape}".strip()
        )


def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Asserts shapes, in which equal symbols stand for equal sizes.

    Args:
        shapes: pairs of a tensor and a sequence of ints, symbols (texts) and None or ``"."`` for
            any size; an ``...`` or ``"*"`` at the beginning stands for any number of dimensions.

    Raises:
        ValueError: when a tensor has another shape.

    Example:
        >>> import tfpy as tf
        >>> x, y = tf.zeros([8, 2]), tf.zeros([8])
        >>> tf.debugging.assert_shapes([(x, ("n", 2)), (y, ("n",))])
        >>> try:
        ...     tf.debugging.assert_shapes([(x, ("n", "n"))])
        ... except ValueError:
        ...     print("8 is not 2")
        8 is not 2
    """
    sizes: dict[Any, int] = {}
    for tensor, pattern in shapes.items() if isinstance(shapes, Mapping) else shapes:
        sparse = isinstance(tensor, SparseTensor)
        shape = tensor.host_shape if sparse else convert_to_tensor(tensor).aval.shape
        _match(tuple(shape), _entries(pattern), sizes, message or "")


def _entries(pattern: Any) -> list[Any]:
    if isinstance(pattern, int | str) and not isinstance(pattern, bool):
        return list(pattern) if isinstance(pattern, str) else [pattern]
    return list(pattern)


def _match(shape: tuple[int, ...], pattern: list[Any], sizes: dict[Any, int], message: str) -> None:
    found = list(shape)
    if pattern and pattern[0] in (..., "*"):
        pattern = pattern[1:]
        found = found[len(found) - len(pattern) :] if len(found) >= len(pattern) else found
    if len(found) != len(pattern):
        raise ValueError(f"{message} Tensor of shape {shape} must have rank {len(pattern)}".strip())
    for axis, (size, wanted) in enumerate(zip(found, pattern, strict=True)):
        if wanted is None or wanted == ".":
            continue
        expected = wanted if isinstance(wanted, int) else sizes.setdefault(wanted, size)
        if size != expected:
            raise ValueError(
                f"{message} Tensor dimension {axis} must have size {expected}. Received size "
                f"{size}, shape {shape}".strip()
            )
