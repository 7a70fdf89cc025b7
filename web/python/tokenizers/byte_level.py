"""The characters that stand for bytes in the vocabularies of GPT-2 and later models."""

_VISIBLE = (*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), 256))
_OTHERS = sorted(set(range(256)) - set(_VISIBLE))
CHARACTERS = {**{b: chr(b) for b in _VISIBLE}, **{b: chr(256 + n) for n, b in enumerate(_OTHERS)}}
"""Characters by byte. Bytes without a visible character have those from U+0100."""
BYTES = {character: byte for byte, character in CHARACTERS.items()}
