"""The results of the libraries, and the table of docs/libraries.md."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from buildsys.paths import ROOT
from buildsys.tables import table, with_between

from .table import Library, libraries

FILE = Path(__file__).with_name("results.json")
PAGE = ROOT / "docs" / "libraries.md"
HEAD = ("library", "version", "tests", "passed", "in a page", "what is missing")


@dataclass(frozen=True)
class Result:
    """The result of a library: only tests that pass with TensorFlow count."""

    version: str
    counted: int
    failed: tuple[str, ...]

    @property
    def share(self) -> float:
        """Return the share of tests that pass with tfpy."""
        return 1 - len(self.failed) / self.counted if self.counted else 0.0


def compared(version: str, reference: dict[str, str], found: dict[str, str]) -> Result:
    """Return the result from the outcomes with TensorFlow and with tfpy."""
    counted = sorted(name for name, outcome in reference.items() if outcome == "passed")
    return Result(version, len(counted), tuple(n for n in counted if found.get(n) != "passed"))


def results() -> dict[str, Result]:
    """Return the stored results by the names of libraries."""
    rows = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return {
        name: Result(row["version"], row["counted"], tuple(row["failed"]))
        for name, row in rows.items()
    }


def store(new: dict[str, Result]) -> None:
    """Store results, and write the page."""
    rows = results() | new
    kept = {name: asdict(rows[name]) for name in sorted(rows) if name in libraries()}
    FILE.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page(text), encoding="utf-8")


def page(text: str) -> str:
    """Return the text of the page with the table of the stored results."""
    stored = results()
    rows = [_row(lib, stored[lib.name]) for lib in libraries().values() if lib.name in stored]
    return with_between(PAGE, text, "libraries", table(HEAD, rows), command="libraries")


def _row(library: Library, result: Result) -> tuple[str, ...]:
    passed = result.counted - len(result.failed)
    reasons = dict.fromkeys(library.why_missing(test) or "" for test in result.failed)
    return (
        f"**{library.name}**: {library.purpose}",
        result.version,
        library.run,
        f"{passed} of {result.counted} ({result.share:.1%})",
        library.page,
        "; ".join(filter(None, reasons)) or "nothing",
    )
