"""The libraries of libraries.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("libraries.toml")
ORIGINS = ("package", "sdist", "folder")


@dataclass(frozen=True)
class Reason:
    """A reason for the outcome of tests, which are patterns of pytest's names."""

    why: str
    tests: tuple[str, ...]

    def covers(self, test: str) -> bool:
        """Return True if one of the patterns matches the name of a test."""
        return any(fnmatchcase(test, pattern) for pattern in self.tests)


@dataclass(frozen=True)
class Library:
    """A library, and how its tests run."""

    name: str
    """Name on the package index."""
    purpose: str
    """Purpose of the library, as a phrase."""
    run: str
    """The tests that run, as a phrase."""
    page: str
    """Support in a page, as a phrase."""
    origin: str = "package"
    """Place of the tests: in the installed package, in its sdist, or in a folder of the user."""
    lock: str = "libraries"
    """Name of its Python environment, of the locks in buildsys/pyenv.py."""
    paths: tuple[str, ...] = ()
    """Files and folders with tests, relative to their origin."""
    options: tuple[str, ...] = ()
    """Options of pytest."""
    x64: bool = False
    """True if the tests run with 64-bit dtypes (the flag TFPY_ENABLE_X64)."""
    environment: tuple[tuple[str, str], ...] = ()
    """Environment variables."""
    left_out: tuple[Reason, ...] = ()
    """Tests that do not run at all, for example because they download files."""
    missing: tuple[Reason, ...] = ()
    """Tests that pass with TensorFlow and fail with tfpy."""

    def why_missing(self, test: str) -> str | None:
        """Return the known reason for the failure of a test with tfpy, or None."""
        return next((reason.why for reason in self.missing if reason.covers(test)), None)

    def is_left_out(self, test: str) -> bool:
        """Return True if a test does not run."""
        return any(reason.covers(test) for reason in self.left_out)


@cache
def libraries() -> dict[str, Library]:
    """Return the libraries by name."""
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: _library(name, row) for name, row in table.items()}


def _library(name: str, row: dict[str, Any]) -> Library:
    for key in ("paths", "options"):
        row[key] = tuple(row.get(key, ()))
    for key in ("left_out", "missing"):
        row[key] = tuple(Reason(r["why"], tuple(r["tests"])) for r in row.get(key, ()))
    row["environment"] = tuple(row.get("environment", {}).items())
    made = Library(name, **row)
    assert made.origin in ORIGINS, f"{name}: origin is {made.origin!r}, not one of {ORIGINS}"
    return made
