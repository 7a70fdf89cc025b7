"""The parser of RE2's regular expressions (https://github.com/google/re2/wiki/Syntax)."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from tfpy._src.compiler.regex import characters
from tfpy._src.compiler.regex.characters import Ranges

_MOST_COPIES = 1000
_MOST_NESTED = 200
_PLAIN_ESCAPES = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ASSERTIONS = {"A": "text begins", "z": "text ends", "b": "word border", "B": "no word border"}
_COUNT = re.compile(r"\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}", re.ASCII)
_GROUP = re.compile(r"\(\?(?:P<(?P<name>\w+)>|(?P<on>[imsU]*)(?P<off>-[imsU]+)?(?P<end>[:)]))")
_NAME = re.compile(r"\(\?P<[^>]*>?")
_OCTAL = re.compile(r"\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2})")
_HEX = re.compile(r"\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})")
_CATEGORY = re.compile(r"\\[pP](?:\{(\^?)([^}]*)\}|(.))", re.DOTALL)
_POSIX = re.compile(r"\[:(\^?)(.*?):\]", re.DOTALL)


class PatternError(ValueError):
    """The error of a pattern that RE2 rejects."""


class Characters(NamedTuple):
    """One character of a set."""

    ranges: Ranges


class AnyByte(NamedTuple):
    """Any byte."""


class Assertion(NamedTuple):
    """The empty string at positions of a kind."""

    kind: str


class Sequence(NamedTuple):
    """A concatenation of parts."""

    parts: tuple[Node, ...]


class Choice(NamedTuple):
    """Alternatives; the first one that leads to a match is preferred."""

    ways: tuple[Node, ...]


class Repetition(NamedTuple):
    """A part repeated `least` to `most` times (None: no limit), as often as possible if greedy."""

    part: Node
    least: int
    most: int | None
    greedy: bool


class CaptureGroup(NamedTuple):
    """A part with a stored position."""

    number: int
    part: Node


Node = Characters | AnyByte | Assertion | Sequence | Choice | Repetition | CaptureGroup


class _Open:
    """The nodes since an opening parenthesis."""

    def __init__(self, number: int | None, flags: frozenset[str]) -> None:
        self.number = number  # None for groups without stored position
        self.flags = flags  # flags outside, which are restored after the group
        self.ways: list[Node] = []
        self.parts: list[Node] = []

    def next_way(self) -> None:
        self.ways.append(self.parts[0] if len(self.parts) == 1 else Sequence(tuple(self.parts)))
        self.parts = []

    def close(self) -> Node:
        self.next_way()
        inner = self.ways[0] if len(self.ways) == 1 else Choice(tuple(self.ways))
        return inner if self.number is None else CaptureGroup(self.number, inner)


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags: frozenset[str] = frozenset()
        self.groups = 0
        self.stack = [_Open(None, self.flags)]

    def fail(self, reason: str, part: str = "") -> NoReturn:
        raise PatternError(f"{reason}: {part}" if part else reason)

    def starts(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def taken(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of an expression at the current position, and skip it."""
        found = expression.match(self.pattern, self.at)
        if found:
            self.at = found.end()
        return found

    def put(self, node: Node) -> None:
        self.stack[-1].parts.append(node)

    def character(self, code: int) -> None:
        self.put(Characters(self.cased(((code, code),))))

    def cased(self, ranges: Ranges) -> Ranges:
        return characters.folded(ranges) if "i" in self.flags else ranges

    def parse(self) -> Node:
        repeated = -1  # start of the last repetition, if it ends here
        while self.at < len(self.pattern):
            begin = self.at
            if self.repetition(repeated):
                repeated = begin
                continue
            repeated = -1
            self.item()
        if len(self.stack) > 1:
            self.fail("missing )", self.pattern)
        return self.stack.pop().close()

    def item(self) -> None:
        c = self.pattern[self.at]
        if c == "(":
            self.open()
        elif c == "\\":
            self.escaped()
        elif c == "[":
            self.put(Characters(self.bracket()))
        else:
            self.at += 1
            if c == ")":
                self.shut()
            elif c == "|":
                self.stack[-1].next_way()
            elif c == "^":
                self.put(Assertion("line begins" if "m" in self.flags else "text begins"))
            elif c == "$":
                self.put(Assertion("line ends" if "m" in self.flags else "text ends"))
            elif c == ".":
                newline = () if "s" in self.flags else ((10, 10),)
                self.put(Characters(characters.negated(newline)))
            else:
                self.character(ord(c))

    # Groups and repetition

    def open(self) -> None:
        if len(self.stack) > _MOST_NESTED:
            self.fail("groups are nested too deeply", f"{_MOST_NESTED} is the most")
        if not self.starts("(?"):
            self.at += 1
            self.kept()
            return
        begin = self.at
        found = self.taken(_GROUP)
        if not found:
            if bad := self.taken(_NAME):
                self.fail("invalid named capture group", bad[0])
            self.fail("invalid perl operator", self.pattern[begin : begin + 3])
        if found["name"]:
            self.kept()
            return
        outside = self.flags
        self.flags = (outside | set(found["on"])) - set(found["off"] or "")
        if found["end"] == ":":
            self.stack.append(_Open(None, outside))

    def kept(self) -> None:
        self.groups += 1
        self.stack.append(_Open(self.groups, self.flags))

    def shut(self) -> None:
        if len(self.stack) == 1:
            self.fail("unexpected )", self.pattern)
        group = self.stack.pop()
        self.flags = group.flags
        self.put(group.close())

    def repetition(self, repeated: int) -> bool:
        """Apply `*`, `+`, `?` or a count at the current position to the last item.

        Returns:
            True if there is one.
        """
        begin = self.at
        if self.pattern[begin] in "*+?":
            self.at += 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[self.pattern[begin]]
        elif found := self.taken(_COUNT):
            least = int(found[1])
            most = (int(found[3]) if found[3] else None) if found[2] else least
        else:
            return False
        lazy = self.at < len(self.pattern) and self.pattern[self.at] == "?"
        self.at += lazy
        written = self.pattern[begin : self.at]
        if repeated >= 0:
            self.fail("bad repetition operator", self.pattern[repeated : self.at])
        if max(least, most or 0) > _MOST_COPIES or (most is not None and most < least):
            self.fail("invalid repetition size", written)
        if not self.stack[-1].parts:
            self.fail("no argument for repetition operator", written)
        part = self.stack[-1].parts.pop()
        self.put(Repetition(part, least, most, lazy == ("U" in self.flags)))
        if copies(self.stack[-1].parts[-1]) > _MOST_COPIES:
            self.fail("invalid repetition size", written)
        return True

    # Escapes

    def escaped(self) -> None:
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in ("A", "z", "b", "B"):
            self.at += 2
            self.put(Assertion(_ASSERTIONS[letter]))
        elif letter == "C":
            self.at += 2
            self.put(AnyByte())
        elif letter == "Q":
            end = self.pattern.find("\\E", self.at)
            stop = len(self.pattern) if end < 0 else end
            for c in self.pattern[self.at + 2 : stop]:
                self.character(ord(c))
            self.at = stop + 2 * (end >= 0)
        elif (named := self.named_set()) is not None:
            self.put(Characters(named))
        else:
            self.character(self.escape())

    def named_set(self) -> Ranges | None:
        r"""Return the set of ``\d``, ``\pL`` and the like at the current position, or None."""
        letter = self.pattern[self.at + 1 : self.at + 2]
        begin = self.at
        found: Ranges | None
        if letter and letter in "dswDSW":
            self.at += 2
            found, negative = characters.PERL[letter.lower()], letter.isupper()
        elif letter and letter in "pP":
            match = self.taken(_CATEGORY)
            found = characters.category(match[2] or match[3] or "") if match else None
            negative = match is not None and (letter == "P") != bool(match[1])
        else:
            return None
        if found is None:
            end = self.at if self.at > begin else len(self.pattern)
            self.fail("invalid character class range", self.pattern[begin:end])
        return self.signed(found, negative)

    def signed(self, ranges: Ranges, negative: bool) -> Ranges:
        return characters.negated(self.cased(ranges)) if negative else self.cased(ranges)

    def escape(self) -> int:
        """Return the character of an escape sequence."""
        begin = self.at
        c = self.pattern[begin + 1 : begin + 2]
        if not c:
            self.fail("trailing \\")
        if found := self.taken(_OCTAL):
            return int(found[0][1:], 8)
        if found := self.taken(_HEX):
            code = int(found[1] or found[2], 16)
            if code <= characters.ANY[0][1]:
                return code
        elif c in _PLAIN_ESCAPES:
            self.at += 2
            return _PLAIN_ESCAPES[c]
        elif c.isascii() and not c.isalnum():
            self.at += 2
            return ord(c)
        self.fail("invalid escape sequence", self.pattern[begin : max(self.at, begin + 2)])

    # Sets

    def bracket(self) -> Ranges:
        begin = self.at
        self.at += 1
        negative = self.starts("^")
        self.at += negative
        first, found = True, list[tuple[int, int]]()
        while first or not self.starts("]"):
            if self.at >= len(self.pattern):
                self.fail("missing ]", self.pattern[begin:])
            found += self.member(begin)
            first = False
        self.at += 1
        ranges = characters.union(found)
        return characters.negated(ranges) if negative else ranges

    def member(self, begin: int) -> Ranges:
        """Return a named set, a range or a single character within brackets."""
        if found := self.taken(_POSIX):
            if found[2] not in characters.POSIX:
                self.fail("invalid character class range", found[0])
            return self.signed(characters.POSIX[found[2]], bool(found[1]))
        if self.starts("\\") and (named := self.named_set()) is not None:
            return named
        start = self.at
        low = high = self.single(begin)
        if self.starts("-") and not self.starts("-]") and self.at + 1 < len(self.pattern):
            self.at += 1
            high = self.single(begin)
            if high < low:
                self.fail("invalid character class range", self.pattern[start : self.at])
        return self.cased(((low, high),))

    def single(self, begin: int) -> int:
        if self.at >= len(self.pattern):
            self.fail("missing ]", self.pattern[begin:])
        if self.starts("\\"):
            return self.escape()
        self.at += 1
        return ord(self.pattern[self.at - 1])


def copies(node: Node) -> int:
    """Return how often the innermost part of nested repetitions is repeated by counts."""
    if isinstance(node, Repetition):
        times = node.least if node.most is None else node.most
        return max(times, 1) * copies(node.part)
    if isinstance(node, CaptureGroup):
        return copies(node.part)
    if isinstance(node, Sequence | Choice):
        return max(map(copies, node[0]), default=1)
    return 1


def parse(pattern: str) -> tuple[Node, int]:
    """Return the tree of a pattern and the number of its groups.

    Raises:
        PatternError: If RE2 rejects the pattern.
    """
    if any("\ud800" <= c <= "\udfff" for c in pattern):
        raise PatternError("invalid UTF-8")
    parser = _Parser(pattern)
    return parser.parse(), parser.groups
