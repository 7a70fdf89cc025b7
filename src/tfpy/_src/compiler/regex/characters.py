"""Sets of characters, as sorted ranges of code points that do not touch."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable
from itertools import pairwise

Ranges = tuple[tuple[int, int], ...]
"""First and last code point of each range."""

ANY: Ranges = ((0, sys.maxunicode),)
_DIGIT: Ranges = ((0x30, 0x39),)
_UPPER: Ranges = ((0x41, 0x5A),)
_LOWER: Ranges = ((0x61, 0x7A),)
_WORD: Ranges = (*_DIGIT, *_UPPER, (0x5F, 0x5F), *_LOWER)
PERL: dict[str, Ranges] = {
    "d": _DIGIT,
    "s": ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)),
    "w": _WORD,
}
POSIX: dict[str, Ranges] = {
    "alnum": (*_DIGIT, *_UPPER, *_LOWER),
    "alpha": (*_UPPER, *_LOWER),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": _DIGIT,
    "graph": ((0x21, 0x7E),),
    "lower": _LOWER,
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": _UPPER,
    "word": _WORD,
    "xdigit": (*_DIGIT, (0x41, 0x46), (0x61, 0x66)),
}
_CATEGORIES = (
    "C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So "
    "Z Zl Zp Zs"
)


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of ranges in any order."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return tuple(out)


def negated(ranges: Ranges) -> Ranges:
    """Return all other code points."""
    ends = ((-1, -1), *ranges, (sys.maxunicode + 1, sys.maxunicode + 1))
    gaps = ((a[1] + 1, b[0] - 1) for a, b in pairwise(ends))
    return tuple((low, high) for low, high in gaps if low <= high)


def _fold(c: str) -> str:
    """Return Unicode's simple case folding of one character."""
    folded = c.casefold()
    return folded if len(folded) == 1 else c.lower() if len(c.lower()) == 1 else c


@functools.cache
def _cases() -> dict[int, tuple[int, ...]]:
    """Map each letter that has other cases to them."""
    alike: dict[str, list[int]] = {}
    for code in range(0x1F000):  # scripts beyond have no cases
        c = chr(code)
        if (folded := _fold(c)) != c:
            alike.setdefault(folded, [ord(folded)]).append(code)
    return {a: tuple(b for b in codes if b != a) for codes in alike.values() for a in codes}


def folded(ranges: Ranges) -> Ranges:
    """Return the set with the other cases of its letters."""
    cases = _cases()
    within = (c for low, high in ranges for c in cases if low <= c <= high)
    return union([*ranges, *((other, other) for c in within for other in cases[c])])


@functools.cache
def category(name: str) -> Ranges | None:
    """Return the set of a Unicode general category ("L", "Lu") or of "Any", or None if unknown."""
    if name == "Any":
        return ANY
    if name not in _CATEGORIES.split():
        return None
    import unicodedata  # slow to load and rarely needed

    of = unicodedata.category
    return union(
        (code, code)
        for code in range(sys.maxunicode + 1)
        if (found := of(chr(code))).startswith(name) and found != "Cn"
    )
