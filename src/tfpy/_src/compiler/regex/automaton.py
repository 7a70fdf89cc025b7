"""An automaton that runs programs over strings by simulating all threads, with cached steps.

A state is the threads of a program in the order of preference. A symbol is a set of bytes that no
part of the pattern distinguishes. The step of a state by a symbol is computed when it first occurs,
so the time is proportional to the length of the string, mostly for one look-up per byte. Each step
records the origin of each thread and the positions that it stores, so groups are found along the
way. See https://swtch.com/~rsc/regexp/regexp2.html and
https://laurikari.net/ville/spire2000-tnfa.pdf.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tfpy._src.compiler.regex.program import Check, Fork, Read, RegexProgram, Save

_MOST_STATES = 2000
_WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_NEWLINE = 10
_Origin = tuple[int, tuple[int, ...]]
"""The number of the thread before a step, and the slots in which the position is stored."""
Places = tuple[int, ...]
"""The position in each slot, or -1."""


class _Side(NamedTuple):
    """The context on one side of a position, as seen by assertions."""

    edge: bool = False  # edge of the string
    newline: bool = False
    word: bool = False


def _holds(kind: str, before: _Side, after: _Side) -> bool:
    match kind:
        case "text begins":
            return before.edge
        case "text ends":
            return after.edge
        case "line begins":
            return before.edge or before.newline
        case "line ends":
            return after.edge or after.newline
        case _:
            return (before.word != after.word) == (kind == "word border")


class _Step:
    """The transition of a state by a symbol."""

    __slots__ = ("found", "moves", "next", "other")

    def __init__(
        self, following: _State | None, moves: tuple[_Origin, ...] | None, found: _Origin | None
    ) -> None:
        self.next = following  # None if no thread is left
        self.moves = moves  # origin of each thread; None if nothing changes
        self.found = found  # origin of the match that ends before the symbol
        self.other: re.Pattern[bytes] | None = None  # matches bytes with other steps


class _State:
    """The threads, and the context before the position."""

    __slots__ = ("before", "steps", "threads")

    def __init__(self, threads: tuple[int, ...], before: _Side, symbols: int) -> None:
        self.threads = threads
        self.before = before
        self.steps: list[_Step | None] = [None] * symbols


class Automaton:
    """A program with its cached states."""

    def __init__(self, program: RegexProgram) -> None:
        self._program = program
        self._looks = any(isinstance(s, Check) for s in program.states)
        self._table, self._samples = self._symbols()
        self._end = len(self._samples)
        self._states: dict[tuple[tuple[int, ...], _Side], _State] = {}
        self._nothing: list[Places] = [(-1,) * program.slots]

    def _symbols(self) -> tuple[bytes, list[int]]:
        """Return the symbol of each byte, and one byte of each symbol."""
        borders = {0}
        for state in self._program.states:
            if isinstance(state, Read):
                borders.update(b for low, high, _ in state.edges for b in (low, high + 1))
        if self._looks:
            borders.update((_NEWLINE, _NEWLINE + 1))
            borders.update(b for b in range(1, 256) if (b in _WORD) != (b - 1 in _WORD))
        samples = sorted(borders - {256})
        counts = [b in borders for b in range(256)]
        return bytes(sum(counts[: b + 1]) - 1 for b in range(256)), samples

    def symbols(self, text: bytes) -> list[int]:
        """Return the symbol of each byte of a string, and of its end."""
        return [*text.translate(self._table), self._end]

    def run(self, text: bytes, symbols: list[int], at: int = 0) -> Places | None:
        """Return the stored positions of the preferred match from a position on, or None."""
        state: _State | None = self._state((self._program.start,), self._side(text, at))
        kept = self._nothing
        found: Places | None = None
        last: _Step | None = None
        while state is not None:
            step = state.steps[symbols[at]] or self._step(state, symbols[at])
            if step is last and step.next is state:  # skip to the last byte of this kind
                if step.other is None:
                    step.other = self._others(state, step)
                end = step.other.search(text, at + 1)
                at = end.start() - 1 if end else len(text) - 1
            if step.found:
                found = _kept(kept, step.found, at)
            if step.moves is not None:
                kept = [kept[t] if not s else _kept(kept, (t, s), at) for t, s in step.moves]
            state, last, at = step.next, step, at + 1
        return found

    def _side(self, text: bytes, at: int) -> _Side:
        if not self._looks:
            return _Side()
        return _Side(edge=True) if at == 0 else _side_of(text[at - 1])

    def _state(self, threads: tuple[int, ...], before: _Side) -> _State:
        key = (threads, before)
        if key not in self._states:
            if len(self._states) >= _MOST_STATES:
                self._states.clear()
            self._states[key] = _State(threads, before, self._end + 1)
        return self._states[key]

    def _step(self, state: _State, symbol: int) -> _Step:
        byte = self._samples[symbol] if symbol < self._end else -1
        after = _Side(edge=True) if byte < 0 else _side_of(byte)
        threads: dict[int, _Origin] = {}
        found = self._advance(state, byte, after, threads)
        following = None
        if threads:
            following = self._state(tuple(threads), after if self._looks else _Side())
        moves: tuple[_Origin, ...] | None = tuple(threads.values())
        if not self._program.slots:
            moves, found = None, found and (0, ())
        elif moves == tuple((i, ()) for i in range(len(state.threads))):
            moves = None
        step = _Step(following, moves, found)
        step = next((other for other in state.steps if other and _same(other, step)), step)
        state.steps[symbol] = step
        return step

    def _advance(
        self, state: _State, byte: int, after: _Side, threads: dict[int, _Origin]
    ) -> _Origin | None:
        """Move all threads over a byte.

        Return the origin of a match, which ends the threads after it.
        """
        states = self._program.states
        visited = set[int]()
        for thread, begin in enumerate(state.threads):
            stack: list[tuple[int, tuple[int, ...]]] = [(begin, ())]
            while stack:
                at, slots = stack.pop()
                if at in visited:
                    continue
                visited.add(at)
                match states[at]:
                    case Read(edges):
                        for low, high, target in edges:
                            if low <= byte <= high:
                                threads.setdefault(target, (thread, slots))
                    case Fork(first, second):
                        stack += [(second, slots), (first, slots)]
                    case Save(slot, target):
                        stack.append((target, (*slots, slot)))
                    case Check(kind, target):
                        if _holds(kind, state.before, after):
                            stack.append((target, slots))
                    case None:
                        return thread, slots
        return None

    def _others(self, state: _State, step: _Step) -> re.Pattern[bytes]:
        """Return a pattern of the next byte that does not repeat `step`.

        The pattern matches any byte if the step must not be repeated.
        """
        alike = {
            symbol
            for symbol in range(self._end)
            if (state.steps[symbol] or self._step(state, symbol)) is step
        }
        if not _repeatable(step.moves):
            alike = set()
        others = [b for b in range(256) if self._table[b] not in alike]
        inside = b"".join(b"\\x%02x" % b for b in others)
        return re.compile(b"[%b]" % inside if inside else b"(?!)")


def _side_of(byte: int) -> _Side:
    return _Side(newline=byte == _NEWLINE, word=byte in _WORD)


def _kept(kept: list[Places], origin: _Origin, at: int) -> Places:
    thread, slots = origin
    if not slots:
        return kept[thread]
    places = list(kept[thread])
    for slot in slots:
        places[slot] = at
    return tuple(places)


def _same(a: _Step, b: _Step) -> bool:
    return a.next is b.next and a.moves == b.moves and a.found == b.found


def _repeatable(moves: tuple[_Origin, ...] | None) -> bool:
    """Return True if applying the moves at the last position equals applying them at each."""
    return moves is None or all(
        moves[thread][0] == thread and set(moves[thread][1]) <= set(slots)
        for thread, slots in moves
    )
