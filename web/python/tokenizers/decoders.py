"""Decoders, which join tokens."""

from collections.abc import Sequence

from .byte_level import BYTES


class ByteLevel:
    """A decoder of tokens whose characters stand for bytes."""

    def decode(self, tokens: Sequence[str]) -> str:
        """Return the text. U+FFFD takes the place of bytes that are not UTF-8."""
        return b"".join(map(_bytes, tokens)).decode("utf-8", "replace")


def _bytes(token: str) -> bytes:
    try:
        return bytes([BYTES[character] for character in token])
    except KeyError:  # a token that was added as text
        return token.encode()
