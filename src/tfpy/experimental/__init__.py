"""`tf.experimental`: extension types, NumPy's functions and data types of at most 8 bits."""

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
from tfpy._src.data.optional import Optional as Optional
from tfpy._src.tensors.ragged.row_partitions import RowPartition as RowPartition
from tfpy._src.tensors.ragged.shape import DynamicRaggedShape as DynamicRaggedShape

if _typing.TYPE_CHECKING:
    from tfpy._src.library.config.execution import (
        async_clear_error as async_clear_error,
        async_scope as async_scope,
        enable_strict_mode as enable_strict_mode,
        function_executor_type as function_executor_type,
    )
    from tfpy._src.library.extension_types.batching import (
        ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
    )
    from tfpy._src.library.extension_types.dispatch import (
        dispatch_for_api as dispatch_for_api,
        dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
        dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
        dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
        unregister_dispatch_for as unregister_dispatch_for,
    )
    from tfpy._src.library.extension_types.extension_type import (
        BatchableExtensionType as BatchableExtensionType,
        ExtensionType as ExtensionType,
    )
    from tfpy._src.library.extension_types.specs import ExtensionTypeSpec as ExtensionTypeSpec
    from tfpy._src.library.extension_types.structured.tensor import (
        StructuredTensor as StructuredTensor,
    )
    from tfpy.experimental import (
        dlpack as dlpack,
        dtensor as dtensor,
        extension_type as extension_type,
        numpy as numpy,
    )

_LATER = {
    "ExtensionTypeBatchEncoder": "tfpy._src.library.extension_types.batching",
    "dispatch_for_api": "tfpy._src.library.extension_types.dispatch",
    "dispatch_for_binary_elementwise_apis": "tfpy._src.library.extension_types.dispatch",
    "dispatch_for_binary_elementwise_assert_apis": "tfpy._src.library.extension_types.dispatch",
    "dispatch_for_unary_elementwise_apis": "tfpy._src.library.extension_types.dispatch",
    "unregister_dispatch_for": "tfpy._src.library.extension_types.dispatch",
    "BatchableExtensionType": "tfpy._src.library.extension_types.extension_type",
    "ExtensionType": "tfpy._src.library.extension_types.extension_type",
    "async_clear_error": "tfpy._src.library.config.execution",
    "async_scope": "tfpy._src.library.config.execution",
    "enable_strict_mode": "tfpy._src.library.config.execution",
    "function_executor_type": "tfpy._src.library.config.execution",
    "ExtensionTypeSpec": "tfpy._src.library.extension_types.specs",
    "StructuredTensor": "tfpy._src.library.extension_types.structured.tensor",
    "extension_type": "tfpy.experimental.extension_type",
    "dlpack": "tfpy.experimental.dlpack",
    "dtensor": "tfpy.experimental.dtensor",
    "numpy": "tfpy.experimental.numpy",
}
