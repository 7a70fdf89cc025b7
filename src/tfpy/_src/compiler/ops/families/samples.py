"""Inputs of the generated tests of an op: small, odd-sized, and larger than the fast paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.op import Sample, Samples

_SHAPES: tuple[tuple[int, ...], ...] = ((), (7,), (2, 3, 5), (5, 260), (0, 3), (3, 2, 1, 4, 2))
_BROADCASTS: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((6, 33), (6, 33), (6, 33)),
    ((4, 1, 5), (3, 1), (5,)),
    ((2, 3, 4, 8), (8,), ()),
    ((), (3, 7), (7,)),
    ((2, 1, 3, 1, 2), (1, 4, 1, 5, 1), (2, 4, 3, 5, 2)),
)


def array(
    rng: np.random.Generator,
    shape: Sequence[int],
    dtype: DType = dtypes.float32,
    low: float = -4.0,
    high: float = 4.0,
) -> Array:
    """Draw uniform values in `[low, high]` (complex numbers: both components), or booleans."""
    if dtype == dtypes.bool:
        return rng.random(shape) < 0.5
    if dtype.is_integer:
        return rng.integers(int(np.ceil(low)), int(high) + 1, shape).astype(dtype.as_numpy_dtype)
    if dtype.is_complex:
        z = rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)
        return np.asarray(z, dtype.as_numpy_dtype)
    return rng.uniform(low, high, shape).astype(dtype.as_numpy_dtype)


def elementwise_samples(
    operands: int,
    takes: Iterable[DType],
    domain: tuple[float, float],
    typed_from: int = 0,
    attrs: Iterable[Mapping[str, Any]] = ({},),
) -> Samples:
    """Return samples of each device dtype that the op accepts, with several shapes and broadcasts.

    Args:
        operands: Number of inputs; the inputs before `typed_from` are bool.
        domain: Range of the values.
    """
    kinds = set(takes)
    order = (dtypes.float32, dtypes.int32, dtypes.bool, dtypes.complex64)
    device = [d for d in order if d in kinds]
    cases = [dict(a) for a in attrs]

    def make(rng: np.random.Generator) -> list[Sample]:
        groups = (
            [(s,) for s in _SHAPES]
            if operands == 1
            else [tuple(b[:operands]) for b in _BROADCASTS]
            + [tuple(reversed(b[:operands])) for b in _BROADCASTS[1:3]]
        )
        samples: list[Sample] = []
        for dtype in device:
            for group in groups:
                kinds = [dtypes.bool] * typed_from + [dtype] * (operands - typed_from)
                arrays = tuple(array(rng, s, k, *domain) for s, k in zip(group, kinds, strict=True))
                samples += [(arrays, a) for a in cases]
        return samples

    return make
