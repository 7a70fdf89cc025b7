"""`tf.lookup`: lookup tables, which map keys to values."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.lookup.initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
from tfpy._src.library.lookup.tables import (
    StaticHashTable as StaticHashTable,
    StaticVocabularyTable as StaticVocabularyTable,
)
from tfpy.lookup import experimental as experimental
