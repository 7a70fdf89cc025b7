"""The numbers in the names of variable scopes."""

from __future__ import annotations

import itertools


class ScopeCounts:
    """The number of times that variable scopes were entered, by their names."""

    def __init__(self) -> None:
        self._entered: dict[str, int] = {}

    def add(self, full: str) -> None:
        """Count a scope.

        Args:
            full: Name of the scope with its prefix.
        """
        self._entered[full] = self._entered.get(full, 0) + 1

    def close(self, full: str) -> None:
        """Let the scopes inside a scope be counted from zero again.

        Args:
            full: Name of the scope with its prefix.
        """
        for inner in [name for name in self._entered if name.startswith(f"{full}/")]:
            self._entered[inner] = 0

    def unused(self, lead: str, name: str) -> str:
        """Return a name that no scope has, with a number appended if necessary.

        Args:
            lead: Prefix of the name.
            name: Default name.
        """
        numbered = (f"{name}_{number}" for number in itertools.count(1))
        names = itertools.chain([name], numbered)
        return next(n for n in names if not self._entered.get(lead + n))

    def next_name(self, name: str) -> str:
        """Count a scope with a default name, and return the name with the number that it gets."""
        found = self.unused("", name)
        self.add(found)
        return found

    def copy(self) -> ScopeCounts:
        """Return a copy, which later scopes do not change."""
        found = ScopeCounts()
        found._entered.update(self._entered)
        return found
