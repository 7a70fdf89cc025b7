"""Digests of bytes."""

from __future__ import annotations


def sha384(data: bytes) -> bytes:
    """Return the SHA-384 digest."""
    import hashlib  # few programs need it

    return hashlib.sha384(data).digest()
