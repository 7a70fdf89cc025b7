"""`tf.sparse`: sparse tensors, which store the nonzero elements and their indices."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.library.sparse.arithmetic import (
    add as add,
    map_values as map_values,
    sparse_dense_matmul as sparse_dense_matmul,
)
from tfpy._src.library.sparse.conversion import (
    from_dense as from_dense,
    sparse_to_dense as sparse_to_dense,
    to_dense as to_dense,
    to_indicator as to_indicator,
)
from tfpy._src.library.sparse.counting import bincount as bincount
from tfpy._src.library.sparse.reduction import (
    maximum as maximum,
    minimum as minimum,
    reduce_max as reduce_max,
    reduce_sum as reduce_sum,
    softmax as softmax,
)
from tfpy._src.library.sparse.rows import (
    fill_empty_rows as fill_empty_rows,
    sparse_fill_empty_rows as sparse_fill_empty_rows,
)
from tfpy._src.library.sparse.segments import (
    segment_mean as segment_mean,
    segment_sqrt_n as segment_sqrt_n,
    segment_sum as segment_sum,
    sparse_segment_mean as sparse_segment_mean,
    sparse_segment_sum as sparse_segment_sum,
)
from tfpy._src.library.sparse.shaping import (
    expand_dims as expand_dims,
    eye as eye,
    reorder as reorder,
    reset_shape as reset_shape,
    reshape as reshape,
    sparse_reshape as sparse_reshape,
    transpose as transpose,
)
from tfpy._src.library.sparse.slicing import (
    concat as concat,
    mask as mask,
    retain as retain,
    slice as slice,
    split as split,
)
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor as SparseTensor

if _typing.TYPE_CHECKING:
    from tfpy._src.library.sparse.crossing import cross as cross, cross_hashed as cross_hashed
    from tfpy._src.library.sparse.sampled import sampled_addmm as sampled_addmm

_LATER = {
    "cross": "tfpy._src.library.sparse.crossing",
    "cross_hashed": "tfpy._src.library.sparse.crossing",
    "sampled_addmm": "tfpy._src.library.sparse.sampled",
}
