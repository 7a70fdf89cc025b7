"""The comparison of the outcomes of a test under TensorFlow and under tfpy."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Outcome = dict[str, Any]
JUDGED = ("passed", "missing name", "text", "not refused", "error", "other", "wrong value", "hang")
COLUMNS = (*JUDGED, "private")


def read(results: Path) -> dict[str, Outcome]:
    """Return the outcomes in a file of results. A test without an end ran for too long."""
    found: dict[str, Outcome] = {}
    if results.is_file():
        for line in results.read_text().splitlines():
            outcome = json.loads(line)
            found[outcome["test"]] = outcome
    for outcome in found.values():
        if outcome["outcome"] == "started":
            outcome.update(outcome="hang", error="the process was stopped")
    return found


PRIVATE = re.compile(r"has no (attribute '|property )_(?!_)|unexpected keyword argument '_(?!_)")
"""Errors of tests that use private attributes of objects."""


def judge(outcome: Outcome | None) -> str:
    """Return the column of a test that passes under TensorFlow."""
    if outcome is None or outcome.get("private") or outcome["outcome"] == "skipped":
        return "private"
    if outcome["outcome"] in ("passed", "hang"):
        return str(outcome["outcome"])
    if outcome.get("missing") or "StandIn" in outcome["error"]:
        return "missing name"
    error = str(outcome["error"])
    if PRIVATE.search(error) or outcome.get("kind") == "NoTestsError":
        return "private"
    if " does not match " in error or "not found in" in error:
        return "text"
    if " not raised" in error:
        return "not refused"
    if outcome["kind"] != "AssertionError":
        return "error"
    if "Mismatch" in error or "Not equal to tolerance" in error or "mismatched" in error:
        return "wrong value"
    return "other"


def compare(
    expected: dict[str, Outcome], actual: dict[str, Outcome]
) -> dict[str, tuple[str, Outcome | None]]:
    """Return the column and the outcome of each test that passes under TensorFlow."""
    passed = [name for name, outcome in expected.items() if outcome["outcome"] == "passed"]
    of_file = actual.get("")  # the file could not be imported
    return {n: (judge(actual.get(n, of_file)), actual.get(n, of_file)) for n in passed}


def table(columns: Iterable[tuple[str, str]]) -> str:
    """Return a table with the number of tests per folder and column, and the share that passes."""
    folders: dict[str, Counter[str]] = defaultdict(Counter)
    for file, column in columns:
        folders[file.rpartition("/")[0].removeprefix("tensorflow/python/")][column] += 1
    width = max(len(name) for name in [*folders, "folder"]) + 1
    lines = ["folder".ljust(width) + "".join(c.rjust(13) for c in COLUMNS) + "share".rjust(9)]
    total: Counter[str] = sum(folders.values(), Counter())
    for name, counts in [*sorted(folders.items()), ("all", total)]:
        judged = sum(counts[c] for c in JUDGED)
        share = f"{counts['passed'] / judged:9.1%}" if judged else ""
        lines.append(name.ljust(width) + "".join(f"{counts[c]:13}" for c in COLUMNS) + share)
    return "\n".join(lines)
