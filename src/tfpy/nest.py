"""`tf.nest`: functions for nested lists, tuples, dicts and similar containers."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.core.nest import (
    assert_same_structure as assert_same_structure,
    flatten as flatten,
    is_nested as is_nested,
    map_structure as map_structure,
    pack_sequence_as as pack_sequence_as,
)
