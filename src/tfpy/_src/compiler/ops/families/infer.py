"""Shape and dtype rules that op families share, with TensorFlow's error classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid, invalid_dtype
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.sizes import either, is_open, is_unranked, size_of, unranked

FLOAT = frozenset(dtypes.FLOATS)
FLOAT_COMPLEX = FLOAT | dtypes.COMPLEX
UNSIGNED = frozenset((dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64))
INTEGER = UNSIGNED | dtypes.INDICES | {dtypes.int8, dtypes.int16}
REAL = FLOAT | INTEGER
NUMERIC = REAL | dtypes.COMPLEX
SIGNED = NUMERIC - UNSIGNED
BOOL = frozenset((dtypes.bool,))
CASTABLE = NUMERIC | BOOL | frozenset(dtypes.STORED)
ANY = NUMERIC | BOOL | {dtypes.string}


def broadcast_shapes(op: str, *shapes: Shape) -> Shape:
    """Return the broadcast shape, as in NumPy.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are incompatible.
    """
    first, *rest = shapes
    if all(s == first for s in rest) and not (rest and any(map(is_open, shapes))):
        return first
    rank = max(len(s) for s in shapes)
    out = [1] * rank
    for shape in shapes:
        for i, n in enumerate(shape, rank - len(shape)):
            if 1 not in (int(n), int(out[i])) and n != out[i]:
                raise invalid(
                    op,
                    f"Incompatible shapes: {' vs. '.join(str(list(s)) for s in shapes)}; "
                    "each dimension must be equal or 1, counted from the right",
                )
            out[i] = _broadcast_size(out[i], n)
    return unranked(out) if any(map(is_unranked, shapes)) else tuple(out)


def _broadcast_size(n: int, m: int) -> int:
    """Return the broadcast size of two compatible sizes: a known one if it is not 1."""
    actual = m if n == 1 else n
    for size in (n, m):
        if size != 1 and not is_open(size):
            return size
    return either(actual, n, m)


def check_dtype(op: str, aval: Aval, allowed: Iterable[DType], what: str = "x") -> None:
    """Raise InvalidArgumentError unless the aval's dtype is allowed."""
    allowed = frozenset(allowed)
    if aval.dtype not in allowed:
        names = ", ".join(sorted(d.name for d in allowed))
        raise invalid_dtype(
            op,
            f"{what} has dtype {aval.dtype.name} and shape {list(aval.shape)}, "
            f"but the op takes {names}; convert it with tf.cast",
        )


def check_same_dtype(op: str, avals: Sequence[Aval]) -> None:
    """Raise InvalidArgumentError unless all avals have the dtype of the first one."""
    if not avals:
        return
    first = avals[0]
    for i, a in enumerate(avals[1:], 1):
        if a.dtype != first.dtype:
            raise invalid_dtype(
                op,
                f"cannot compute as input #{i}(zero-based) was expected to be a {first.dtype.name} "
                f"tensor but is a {a.dtype.name} tensor (shapes {list(first.shape)} and "
                f"{list(a.shape)}); convert one with {_conversion(a, first)}",
            )


def _conversion(*avals: Aval) -> str:
    texts = any(a.dtype == dtypes.string for a in avals)
    return "tf.strings.as_string or tf.strings.to_number" if texts else "tf.cast"


def check_rank(op: str, aval: Aval, rank: int, what: str) -> None:
    """Raise InvalidArgumentError unless the aval has this number of dimensions."""
    if aval.rank != rank:
        raise invalid(op, f"{what} must be {rank}-dimensional, got shape {list(aval.shape)}")


def normalize_axis(op: str, axis: int, rank: int) -> int:
    """Return `axis` as a nonnegative number.

    Raises:
        tf.errors.InvalidArgumentError: If the axis is outside of `[-rank, rank)`.
        TypeError: If the axis is not an integer.
    """
    axis = axis if type(axis) is int else size_of(axis)
    if not -rank <= axis < rank:
        raise invalid(op, f"axis {axis} is out of range for {rank} dimensions: [{-rank}, {rank})")
    return axis % rank if rank else 0
