"""Assertions on shapes, which need no values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Assert that a tensor is a scalar.

    Args:
        tensor: Tensor of any dtype.
        message: Text at the beginning of the error message. Default: none.

    Raises:
        ValueError: If the rank of `tensor` is not 0.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_scalar(tf.constant(1))
        >>> try:
        ...     tf.debugging.assert_scalar(tf.constant([1, 2]))
        ... except ValueError:
        ...     print("no scalar")
        no scalar

    See also: `tf.debugging.assert_rank`.
    """
    found = convert_to_tensor(tensor).aval.shape
    if found != ():
        raise ValueError(f"{message or ''} Expected scalar shape, saw shape: {found}.".strip())


def assert_rank(
    x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None
) -> None:
    """Assert that a tensor has the given rank.

    Args:
        x: Tensor of any dtype.
        rank: Expected rank, a scalar integer.
        message: Text at the beginning of the error message. Default: none.

    Raises:
        ValueError: If the rank of `x` is not `rank`.

    Example:
        >>> import tfpy as tf
        >>> tf.assert_rank(tf.zeros([2, 3]), 2)
        >>> try:
        ...     tf.assert_rank(tf.zeros([2, 3]), 1)
        ... except ValueError:
        ...     print("not a vector")
        not a vector

    See also: `tf.debugging.assert_rank_at_least`, `tf.debugging.assert_rank_in`.
    """
    wanted = _number(rank)
    _check_rank(x, lambda n: n == wanted, f"rank {wanted}", message)


def assert_rank_at_least(
    x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None
) -> None:
    """Assert that a tensor has at least the given rank.

    Args:
        x: Tensor of any dtype.
        rank: Minimum rank, a scalar integer.
        message: Text at the beginning of the error message. Default: none.

    Raises:
        ValueError: If the rank of `x` is less than `rank`.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_rank_at_least(tf.zeros([2, 3]), 1)
        >>> try:
        ...     tf.debugging.assert_rank_at_least(tf.zeros([2, 3]), 3)
        ... except ValueError:
        ...     print("too few dimensions")
        too few dimensions

    See also: `tf.debugging.assert_rank`, `tf.debugging.assert_rank_in`.
    """
    wanted = _number(rank)
    _check_rank(x, lambda n: n >= wanted, f"rank at least {wanted}", message)


def assert_rank_in(
    x: TensorLike, ranks: Sequence[TensorLike], message: str | None = None, name: str | None = None
) -> None:
    """Assert that the rank of a tensor is one of the given ranks.

    Args:
        x: Tensor of any dtype.
        ranks: Allowed ranks, a sequence of scalar integers.
        message: Text at the beginning of the error message. Default: none.

    Raises:
        ValueError: If the rank of `x` is not in `ranks`.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.assert_rank_in(tf.zeros([2, 3]), [1, 2])
        >>> try:
        ...     tf.debugging.assert_rank_in(tf.zeros([2, 3]), [0, 1])
        ... except ValueError:
        ...     print("neither scalar nor vector")
        neither scalar nor vector

    See also: `tf.debugging.assert_rank`, `tf.debugging.assert_rank_at_least`.
    """
    wanted = tuple(_number(r) for r in ranks)
    _check_rank(x, lambda n: n in wanted, f"rank in {wanted}", message)


def _number(rank: TensorLike) -> int:
    """Return a rank as an int."""
    found = convert_to_tensor(rank)
    if found.aval.shape != ():
        raise ValueError(f"Rank must be a scalar, got shape {found.shape}")
    return int(found.host_view())


def _check_rank(
    x: TensorLike, fits: Callable[[int], bool], wanted: str, message: str | None
) -> None:
    """Raise ValueError if the rank of a tensor does not fit."""
    found = convert_to_tensor(x)
    if not fits(found.ndim):
        raise ValueError(
            f"{message or ''} Tensor must have {wanted}. Received rank {found.ndim}, shape "
            f"{found.shape}".strip()
        )


def assert_shapes(
    shapes: Mapping[Any, Any] | Sequence[tuple[Any, Any]],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Assert that tensors have the given shapes, in which equal symbols denote equal dimensions.

    Args:
        shapes: Sequence of pairs of a tensor and its expected shape, or a mapping from tensors to
            shapes. A shape is a sequence of integers and symbols (strings such as `"n"`). None and
            `"."` match any dimension. A shape may begin with `...` or `"*"`, which match any number
            of dimensions.
        data: Has no effect.
        summarize: Has no effect.
        message: Text at the beginning of the error message. Default: none.

    Raises:
        ValueError: If a tensor does not have its expected shape.

    Example:
        >>> import tfpy as tf
        >>> x, y = tf.zeros([8, 2]), tf.zeros([8])
        >>> tf.debugging.assert_shapes([(x, ("n", 2)), (y, ("n",))])
        >>> try:
        ...     tf.debugging.assert_shapes([(x, ("n", "n"))])
        ... except ValueError:
        ...     print("8 is not 2")
        8 is not 2

    See also: `tf.debugging.assert_rank`, `tf.ensure_shape`.
    """
    sizes: dict[Any, int] = {}
    for tensor, pattern in shapes.items() if isinstance(shapes, Mapping) else shapes:
        sparse = isinstance(tensor, SparseTensor)
        shape = tensor.host_shape if sparse else convert_to_tensor(tensor).aval.shape
        _match(tuple(shape), _entries(pattern), sizes, message or "")


def _entries(pattern: Any) -> list[Any]:
    """Return the entries of a shape as a list."""
    if isinstance(pattern, int | str) and not isinstance(pattern, bool):
        return list(pattern) if isinstance(pattern, str) else [pattern]
    return list(pattern)


def _match(shape: tuple[int, ...], pattern: list[Any], sizes: dict[Any, int], message: str) -> None:
    """Raise ValueError if a shape does not match, and record the sizes of symbols.

    As in TensorFlow, scalars and vectors with one element are not distinguished.
    """
    found, pattern = list(shape) or [1], pattern or [1]
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
