"""`tf.lookup.experimental`: lookup tables to which entries can be added."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.lookup.dense import DenseHashTable as DenseHashTable
from tfpy._src.library.lookup.mutable import MutableHashTable as MutableHashTable
