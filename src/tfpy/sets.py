"""`tf.sets`: operations on sets, which are the rows along the last dimension of tensors."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.sparse.sets import (
    difference as difference,
    intersection as intersection,
    size as size,
    union as union,
)
