"""`tf.strings`: joining, splitting, matching and formatting of strings."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.core.primitives import (
    as_string as as_string,
    length as length,
    lower as lower,
    strip as strip,
    upper as upper,
)
from tfpy._src.library.strings.formatting import format as format
from tfpy._src.library.strings.functions import (
    join as join,
    reduce_join as reduce_join,
    regex_full_match as regex_full_match,
    regex_replace as regex_replace,
    static_regex_replace as static_regex_replace,
    string_to_hash_bucket_fast as string_to_hash_bucket_fast,
    to_hash_bucket as to_hash_bucket,
    to_hash_bucket_fast as to_hash_bucket_fast,
    to_hash_bucket_strong as to_hash_bucket_strong,
    to_number as to_number,
    unsorted_segment_join as unsorted_segment_join,
)
from tfpy._src.library.strings.ngrams import ngrams as ngrams, string_n_grams as string_n_grams
from tfpy._src.library.strings.splitting import (
    bytes_split as bytes_split,
    split as split,
    string_split as string_split,
    substr as substr,
)
from tfpy._src.library.strings.unicode import (
    unicode_decode as unicode_decode,
    unicode_decode_with_offsets as unicode_decode_with_offsets,
    unicode_encode as unicode_encode,
    unicode_split as unicode_split,
    unicode_split_with_offsets as unicode_split_with_offsets,
    unicode_transcode as unicode_transcode,
)

if _typing.TYPE_CHECKING:
    from tfpy._src.library.strings.scripts import unicode_script as unicode_script

_LATER = {
    "unicode_script": "tfpy._src.library.strings.scripts",
}
