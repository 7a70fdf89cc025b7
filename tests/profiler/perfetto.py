"""Trace files opened with Perfetto's own trace processor."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from profiler.traces import check_trace

from buildsys import perfetto

SCRIPT = Path(__file__).with_suffix(".mjs")


class Opened(NamedTuple):
    """A file as opened by Perfetto."""

    stats: list[dict[str, Any]]
    """Nonzero counts of errors and of dropped data."""
    slices: list[dict[str, Any]]
    """Slices that Perfetto draws.

    A slice has ``name``, ``kind``, ``ts``, ``dur`` (nanoseconds), ``depth``, ``thread`` and
    ``process``.
    """


def opened(files: Sequence[Path]) -> list[Opened]:
    """Open files with Perfetto."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    command = ["node", str(SCRIPT), str(perfetto.ensure()), *map(str, files)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return [Opened(**found) for found in json.loads(ran.stdout)]


def check_opened(files: Sequence[Path]) -> list[Opened]:
    """Check that Perfetto opens the files without errors and draws each event at its place."""
    found = opened(files)
    for file, (stats, slices) in zip(files, found, strict=True):
        assert not stats, (file.name, stats)
        document = json.loads(file.read_text())
        events = check_trace(document)
        names = _names(document)
        written = [(*names[e["pid"], e["tid"]], e["name"], e["cat"]) for e in events]
        drawn = [(s["process"], s["thread"], s["name"], s["kind"]) for s in slices]
        assert Counter(drawn) == Counter(written), file.name
        for key in ("ts", "dur"):
            in_file = sorted(event[key] * 1e3 for event in events)
            assert sorted(s[key] for s in slices) == pytest.approx(in_file, abs=0.5), file.name
    return found


def _names(document: dict[str, Any]) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the process and thread names of each track."""
    given = [event for event in document["traceEvents"] if event["ph"] == "M"]
    processes = {e["pid"]: e["args"]["name"] for e in given if e["name"] == "process_name"}
    threads = [event for event in given if event["name"] == "thread_name"]
    return {(e["pid"], e["tid"]): (processes[e["pid"]], e["args"]["name"]) for e in threads}
