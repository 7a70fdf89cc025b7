"""Assertions on shapes, which need no values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

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
        TypeError: If a rank is not an integer.

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
    if not found.dtype.is_integer:
        raise TypeError(f"Rank must be of type tf.int32, got {found.dtype!r}")
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
            of dimensions. A scalar counts as a vector with one element. No shape is expected of
            tensors for which it is None.
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
    pairs = shapes.items() if isinstance(shapes, Mapping) else shapes
    prefix = f"{message}.  " if message else ""
    patterns = [
        _Pattern(x if isinstance(x, SparseTensor) else convert_to_tensor(x), wanted, prefix)
        for x, wanted in pairs
        if wanted is not None
    ]
    for pattern in patterns:
        pattern.check_rank()
    sizes: dict[Any, tuple[int, str]] = {}
    for pattern in patterns:
        pattern.check_sizes(sizes)


class _Pattern:
    """The expected shape of a tensor. A scalar counts as a vector with one element.

    Args:
        tensor: Tensor or sparse tensor.
        entries: Expected sizes.
        prefix: Beginning of the errors.

    Raises:
        ValueError: If the expected sizes are not a sequence, or `...` is not the first one.
    """

    def __init__(self, tensor: Any, entries: Any, prefix: str) -> None:
        self._prefix = prefix
        self._shape = tensor.host_shape if isinstance(tensor, SparseTensor) else tensor.aval.shape
        self._tensor = f"Tensor shape={tensor.shape} dtype={tensor.dtype.name}"
        if not hasattr(entries, "__iter__"):
            raise ValueError(
                f"{prefix}{self._tensor}.  Specified shape must be an iterable.  An iterable has "
                f"the attribute `__iter__` or `__getitem__`.  Received specified shape: {entries}"
            )
        wanted = list(entries)
        self._open = bool(wanted) and wanted[0] in (..., "*")
        for i, entry in enumerate(wanted[1:], 1):
            if entry in (..., "*"):
                raise ValueError(
                    f"{prefix}{self._tensor} specified shape index {i}.  Symbol `...` or `*` for a "
                    "variable number of unspecified dimensions is only allowed as the first entry"
                )
        self._wanted = wanted[1:] if self._open else wanted or [1]

    def check_rank(self) -> None:
        """Raise ValueError if the tensor does not have the number of dimensions."""
        rank, found = len(self._wanted), len(self._shape)
        if found == rank or (found < 2 and rank < 2) or (found > rank and self._open):
            return
        wanted = f"at least {rank}" if self._open else rank if rank > 1 else "in (0, 1)"
        raise ValueError(
            f"{self._prefix}{self._tensor} must have rank {wanted}.  Received rank {found}, shape "
            f"{tuple(self._shape)}"
        )

    def check_sizes(self, sizes: dict[Any, tuple[int, str]]) -> None:
        """Raise ValueError if a size is another one. Record the sizes of symbols and their places.

        Args:
            sizes: Size of each symbol, and the tensor and dimension that specified it.
        """
        found = list(self._shape) or [1]
        for i, wanted in enumerate(self._wanted):
            axis = i - len(self._wanted) if self._open else i
            if wanted is None or wanted == ".":
                continue
            expected, source = found[axis], "Specified explicitly"
            if _is_number(wanted):
                expected = int(wanted)
            else:
                place = (found[axis], f"Specified by tensor {self._tensor[7:]} dimension {axis}")
                expected, source = sizes.setdefault(wanted, place)
            if found[axis] != expected:
                raise ValueError(
                    f"{self._prefix}{source}.  {self._tensor} dimension {axis} must have size "
                    f"{expected}.  Received size {found[axis]}, shape {tuple(self._shape)}"
                )


def _is_number(entry: Any) -> bool:
    """Return True if an entry of an expected shape is an integer, or its text."""
    return entry.isdigit() if isinstance(entry, str) else isinstance(entry, int | np.integer)
