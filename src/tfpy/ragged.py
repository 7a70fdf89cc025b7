"""`tf.ragged`: tensors with rows of different lengths."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.tensors.composite.ragged.broadcast import map_flat_values as map_flat_values
from tfpy._src.tensors.ragged.components import (
    ragged_gather as ragged_gather,
    ragged_range as ragged_range,
    ragged_tensor_to_tensor as ragged_tensor_to_tensor,
)
from tfpy._src.tensors.ragged.making import (
    constant as constant,
    range as range,
    row_splits_to_segment_ids as row_splits_to_segment_ids,
    segment_ids_to_row_splits as segment_ids_to_row_splits,
)
from tfpy._src.tensors.ragged.partitions import stack_dynamic_partitions as stack_dynamic_partitions
from tfpy._src.tensors.ragged.shaping import boolean_mask as boolean_mask, stack as stack

if _typing.TYPE_CHECKING:
    from tfpy._src.library.sparse.ragged_crossing import (
        cross as cross,
        cross_hashed as cross_hashed,
    )

_LATER = {
    "cross": "tfpy._src.library.sparse.ragged_crossing",
    "cross_hashed": "tfpy._src.library.sparse.ragged_crossing",
}
