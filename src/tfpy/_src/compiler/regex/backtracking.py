"""Python's `re` for patterns and strings with a small worst-case number of steps.

`re` backtracks, which may take as many steps as there are ways to match: 2**n for `(a+)+b`. Here
only parts that match in at most one way may be repeated without limit. Then n characters are
matched in at most `ways` times n to the power of the number of repetitions that are followed by
something.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from tfpy._src.compiler.regex.characters import Ranges
from tfpy._src.compiler.regex.program import nullable
from tfpy._src.compiler.regex.syntax import (
    Assertion,
    CaptureGroup,
    Characters,
    Choice,
    Node,
    Repetition,
    Sequence,
)

_MOST_STEPS = 1_000_000
_MOST_WAYS = 1000
_ASSERTIONS = {
    "text begins": r"\A", "text ends": r"\Z", "line begins": "(?m:^)", "line ends": "(?m:$)",
    "word border": r"\b",
}  # fmt: skip


class Quick(NamedTuple):
    """A pattern for `re`, and the length of strings up to which it is fast."""

    pattern: re.Pattern[str]
    longest: int

    def decoded(self, text: bytes) -> str | None:
        """Return the characters of a string if `re` should process it, else None."""
        if len(text) > self.longest:
            return None
        try:
            return text.decode()
        except UnicodeDecodeError:  # only RE2 processes such bytes
            return None


class _Cost(NamedTuple):
    ways: int = 1
    power: int = 0


class _Unknown(Exception):
    """A part for which `re` may be slow or behaves differently."""


def for_match(node: Node) -> Quick | None:
    """Return a pattern that matches whole strings, if it is known to be fast."""
    return _quick(_ungrouped(node, -1), True)


def for_search(node: Node, groups: int) -> Quick | None:
    """Return a pattern that finds nonempty matches, if it is known to be fast.

    Args:
        groups: Last group with a position that is needed.
    """
    return None if nullable(node) else _quick(_ungrouped(node, groups), False)


def _ungrouped(node: Node, groups: int) -> Node:
    """Return the tree without the groups after the first few."""
    match node:
        case CaptureGroup(number, part):
            inner = _ungrouped(part, groups)
            return CaptureGroup(number, inner) if number <= groups else inner
        case Sequence(parts):
            return Sequence(tuple(_ungrouped(p, groups) for p in parts))
        case Choice(ways):
            return Choice(tuple(_ungrouped(w, groups) for w in ways))
        case Repetition(part, least, most, greedy):
            return Repetition(_ungrouped(part, groups), least, most, greedy)
    return node


def _quick(node: Node, whole: bool) -> Quick | None:
    try:
        cost = _cost(node, whole)
        if cost.ways > _MOST_WAYS:
            return None
        power = max(cost.power, 1) if whole else cost.power + 1
        source = re.compile(_source(node), re.ASCII)
    except (_Unknown, re.error, RecursionError):
        return None
    return Quick(source, int((_MOST_STEPS / cost.ways) ** (1 / power)))


def _cost(node: Node, followed: bool) -> _Cost:
    """Return the cost of trying all ways. `followed`: True if something must follow the node."""
    match node:
        case Characters() | Assertion():
            return _Cost()
        case CaptureGroup(_, part):
            return _cost(part, followed)
        case Sequence(parts):
            total = _Cost()
            for part in reversed(parts):
                cost = _cost(part, followed)
                total = _Cost(total.ways * cost.ways, total.power + cost.power)
                followed = followed or not _optional(part)
            return total
        case Choice(ways):
            costs = [_cost(way, followed) for way in ways]
            return _Cost(sum(c.ways for c in costs), max(c.power for c in costs))
        case Repetition(part, _, None, _) if _in_one_way(part):
            return _Cost(power=int(followed))
        case Repetition(part, least, most, _) if most is not None and not _keeps(part):
            cost = _cost(part, True)
            if nullable(part) or (cost.ways > 1 and most > 10):
                raise _Unknown
            ways = sum(cost.ways**times for times in range(least, most + 1))
            return _Cost(ways, cost.power * most)
    raise _Unknown


def _in_one_way(node: Node) -> bool:
    """Return True if each character alone determines how a part continues."""
    ways = [_begin(way) for way in (node.ways if isinstance(node, Choice) else [node])]
    edges = sorted(edge for way in ways for edge in way)
    return all(ways) and all(a[1] < b[0] for a, b in pairwise(edges))


def _begin(node: Node) -> Ranges:
    """Return the set of first characters of a string of fixed length, or () for other nodes."""
    match node:
        case Characters(ranges):
            return ranges
        case Sequence((Characters(ranges), *rest)) if all(isinstance(r, Characters) for r in rest):
            return ranges
    return ()


def _optional(node: Node) -> bool:
    return isinstance(node, Repetition) and node.least == 0


def _keeps(node: Node) -> bool:
    """Return True if a node contains groups. `re` treats repeated groups differently."""
    match node:
        case CaptureGroup():
            return True
        case Sequence(inner) | Choice(inner):
            return any(map(_keeps, inner))
        case Repetition(part, _, _, _):
            return _keeps(part)
    return False


def _source(node: Node) -> str:
    match node:
        case Characters(ranges):
            inside = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
            return f"[{inside}]" if inside else "(?!)"
        case Assertion(kind) if kind in _ASSERTIONS:
            return _ASSERTIONS[kind]
        case CaptureGroup(_, part):
            return f"({_source(part)})"
        case Sequence(parts):
            return "".join(map(_source, parts))
        case Choice(ways):
            return f"(?:{'|'.join(map(_source, ways))})"
        case Repetition(part, least, most, greedy):
            times = f"{{{least},{'' if most is None else most}}}{'' if greedy else '?'}"
            return f"(?:{_source(part)}){times}"
        case _:
            raise _Unknown
