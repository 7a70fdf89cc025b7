"""Numbers that writers of all formats need."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference.resample_tables import table
from tfpy._src.compiler.ops.resample import resample


def same_padding(size: int, window: int, stride: int, dilation: int) -> tuple[int, int]:
    """What "SAME" pads."""
    total = max((-(-size // stride) - 1) * stride + (window - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def lowest(dtype: DType) -> Any:
    """The least number of a dtype."""
    return -np.inf if dtype.is_floating else np.iinfo(dtype.as_numpy_dtype).min


def resampling(size: int, spec: Any) -> Array:
    """The matrix by which ``resample`` maps an axis of a size, [in, out]."""
    eye = np.eye(size, dtype=np.float32)
    matrix: Array = resample.ref(eye, table(spec), axis=1, spec=spec)
    return matrix
