"""The operations of TensorFlow that are left out, and why: patterns of names, one reason each."""

from __future__ import annotations

import re

ABSENT: dict[str, str] = {}


def reason(name: str) -> str:
    """Why there is no operation of that name."""
    for pattern, text in ABSENT.items():
        if re.fullmatch(pattern, name):
            return text
    return "not known"
