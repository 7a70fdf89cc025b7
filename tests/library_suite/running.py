"""Run the tests of a library on TensorFlow or on tfpy, in a process of its own.

``python -m library_suite.running FILE OPTION...`` runs pytest and writes the outcomes to a file.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from buildsys.console import BuildError

from .table import Library

NAME = "LIBRARY_SUITE_NAME"
"""Environment variable with the name of the library."""
ON_TFPY = "LIBRARY_SUITE_ON_TFPY"
"""Environment variable that is 1 if the tests run on tfpy, and 0 if they run on TensorFlow."""
SECONDS = 300
"""Time limit of a test."""
ADDRESS = re.compile("0x[0-9a-f]+")


class Outcomes:
    """A pytest plugin that records the outcomes of tests by name."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a report. A failed part or subtest makes the whole test fail."""
        if report.outcome == "passed" and report.when != "call":
            return
        name = ADDRESS.sub("0x", report.nodeid)
        if self.found.get(name) != "failed":
            self.found[name] = report.outcome

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a file that cannot be imported."""
        if report.failed:
            self.found[report.nodeid] = "failed"


def outcomes(library: Library, folder: Path, on_tfpy: bool, processes: str) -> dict[str, str]:
    """Return the outcomes of a library's tests by their names.

    Args:
        library: The library.
        folder: Folder of its tests.
        on_tfpy: Whether they run on tfpy. Otherwise they run on TensorFlow.
        processes: Number of processes, or "auto".
    """
    variables = dict(library.environment)
    variables |= {NAME: library.name, ON_TFPY: str(int(on_tfpy))}
    variables |= {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3", "MPLBACKEND": "agg"}
    if library.x64:
        variables["TFPY_ENABLE_X64"] = "1"
    options = ["-q", "-c", os.devnull, f"--rootdir={folder}", "-p", "no:cacheprovider"]
    options += [
        "-p",
        f"{__package__}.plugin",
        "-n",
        processes,
        f"--timeout={SECONDS}",
        "--tb=short",
    ]
    options += ["--continue-on-collection-errors", "--disable-warnings", "-rfE", *library.options]
    options += [str(folder / path) for path in library.paths]
    with tempfile.TemporaryDirectory() as place:  # some tests leave files behind
        file = Path(place, "outcomes.json")
        argv = [sys.executable, "-m", f"{__package__}.running", str(file), *options]
        subprocess.run(argv, cwd=place, env=os.environ | variables)
        if not file.exists():
            raise BuildError(f"the tests of {library.name} ended before pytest's report")
        return load(file)


def load(file: Path) -> dict[str, str]:
    """Read outcomes from a file."""
    found: dict[str, str] = json.loads(file.read_text())
    return found


def save(file: Path, found: dict[str, str]) -> None:
    """Write outcomes to a file."""
    file.write_text(json.dumps(found))


def main() -> None:
    """Run pytest with the options of the command line."""
    file, *options = sys.argv[1:]
    recorder = Outcomes()
    pytest.main(options, [recorder])
    save(Path(file), recorder.found)


if __name__ == "__main__":
    main()
