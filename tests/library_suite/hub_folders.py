"""The results of KerasHub's own tests by folder, and their table in docs/keras_hub.md.

All tests take hours, so they are run and stored folder by folder.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

from buildsys.paths import ROOT
from buildsys.tables import table, with_between

from .report import Result, compared

SOURCES = "keras_hub/src"
"""Folder of the package's modules and tests, in a checkout."""
FILE = Path(__file__).with_name("hub_folders.json")
PAGE = ROOT / "docs" / "keras_hub.md"
HEAD = ("folder", "tests", "passed", "share")
MODELS = "models"


def folder_of(test: str) -> str:
    """Return the folder of a test, below `SOURCES`: a family, or a folder with other code."""
    parts = test.partition("::")[0].removeprefix(f"{SOURCES}/").split("/")
    return "/".join(parts[:2]) if parts[0] == MODELS and len(parts) > 2 else parts[0]


def store(version: str, reference: dict[str, str], found: dict[str, str]) -> None:
    """Store the outcomes with TensorFlow and with tfpy by folder."""
    grouped: dict[str, dict[str, str]] = defaultdict(dict)
    for test, outcome in reference.items():
        grouped[folder_of(test)][test] = outcome
    new = {folder: compared(version, tests, found) for folder, tests in grouped.items()}
    rows = results() | new
    kept = {folder: asdict(rows[folder]) for folder in sorted(rows)}
    FILE.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def results() -> dict[str, Result]:
    """Return the stored results by folder."""
    rows = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return {
        folder: Result(row["version"], row["counted"], tuple(row["failed"]))
        for folder, row in rows.items()
    }


def total() -> Result:
    """Return the result of all folders together."""
    return _joined(list(results().values()))


def of_family(family: str) -> str:
    """Return the result of the tests of a family, as a cell of a table."""
    result = results().get(f"{MODELS}/{family}")
    return f"{_passed(result)} of {result.counted}" if result is not None else ""


def page(text: str) -> str:
    """Return the text of the page with the table of the folders."""
    stored = results()
    families = [name for name in stored if name.startswith(f"{MODELS}/")]
    rows = [_row(f"`{name}`", stored[name]) for name in stored if name not in families]
    rows.append(_row(f"{len(families)} families", _joined([stored[name] for name in families])))
    rows.append(_row("all", total()))
    return with_between(PAGE, text, "folders", table(HEAD, rows), command="hub-tests")


def _joined(parts: list[Result]) -> Result:
    version = parts[0].version if parts else ""
    failed = [test for part in parts for test in part.failed]
    return Result(version, sum(part.counted for part in parts), tuple(failed))


def _passed(result: Result) -> int:
    return result.counted - len(result.failed)


def _row(name: str, result: Result) -> tuple[str, ...]:
    return name, str(result.counted), str(_passed(result)), f"{result.share:.1%}"
