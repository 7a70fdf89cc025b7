"""``build.py keras-tests``: Keras's own tests on tfpy, with the pass rate of each folder."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path

import pytest

from . import left_out

COLUMNS = ("passed", "failed", "beyond tfpy", "elsewhere")
SECONDS = 600
"""Time limit of a test."""


def sources() -> Path:
    """Return the folder of Keras's sources, which contains its tests."""
    spec = find_spec("keras")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], "src")


class Counts:
    """A pytest plugin that counts the outcomes of tests."""

    def __init__(self) -> None:
        self._outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome == "passed" and report.when != "call":
            return
        if self._outcomes.get(report.nodeid) != "failed":  # one of several subtests may fail
            self._outcomes[report.nodeid] = _outcome(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._outcomes[report.nodeid] = "failed"

    def table(self) -> str:
        """Return a table with the counts of each folder and the share of passed tests."""
        folders: dict[str, Counter[str]] = defaultdict(Counter)
        for name, outcome in self._outcomes.items():
            folders[name.split("/")[0]][outcome] += 1
        lines = ["".join(["folder".ljust(16), *(c.rjust(13) for c in COLUMNS), "share".rjust(10)])]
        lines += [_line(name, folders[name]) for name in sorted(folders)]
        return "\n".join([*lines, _line("all", sum(folders.values(), Counter()))])


def _outcome(report: pytest.TestReport) -> str:
    """Return the column of a report."""
    if report.outcome != "skipped":
        return report.outcome
    return "beyond tfpy" if getattr(report, "wasxfail", "") in left_out.BEYOND else "elsewhere"


def _line(name: str, counts: Counter[str]) -> str:
    counted = sum(counts[c] for c in ("passed", "failed", "beyond tfpy"))
    share = f"{counts['passed'] / counted:10.1%}" if counted else ""
    return name.ljust(16) + "".join(f"{counts[column]:13}" for column in COLUMNS) + share


def main() -> int:
    """Run the tests, and return the exit status 1 if a test fails that is not excluded."""
    parser = argparse.ArgumentParser(
        prog="build.py keras-tests", epilog="PYTEST_ADDOPTS may hold more options of pytest."
    )
    parser.add_argument("folders", nargs="*", default=["."], help="of keras/src, or files")
    parser.add_argument("-n", default="auto", help="how many processes (default: one a core)")
    parser.add_argument("-k", default="", help="only the tests that pytest's -k selects")
    options = parser.parse_args()
    root = sources()
    counts = Counts()
    argv = ["-q", "-p", f"{__package__}.plugin", "-c", os.devnull, f"--rootdir={root}"]
    argv += ["-p", "no:cacheprovider", "-n", options.n, f"--timeout={SECONDS}", "--tb=short"]
    argv += ["-r", "fEX", "--continue-on-collection-errors", "--disable-warnings", "-k", options.k]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # some tests leave files behind
        os.environ["KERAS_HOME"] = folder
        status = pytest.main([*argv, *(str(root / name) for name in options.folders)], [counts])
    print(f"\n{counts.table()}")
    return int(status != pytest.ExitCode.OK)


if __name__ == "__main__":
    sys.exit(main())
