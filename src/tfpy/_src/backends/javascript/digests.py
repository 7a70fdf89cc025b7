"""Digests of bytes."""

from __future__ import annotations


def sha384(data: bytes) -> bytes:
    """The SHA-384 digest."""
    import hashlib  # which few programs need

    return hashlib.sha384(data).digest()
