"""``tf.sets``: the last dimension holds sets of integers or strings."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.library.sparse.sets import (
    difference as difference,
    intersection as intersection,
    size as size,
    union as union,
)
