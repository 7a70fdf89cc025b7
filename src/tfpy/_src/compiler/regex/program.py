"""The compilation of a pattern's tree to a nondeterministic automaton over UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from tfpy._src.compiler.regex.syntax import (
    AnyByte,
    Assertion,
    CaptureGroup,
    Characters,
    Choice,
    Node,
    PatternError,
    Repetition,
    Sequence,
)

_MOST_STATES = 50_000
_LAST_OF_LENGTH = (0x7F, 0x7FF, 0xFFFF)
_Bytes = tuple[tuple[int, int], ...]
MATCH = 0
"""State that is reached when the whole pattern has matched."""


class Read(NamedTuple):
    """A state that reads one byte: first and last of a range, and the next state."""

    edges: tuple[tuple[int, int, int], ...]


class Fork(NamedTuple):
    """A state that continues both ways. The first one is preferred."""

    first: int
    second: int


class Save(NamedTuple):
    """A state that stores the position."""

    slot: int
    next: int


class Check(NamedTuple):
    """A state that continues only at positions of a kind."""

    kind: str
    next: int


class RegexProgram(NamedTuple):
    """The automaton. Slots 2n and 2n + 1 store the positions of group n."""

    states: tuple[Read | Fork | Save | Check | None, ...]
    start: int
    slots: int


def spelled(low: int, high: int) -> Iterator[_Bytes]:
    """Yield the UTF-8 encodings of a range of code points: a range of bytes at each position."""
    for last in _LAST_OF_LENGTH:
        if low <= last < high:
            yield from spelled(low, last)
            yield from spelled(last + 1, high)
            return
    if high > _LAST_OF_LENGTH[0]:
        for bits in (6, 12, 18):
            inner = (1 << bits) - 1
            if low | inner < high and low & inner:
                yield from spelled(low, low | inner)
                yield from spelled((low | inner) + 1, high)
                return
            if low | inner < high and high & inner != inner:
                yield from spelled(low, (high & ~inner) - 1)
                yield from spelled(high & ~inner, high)
                return
    ends = (chr(c).encode("utf-8", "surrogatepass") for c in (low, high))
    yield tuple(zip(*ends, strict=True))


class _Builder:
    """A builder that works from the end: each part receives the state that follows it."""

    def __init__(self, groups: int) -> None:
        self.groups = groups  # groups with stored positions
        self.states: list[Read | Fork | Save | Check | None] = [None]
        self.known: dict[Read, int] = {}

    def add(self, state: Read | Fork | Save | Check | None) -> int:
        if len(self.states) >= _MOST_STATES:
            raise PatternError("pattern too large - compile failed")
        self.states.append(state)
        return len(self.states) - 1

    def read(self, *edges: tuple[int, int, int]) -> int:
        state = Read(edges)
        if state not in self.known:
            self.known[state] = self.add(state)
        return self.known[state]

    def spell(self, spellings: list[_Bytes], then: int) -> int:
        """Add a tree of bytes. Encodings begin with equal or disjoint ranges."""
        edges = []
        for (low, high), alike in groupby(spellings, lambda s: s[0]):
            rest = [s[1:] for s in alike]
            edges.append((low, high, self.spell(rest, then) if rest[0] else then))
        return self.read(*edges)

    def node(self, node: Node, then: int) -> int:
        match node:
            case Characters(ranges):
                return self.spell([s for r in ranges for s in spelled(*r)], then)
            case AnyByte():
                return self.read((0, 255, then))
            case Assertion(kind):
                return self.add(Check(kind, then))
            case Sequence(parts):
                for part in reversed(parts):
                    then = self.node(part, then)
                return then
            case Choice(ways):
                return self.choice([self.node(way, then) for way in ways])
            case CaptureGroup(number, part):
                if number > self.groups:
                    return self.node(part, then)
                end = self.add(Save(2 * number + 1, then))
                return self.add(Save(2 * number, self.node(part, end)))
            case Repetition():
                return self.repetition(node, then)

    def choice(self, ways: list[int]) -> int:
        last = ways[-1]
        for way in reversed(ways[:-1]):
            last = self.add(Fork(way, last))
        return last

    def repetition(self, node: Repetition, then: int) -> int:
        part, least, most, greedy = node
        if nullable(part):  # repeating an empty match has no effect
            least, most = min(least, 1), None if most is None else min(most, max(least, 1))
        if most is None:
            then, least = self.loop(part, then, greedy, least == 0), max(least - 1, 0)
        else:
            end = then
            for _ in range(most - least):
                then = self.fork(self.node(part, then), end, greedy)
        for _ in range(least):
            then = self.node(part, then)
        return then

    def loop(self, part: Node, then: int, greedy: bool, skipped: bool) -> int:
        """Add a loop that runs once or more often, or not at all if it may be skipped."""
        again = self.add(None)
        entry = self.node(part, again)
        self.states[again] = self.ordered(entry, then, greedy)
        if not skipped:
            return entry
        # A part that may be empty is left after one empty round, and not before it.
        return self.fork(entry, then, greedy) if nullable(part) else again

    def ordered(self, inner: int, out: int, greedy: bool) -> Fork:
        return Fork(inner, out) if greedy else Fork(out, inner)

    def fork(self, inner: int, out: int, greedy: bool) -> int:
        return self.add(self.ordered(inner, out, greedy))


def nullable(node: Node) -> bool:
    """Return True if a part can match the empty string."""
    match node:
        case Characters() | AnyByte():
            return False
        case Assertion():
            return True
        case Sequence(parts):
            return all(map(nullable, parts))
        case Choice(ways):
            return any(map(nullable, ways))
        case CaptureGroup(_, part):
            return nullable(part)
        case Repetition(part, least, _, _):
            return least == 0 or nullable(part)


def compile_match(node: Node) -> RegexProgram:
    """Return the program that reaches MATCH at the end of strings that match as a whole."""
    builder = _Builder(-1)
    start = builder.node(Sequence((node, Assertion("text ends"))), MATCH)
    return RegexProgram(tuple(builder.states), start, 0)


def compile_search(node: Node, groups: int) -> RegexProgram:
    """Return the program that finds the pattern anywhere and stores the first groups' positions."""
    builder = _Builder(groups)
    found = builder.node(CaptureGroup(0, node), MATCH)
    start = builder.add(None)
    builder.states[start] = Fork(found, builder.read((0, 255, start)))
    return RegexProgram(tuple(builder.states), start, 2 * groups + 2)
