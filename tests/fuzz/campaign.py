"""A campaign of workers run in sequence, with findings counted by kind, and a report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SILENCE = 150.0
"""Seconds without output after which a worker counts as hanging and is killed."""


@dataclass
class Report:
    """Report of a campaign."""

    at: int = 0
    """Number of the current program."""
    cases: int = 0
    programs: int = 0
    calls: int = 0
    ended: list[int] = field(default_factory=list)
    """Programs on which a worker's process ended, nearly always because of TensorFlow."""
    names: set[str] = field(default_factory=set)
    findings: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        kinds = "".join(f"\n  {count:>5}  {kind}" for kind, count in self.findings.most_common())
        ended = f", {len(self.ended)} that end TensorFlow's process" if self.ended else ""
        return (
            f"{self.cases} cases and {self.programs} programs{ended}, {self.calls} calls of "
            f"{len(self.names)} functions and gradients: {self.findings.total()} findings{kinds}"
        )


def run(
    backend: str,
    first: int,
    programs: int | None,
    seconds: float | None = None,
    pattern: str = ".*",
) -> Report:
    """Run the fixed cases, then programs from ``first`` on, up to a number or a time limit."""
    report = Report()
    until = time.time() + seconds if seconds is not None else float("inf")
    next_seed, end = first, None if programs is None else first + programs
    while time.time() < until and (end is None or next_seed < end):
        left = -1 if end is None else end - next_seed
        cases = next_seed == first
        reached = _work(report, [backend, next_seed, left, until, pattern, cases])
        if reached is None:
            break
        if reached < first:
            raise RuntimeError("one of the fixed cases ends the process")
        report.ended.append(reached)
        next_seed = reached + 1
    return report


def _work(report: Report, words: list[Any]) -> int | None:
    """Run one worker. Return the seed on which its process ended, or None if it finished."""
    argv = [sys.executable, "-m", "fuzz.worker", *map(str, words)]
    path = os.pathsep.join(str(ROOT / p) for p in ("src", "tests", "."))
    env = {**os.environ, "PYTHONPATH": path}
    first = report.at = int(words[1])
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT, env=env
    ) as process:
        assert process.stdout is not None
        for text in _lines(report, process):
            line = json.loads(text) if text.startswith("{") else {}
            if "end" in line:
                return None
            if "seed" in line:
                report.at = line["seed"]
                report.programs += 1
            elif "case" in line:
                report.at = first - 1
                report.cases += 1
            elif "calls" in line:
                report.calls += line["calls"]
                report.names.update(line["names"])
            elif "kind" in line:
                report.findings[line["kind"]] += 1
                if "program" in line:
                    _show(report.at, line)
    return report.at


def _lines(report: Report, process: subprocess.Popen[str]) -> Iterator[str]:
    """Yield a worker's lines.

    A worker that is silent for too long is killed, which is a finding.
    """
    assert process.stdout is not None

    def give_up() -> None:
        report.findings["no answer"] += 1
        print(f"\n--- program {report.at}: no answer in {SILENCE:g} s", flush=True)
        process.kill()

    while True:
        clock = threading.Timer(SILENCE, give_up)
        clock.start()
        text = process.stdout.readline()
        clock.cancel()
        if not text:
            return
        yield text


def _show(seed: int, line: dict[str, str]) -> None:
    print(f"\n--- program {seed}: {line['kind']}\n{line['program']}\n# {line['difference']}")
    sys.stdout.flush()
