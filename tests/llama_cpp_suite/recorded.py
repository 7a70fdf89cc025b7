"""Shares of equal tokens, and the recorded results of llama.cpp for small models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .forcing import Best
from .random_files import FORMS

FILE = Path(__file__).with_suffix(".json")
POSITIONS = 64
"""Number of recorded positions."""


def row_of(wanted: Best, exact: Best, found: Sequence[Best]) -> dict[str, Any]:
    """Return how results of tfpy agree with results of llama.cpp.

    Args:
        wanted: Results of llama.cpp, which rounds operands to eight bits in most formats.
        exact: Results of llama.cpp for the same weights in float32.
        found: Results of tfpy.

    Returns:
        The least shares of equal tokens: at all positions, at those where the rounding of llama.cpp
        cannot change the most probable token, and for the weights in float32.
    """
    errors = wanted.differences(exact)
    rows = []
    for one in found:
        is_equal, is_clear = one.top == wanted.top, one.margins > 2 * errors
        rows.append(
            {
                "all": float(is_equal.mean()),
                "clear": float(is_equal[is_clear].mean()),
                "unclear": int((~is_clear).sum()),
                "floats": float((one.top == exact.top).mean()),
                "difference": float(one.differences(exact).max()),
            }
        )
    least = {key: min(row[key] for row in rows) for key in ("all", "clear", "floats")}
    most = {key: max(row[key] for row in rows) for key in ("unclear", "difference")}
    return {**least, **most, "itself": float((exact.top == wanted.top).mean())}


def shown(row: dict[str, Any]) -> str:
    """Return the cells of a row in the table of the guide."""
    shares = [f"{100 * row[key]:.1f} %" for key in ("all", "itself", "clear", "floats")]
    shares[2] += f" ({row['unclear']})"
    return " | ".join([*shares, f"{row['difference']:.1e}"])


def load() -> dict[str, Any]:
    """Return the recorded results by the names of formats."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def store(form: str, row: dict[str, Any], wanted: Best, exact: Best) -> None:
    """Record the results of a format."""
    errors = wanted.differences(exact)[:POSITIONS]
    entry = {
        "row": {key: round(value, 5) for key, value in row.items()},
        "tokens": wanted.top[:POSITIONS].tolist(),
        "errors": [round(float(error), 4) for error in errors],
        "exact": exact.top[:POSITIONS].tolist(),
        "logs": [round(float(log), 4) for log in exact.logs[:POSITIONS, 0]],
    }
    known = {**(load() if FILE.exists() else {}), form: entry}
    lines = [f"{json.dumps(key)}: {json.dumps(known[key])}" for key in FORMS if key in known]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
