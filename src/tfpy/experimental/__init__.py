"""`tf.experimental`: optional values, row partitions, and data types of at most 8 bits."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.base.dtypes import (
    float4_e2m1fn as float4_e2m1fn,
    float8_e4m3b11fnuz as float8_e4m3b11fnuz,
    float8_e4m3fn as float8_e4m3fn,
    float8_e4m3fnuz as float8_e4m3fnuz,
    float8_e5m2 as float8_e5m2,
    float8_e5m2fnuz as float8_e5m2fnuz,
    int2 as int2,
    int4 as int4,
    uint2 as uint2,
    uint4 as uint4,
)
from tfpy._src.data.iterators import Optional as Optional
from tfpy._src.tensors.ragged.row_partitions import RowPartition as RowPartition
from tfpy.experimental import numpy as numpy

if _typing.TYPE_CHECKING:
    from tfpy._src.library.config.execution import (
        async_clear_error as async_clear_error,
        async_scope as async_scope,
        enable_strict_mode as enable_strict_mode,
        function_executor_type as function_executor_type,
    )
    from tfpy.experimental import dtensor as dtensor

_LATER = {
    "async_clear_error": "tfpy._src.library.config.execution",
    "async_scope": "tfpy._src.library.config.execution",
    "enable_strict_mode": "tfpy._src.library.config.execution",
    "function_executor_type": "tfpy._src.library.config.execution",
    "dtensor": "tfpy.experimental.dtensor",
}
