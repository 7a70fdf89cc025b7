"""``tf.lookup.experimental``: tables that programs change."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.library.lookup.mutable import (
    DenseHashTable as DenseHashTable,
    MutableHashTable as MutableHashTable,
)
