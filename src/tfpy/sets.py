"""`tf.sets`: operations on sets of integers or strings in the last dimension."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.sparse.sets import (
    difference as difference,
    intersection as intersection,
    size as size,
    union as union,
)
