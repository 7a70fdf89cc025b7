"""Matching and replacing as RE2's `FullMatch`, `Replace` and `GlobalReplace` do."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from tfpy._src.compiler.regex import backtracking
from tfpy._src.compiler.regex.automaton import Automaton, Places
from tfpy._src.compiler.regex.program import compile_match, compile_search
from tfpy._src.compiler.regex.syntax import parse

_REWRITE = re.compile(rb"\\([0-9\\])|(\\.?)|[^\\]+", re.DOTALL)
_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
    rb"|[\x00-\xff]"
)
_Rewrite = list[bytes | int]
"""Literal bytes and numbers of groups."""


@functools.lru_cache(maxsize=256)
def full_match(pattern: str) -> Callable[[bytes], bool]:
    """Return a function that returns True if a whole string matches.

    Raises:
        PatternError: If the pattern is invalid.
    """
    node, _ = parse(pattern)
    automaton = Automaton(compile_match(node))
    quick = backtracking.for_match(node)

    def matches(text: bytes) -> bool:
        if quick and (characters := quick.decoded(text)) is not None:
            return quick.pattern.fullmatch(characters) is not None
        return automaton.run(text, automaton.symbols(text)) is not None

    return matches


@functools.lru_cache(maxsize=256)
def replacer(pattern: str, rewrite: bytes, everywhere: bool) -> Callable[[bytes], bytes]:
    """Return a function that rewrites the first match in a string, or all matches.

    A rewrite with a group that does not exist changes nothing. A rewrite with an unknown escape is
    truncated before the escape; it changes nothing if only the first match is rewritten.

    Raises:
        PatternError: If the pattern is invalid.
    """
    node, groups = parse(pattern)
    parts, whole = _parsed(rewrite)
    named = max((part for part in parts if isinstance(part, int)), default=0)
    if named > groups or not (whole or everywhere):
        return lambda text: text
    automaton = Automaton(compile_search(node, named))
    quick = backtracking.for_search(node, named)
    template = _template(parts)

    def replaced(text: bytes) -> bytes:
        if quick and (characters := quick.decoded(text)) is not None:
            new = quick.pattern.sub(template, characters, 0 if everywhere else 1)
            return new.encode("utf-8", "surrogateescape")
        return _replaced(text, automaton, parts, everywhere)

    return replaced


def _parsed(rewrite: bytes) -> tuple[_Rewrite, bool]:
    """Return the parts up to the first unknown escape, and True if there is none."""
    parts: _Rewrite = []
    for found in _REWRITE.finditer(rewrite):
        if found[2] is not None:
            return parts, False
        escape = found[1]
        parts.append(found[0] if escape is None else b"\\" if escape == b"\\" else int(escape))
    return parts, True


def _template(rewrite: _Rewrite) -> str:
    """Return a rewrite in the syntax of `re`."""
    parts = (rb"\g<%d>" % p if isinstance(p, int) else p.replace(b"\\", rb"\\") for p in rewrite)
    return b"".join(parts).decode("utf-8", "surrogateescape")


def _expanded(text: bytes, places: Places, rewrite: _Rewrite) -> bytes:
    return b"".join(
        text[places[2 * part] : places[2 * part + 1]] if isinstance(part, int) else part
        for part in rewrite
    )


def _replaced(text: bytes, automaton: Automaton, rewrite: _Rewrite, everywhere: bool) -> bytes:
    symbols = automaton.symbols(text)
    out: list[bytes] = []
    at, last = 0, -1
    while at <= len(text) and (places := automaton.run(text, symbols, at)) is not None:
        begin, end = places[:2]
        out.append(text[at:begin])
        at = end
        if begin == end == last:  # an empty match right after a match does not count
            character = _CHARACTER.match(text, at)
            out.append(character[0] if character else b"")
            at += len(out[-1]) or 1
            continue
        out.append(_expanded(text, places, rewrite))
        last = end
        if not everywhere:
            break
    return b"".join([*out, text[at:]])
