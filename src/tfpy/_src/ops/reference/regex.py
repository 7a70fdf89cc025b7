"""Regular expressions as TensorFlow means them (RE2's syntax on UTF-8), by Python's ``re``."""

from __future__ import annotations

import functools
import re
import sys

from tfpy._src.errors import invalid_value

_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": r"!-/:-@\[-`{-~", "space": r"\t\n\v\f\r ", "upper": "A-Z", "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_TOKEN = re.compile(
    r"\\p\{(?P<long>\w+)\}|\\p(?P<short>\w)|\[:(?P<posix>\w+):\]|(?P<escape>\\.)|(?P<other>.)",
    re.DOTALL,
)


@functools.cache
def _category(name: str) -> str:
    """The inside of a character class for a Unicode general category ("L", "Lu")."""
    import unicodedata  # takes long to load, and is seldom wanted

    runs: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)).startswith(name):
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in runs)


def _translated(pattern: str) -> str:
    """RE2's syntax in Python's: Unicode categories, POSIX classes, ``$`` and ``\\z`` at the end."""
    out: list[str] = []
    inside = False
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        name = token["long"] or token["short"]
        if name:
            text = _category(name) if inside else f"[{_category(name)}]"
        elif token["posix"]:
            text = _POSIX.get(token["posix"], text) if inside else text
        elif token["escape"]:
            text = r"\Z" if text == r"\z" else text
        elif inside:
            inside = text != "]" or out[-1] in ("[", "^")
            text = r"\[" if text == "[" else text
        elif text == "[":
            inside = True
        elif text == "$":
            text = r"\Z"
        out.append(text)
    return "".join(out)


@functools.lru_cache(maxsize=256)
def compiled(op: str, pattern: str) -> re.Pattern[str]:
    """The pattern for Python.

    Raises:
        InvalidArgumentError: when the pattern is none.
    """
    try:
        return re.compile(_translated(pattern), re.ASCII)
    except re.error as error:
        raise invalid_value(op, f"Invalid pattern: {pattern}, error: {error}") from None


def as_text(s: bytes) -> str:
    """Bytes that are not UTF-8 become lone surrogates, which no pattern of characters names."""
    return s.decode("utf-8", "surrogateescape")


def as_bytes(s: str) -> bytes:
    return s.encode("utf-8", "surrogateescape")


def _expanded(found: re.Match[str], rewrite: str) -> str:
    def part(escape: re.Match[str]) -> str:
        return "\\" if escape[1] == "\\" else found[int(escape[1])] or ""

    return re.sub(r"\\(\d|\\)", part, rewrite)


def _rewrites(rewrite: str, pattern: re.Pattern[str]) -> bool:
    """Whether every group that the rewrite names is in the pattern."""
    escapes = re.findall(r"\\(.?)", rewrite.replace("\\\\", ""))
    return all(e.isdigit() and int(e) <= pattern.groups for e in escapes)


def replace(s: bytes, pattern: re.Pattern[str], rewrite: str, everywhere: bool) -> bytes:
    """``s`` with the matches rewritten; an empty match right after another one does not count."""
    if not _rewrites(rewrite, pattern):
        return s
    text, out, at, last = as_text(s), [], 0, -1
    for found in pattern.finditer(text):
        if found.end() == last and found.start() == found.end():
            continue
        out += [text[at : found.start()], _expanded(found, rewrite)]
        at = last = found.end()
        if not everywhere:
            break
    return as_bytes("".join([*out, text[at:]]))
