"""Surroundings of a call: compiled loops, conditionals, open sizes and assigned Variables."""

from __future__ import annotations

from typing import NamedTuple

from .programs import Call, Ref, filled
from .templates import Drawn, Word
from .values import Rng, choose

ROWS = (0, 1, 2, 3)
"""Possible numbers of rows of a loop."""


class Surrounding(NamedTuple):
    """A function of ``helpers`` that calls the function passed to it."""

    name: str
    of_rows: bool
    """True if the function is called with each row of the first operand."""

    def words(self, rng: Rng, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """Return the operands that the surrounded call needs."""
        if not self.of_rows:
            return words
        first = words[0]._replace(dims=(choose(rng, ROWS), *words[0].dims))
        return (first, *words[1:])

    def call(self, drawn: Drawn, operands: tuple[Ref, ...]) -> Call:
        """Return the call in its surroundings."""
        names = [f"x{i}" for i in range(len(operands))]
        read = ", ".join(f"${i}" for i in range(len(operands)))
        text = f"{self.name}(lambda {', '.join(names)}: {filled(drawn.text, names)}, {read})"
        return Call(f"{self.name} {drawn.name}", text, operands)


SURROUNDINGS = (
    Surrounding("mapped", of_rows=True),
    Surrounding("vectorized", of_rows=True),
    Surrounding("looped", of_rows=True),
    Surrounding("guarded", of_rows=False),
    Surrounding("opened", of_rows=False),
    Surrounding("assigned", of_rows=False),
)


def unsurrounded(name: str) -> str:
    """Return the name of the function that a call of a surrounding calls."""
    first, _, rest = name.partition(" ")
    return rest if any(first == s.name for s in SURROUNDINGS) else name
