"""Numbers that the writers of several formats need."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference.resample_tables import table
from tfpy._src.compiler.ops.resample import resample


def same_padding(size: int, window: int, stride: int, dilation: int) -> tuple[int, int]:
    """Return the padding before and after an axis for "SAME"."""
    total = max((-(-size // stride) - 1) * stride + (window - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def lowest(dtype: DType) -> Any:
    """Return the smallest number of a dtype."""
    return -np.inf if dtype.is_floating else np.iinfo(dtype.as_numpy_dtype).min


def resampling(size: int, spec: Any) -> Array:
    """Return the matrix of shape [in, out] by which `resample` maps an axis."""
    eye = np.eye(size, dtype=np.float32)
    matrix: Array = resample.ref(eye, table(spec), axis=1, spec=spec)
    return matrix
