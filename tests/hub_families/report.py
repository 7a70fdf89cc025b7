"""Compare the outputs of families, and write the table of docs/keras_hub.md."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from library_suite import hub_folders

from buildsys.paths import ROOT
from buildsys.tables import table, with_between

FILE = Path(__file__).with_name("results.json")
PAGE = ROOT / "docs" / "keras_hub.md"
NUMBERS = ("forward", "LoRA", "int8", "int4")
"""Measurements of numbers. The other measurements are the tokens of samplers."""
SAMPLERS = ("greedy", "top-k", "top-p", "random", "beam", "contrastive")
HEAD = ("family", *NUMBERS, "same tokens", "other tokens", "tests")
Row = dict[str, float | bool | str]
"""Largest difference, equality of tokens, or error of tfpy, by measurement."""


def compared(reference: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Row]:
    """Return the rows of families from the outputs with TensorFlow and with tfpy.

    Measurements that fail with TensorFlow do not count.
    """
    rows: dict[str, Row] = defaultdict(dict)
    grouped: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in reference:
        family, measurement, place = name.split("/")
        if place != "error":
            grouped[family, measurement].append(name)
    for (family, measurement), names in grouped.items():
        rows[family][measurement] = _agreement(measurement, names, reference, found)
    return rows


def _agreement(
    measurement: str, names: list[str], reference: Mapping[str, Any], found: Mapping[str, Any]
) -> float | bool | str:
    """Return the largest difference, True for equal tokens, or the error with tfpy."""
    if missing := [name for name in names if name not in found]:
        error = missing[0].rpartition("/")[0] + "/error"
        return str(found[error]) if error in found else "it was not computed"
    pairs = [(reference[name], found[name]) for name in names]
    if measurement not in NUMBERS:
        return all(np.array_equal(first, second) for first, second in pairs)
    return float(f"{max(_difference(*pair) for pair in pairs):.1e}")


def _difference(first: np.ndarray, second: np.ndarray) -> float:
    """Return the largest difference, relative to the largest number if this is above 1."""
    largest = max(1.0, float(np.abs(first).max(initial=0.0)))
    return float(np.abs(first.astype("float64") - second).max(initial=0.0)) / largest


def results() -> dict[str, Row]:
    """Return the stored rows by family."""
    rows: dict[str, Row] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return rows


def store(new: dict[str, Row]) -> None:
    """Store rows, with earlier results of other measurements, and write the page."""
    rows = results()
    order = (*NUMBERS, *SAMPLERS)
    for family, row in new.items():
        joined = rows.get(family, {}) | row
        rows[family] = {name: joined[name] for name in order if name in joined}
    kept = {family: rows[family] for family in sorted(rows)}
    FILE.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    write_page()


def write_page() -> None:
    """Write the tables of the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def page(text: str) -> str:
    """Return the text of the page with the table of the stored rows."""
    rows = [line(family, row) for family, row in results().items()]
    text = with_between(PAGE, text, "families", table(HEAD, rows), command="hub-families")
    return hub_folders.page(text)


def line(family: str, row: Row) -> tuple[str, ...]:
    """Return the cells of a row."""
    same = [name for name, value in row.items() if value is True]
    other = [name for name, value in row.items() if name not in (*NUMBERS, *same)]
    numbers = [_number(row.get(name)) for name in NUMBERS]
    tests = hub_folders.of_family(family)
    return (f"`{family}`", *numbers, ", ".join(same), ", ".join(other), tests)


def _number(value: float | bool | str | None) -> str:
    if value is None:
        return ""
    return "fails" if isinstance(value, str) else f"{value:.0e}" if value else "0"
