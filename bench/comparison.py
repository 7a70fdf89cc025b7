"""The comparison of ``python build.py bench --all``: the table of README.md, and the machine."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from buildsys import speed
from buildsys.speed import Outcome, Row

GPU = "--use-angle=vulkan --enable-features=Vulkan --enable-unsafe-webgpu --ignore-gpu-blocklist"
"""Arguments with which Chromium uses the GPU through Vulkan.

Servers with a GPU and without a screen also need `--disable-vulkan-surface`. On machines without a
GPU, pages do not load with it.
"""
NOT_RUN = "The work did not run."
BROWSER = re.compile(r"(?:Headless)?(Chrome|Firefox)/(\d+)")

Line = dict[str, Any]


@dataclass(frozen=True)
class Report:
    """The outcome of each row, with the machine, the versions and all records.

    Attributes:
        machine: CPU, cores, GPU, operating system and browser.
        versions: Versions of tfpy and of the other libraries.
    """

    machine: dict[str, str]
    versions: dict[str, str]
    outcomes: dict[Row, Outcome]
    lines: Sequence[Line]

    def text(self) -> str:
        """Return the table as Markdown, the reasons of missing times, and the machine."""
        reasons: dict[str, list[str]] = {}
        for row, found in self.outcomes.items():
            if found.reason:
                reasons.setdefault(f"{row.backend}: {found.reason}", []).append(row.work)
        return "\n".join(
            (
                speed.table(self.outcomes),
                *(f"{reason} ({', '.join(works)})" for reason, works in reasons.items()),
                ", ".join(f"{name} {number}" for name, number in self.versions.items()),
                *(f"{name}: {value}" for name, value in self.machine.items()),
            )
        )

    def json(self) -> str:
        """Return everything as JSON."""
        rows = [
            {**row._asdict(), "library": row.library, **asdict(found)}
            for row, found in self.outcomes.items()
        ]
        about = {"machine": self.machine, "versions": self.versions}
        return json.dumps({**about, "rows": rows, "records": list(self.lines)}, indent=1) + "\n"


def report(lines: Sequence[Line]) -> Report:
    """Return the report of a run from the records of its pages."""
    outcomes = {row: _outcome(row, lines) for row in speed.ROWS}
    return Report(_machine(lines), speed.versions(), outcomes, lines)


def _outcome(row: Row, lines: Sequence[Line]) -> Outcome:
    for line in lines:
        if line.get("done") == row.backend and "failure" in line:
            return Outcome(reason=_reason(line))
        if (line.get("work"), line.get("backend")) != (row.work, row.backend):
            continue
        if "failure" in line:
            return Outcome(reason=_reason(line))
        if not str(line["peer"]).startswith(row.peer):
            continue
        if "peer_failure" in line:
            failure = str(line["peer_failure"]).removeprefix("Error: ")
            return Outcome(line["tfpy_ms"], reason=f"{row.library} failed: {failure}")
        return Outcome(line["tfpy_ms"], line["peer_ms"], line["ratio"])
    return Outcome(reason=NOT_RUN)


def _reason(line: Line) -> str:
    return str(line.get("reason") or line["failure"]).partition("\n")[0]


def _machine(lines: Sequence[Line]) -> dict[str, str]:
    agents = [line["browser"] for line in lines if "browser" in line]
    found = BROWSER.search(agents[0]) if agents else None
    renderers = {line["renderer"]: None for line in lines if line.get("renderer")}
    return {
        "CPU": f"{_processor()}, {os.cpu_count()} cores",
        "GPU": "; ".join(renderers) or "none",
        "system": platform.platform(),
        "browser": f"{found[1]} {found[2]}" if found else "unknown",
    }


def _processor() -> str:
    """Return the model of the processor."""
    facts = Path("/proc/cpuinfo")
    text = facts.read_text("utf-8") if facts.exists() else ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1] if found else platform.processor() or platform.machine()
