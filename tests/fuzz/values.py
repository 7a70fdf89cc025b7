"""Random shapes and arrays: odd sizes, and values that cause arithmetic errors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Rng = np.random.Generator

DTYPE_WEIGHTS = {
    **{"float32": 0.47, "int32": 0.18, "bool": 0.09, "complex64": 0.08, "uint8": 0.04},
    **{"int8": 0.02, "int16": 0.02, "uint16": 0.02, "uint32": 0.02, "uint64": 0.02},
    **{"float16": 0.02, "bfloat16": 0.01, "string": 0.01},
}
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 17)
SIZE_WEIGHTS = (0.06, 0.2, 0.2, 0.16, 0.1, 0.1, 0.06, 0.05, 0.04, 0.03)
EDGES = 0.25
"""Share of complex operands with parts of all magnitudes, infinities and signed zeros."""
MAX_SIZE = 600
"""Maximum number of elements of an operand."""

SPECIAL = np.array(
    [
        *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, np.inf, -np.inf, np.nan),
        *(1e-30, -1e-30, 1e-7, 1e7, -1e7, 1e30, -1e30, 88.0, -88.0, 100.0, -104.0),
        *(np.finfo(np.float32).max, np.finfo(np.float32).min, np.finfo(np.float32).tiny),
        *(1 - 2**-24, 1 + 2**-23, 2.5, 3.5, -2.5, np.pi, 16777217.0),
    ],
    np.float32,
)
WORDS = ("", "a", "b", "a b", "déf", "12", "-1.5", "nan", "1e3", " x ", "日本", "\x00")


def choose(rng: Rng, options: Any, weights: Any = None) -> Any:
    """Return one of the options."""
    return options[int(rng.choice(len(options), p=weights))]


def size(rng: Rng) -> int:
    """Return the size of a dimension. A few sizes are 0, many are 1."""
    return int(choose(rng, SIZES, SIZE_WEIGHTS))


def shape(rng: Rng) -> Shape:
    """Return a shape of up to five dimensions and a limited number of elements."""
    rank = choose(rng, range(6), (0.12, 0.25, 0.3, 0.18, 0.1, 0.05))
    sizes = [size(rng) for _ in range(rank)]
    while np.prod(sizes) > MAX_SIZE:
        sizes[int(np.argmax(sizes))] = 2
    return tuple(sizes)


def broadcastable(rng: Rng, to: Shape) -> Shape:
    """Return a shape that broadcasts against another."""
    kept = to[int(rng.integers(len(to) + 1)) :] if rng.random() < 0.4 else to
    return tuple(1 if rng.random() < 0.25 else n for n in kept)


Domain = tuple[float, float]


def array(rng: Rng, dims: Shape, dtype: str, domain: Domain | None = None) -> Array:
    """Return values of a dtype: floats of a domain, or special floats and all magnitudes."""
    if dtype == "bool":
        return rng.integers(0, 2, dims).astype(bool)
    if dtype == "string":
        picked = rng.integers(0, len(WORDS), dims)
        return np.array([WORDS[i].encode() for i in picked.ravel()], object).reshape(dims)
    if dtype == "complex64":
        within = domain or (None if rng.random() < EDGES else (-2.0, 2.0))
        made = np.empty(dims, np.complex64)  # 1j * inf would have a NaN real part
        made.real, made.imag = (array(rng, dims, "float32", within) for _ in range(2))
        return made
    if dtype.startswith(("int", "uint")):
        return _integers(rng, dims, dtype, domain is not None)
    values = _floats(rng, dims) if domain is None else rng.uniform(*domain, dims)
    with np.errstate(over="ignore"):
        return values.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def is_exact(array: Array) -> bool:
    """Return True if the elements are not floats or complex numbers, which are rounded."""
    return array.dtype.kind not in "fc" and array.dtype != ml_dtypes.bfloat16


def inside(array: Array, domain: Domain | None) -> bool:
    """Return True if all floats are in a domain."""
    if domain is None or is_exact(array):
        return True
    parts = (array.real, array.imag)
    return all(((domain[0] <= p) & (p <= domain[1])).all() for p in parts)


def _integers(rng: Rng, dims: Shape, dtype: str, small_only: bool) -> Array:
    info = np.iinfo(dtype)
    small = rng.integers(max(info.min, -9), 10, dims)
    if small_only or rng.random() < 0.7:
        return small.astype(dtype)
    ends = [info.min, info.min + 1, max(info.min, -1), 0, 1, info.max - 1, info.max]
    picked = rng.choice(np.array(ends, dtype), dims)
    return np.where(rng.random(dims) < 0.5, picked, small.astype(dtype))


def _floats(rng: Rng, dims: Shape) -> Array:
    kind = choose(rng, range(5), (0.35, 0.2, 0.2, 0.15, 0.1))
    if kind == 1:
        return rng.uniform(0.1, 0.9, dims)
    near_one = rng.uniform(-2, 2, dims)
    if kind == 2:
        return np.where(rng.random(dims) < 0.4, rng.choice(SPECIAL, dims), near_one)
    if kind == 3:  # all magnitudes
        return near_one * 10.0 ** rng.integers(-20, 21, dims)
    if kind == 4:  # integers and halves, so that there are ties
        return rng.integers(-6, 7, dims) / 2
    return near_one
