"""The facts of a SentencePiece model that tfpy reads from its file.

Source: https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto
"""

from __future__ import annotations

from tfpy._src.formats.encodings.protobuf import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    STRING,
    Message,
    many,
)

_PIECE = Message("Piece", {1: ("piece", STRING), 2: ("score", FLOAT), 3: ("type", INT)})
_TRAINER = Message(
    "Trainer",
    {
        3: ("model_type", INT),
        24: ("spaces_end_words", BOOL),
        35: ("has_bytes", BOOL),
        44: ("unknown_text", STRING),
    },
)
_NORMALIZER = Message(
    "Normalizer",
    {
        2: ("characters", BYTES),
        3: ("begins_with_space", BOOL),
        4: ("removes_spaces", BOOL),
        5: ("escapes_spaces", BOOL),
    },
)
PIECES = Message(
    "Pieces",
    {
        1: ("pieces", many(_PIECE)),
        2: ("trainer", _TRAINER),
        3: ("normalizer", _NORMALIZER),
        5: ("denormalizer", _NORMALIZER),
    },
)
"""The message of a file. The keys of the dictionaries are names of tfpy."""
UNKNOWN_TEXT = " \u2047 "
"""Text of unknown pieces if a file has none."""
