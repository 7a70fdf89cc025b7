"""Run the tests of a library with TensorFlow and with tfpy, and compare the outcomes."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from buildsys.cache import entry, file_hash, tree_hash

from . import report, running, sources
from .report import Result
from .table import Library

HERE = Path(__file__).parent
THRESHOLD = 0.95
"""Share of the tests of each library that must pass."""


def run(library: Library, given: Path | None, processes: str) -> Result:
    """Run the tests of a library on tfpy, and compare them with their outcomes on TensorFlow."""
    return report.compared(version(library.name), *outcomes(library, given, processes))


def outcomes(
    library: Library, given: Path | None, processes: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the outcomes of a library's tests on TensorFlow and on tfpy."""
    folder = sources.folder(library, given)
    reference = _reference(library, folder, processes)
    return reference, running.outcomes(library, folder, True, processes)


def _reference(library: Library, folder: Path, processes: str) -> dict[str, str]:
    """Return the outcomes with TensorFlow, which are cached."""
    parts = ("plugin.py", "running.py")
    inputs = {
        "tests": tree_hash(*(folder / path for path in library.paths)),
        "options": [library.options, library.environment, [r.tests for r in library.left_out]],
        "environment": file_hash(sources.lock(library)),
        "runner": [file_hash(HERE / part) for part in parts],
    }

    def make(into: Path) -> None:
        found = running.outcomes(library, folder, False, processes)
        running.save(into / "outcomes.json", found)

    made = entry("library-tests", inputs, f"tests of {library.name} on TensorFlow", make)
    return running.load(made / "outcomes.json")


def shown(library: Library, result: Result) -> bool:
    """Print a result. Return True if enough tests pass and each failure has a reason."""
    new = [test for test in result.failed if library.why_missing(test) is None]
    for test in new:
        print(f"failed without a reason in libraries.toml: {test}")
    passed = result.counted - len(result.failed)
    print(f"{library.name} {result.version}: {passed} of {result.counted} ({result.share:.1%})")
    return not new and result.share >= THRESHOLD
