"""The command ``build.py libraries``."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from buildsys.cache import entry, file_hash, tree_hash
from buildsys.console import BuildError

from . import report, running, sources
from .report import Result
from .table import Library, libraries

HERE = Path(__file__).parent
THRESHOLD = 0.95
"""Share of the tests of each library that must pass."""


def main() -> int:
    """Run the tests of libraries.

    Return the exit status, which is 1 if a test fails without a reason or too many tests fail.
    """
    options = _parser().parse_args()
    known = libraries()
    if unknown := [name for name in options.names if name not in known]:
        print(f"unknown libraries: {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    if options.tests and len(options.names) != 1:
        print("--tests names the sources of one library, so pass the name of this library")
        return 2
    made: dict[str, Result] = {}
    good = True
    for name in options.names or known:
        try:
            result = run(known[name], options.tests, options.n)
        except BuildError as error:
            print(f"{name}: {error}")
            good = False
            continue
        made[name] = result
        good &= shown(known[name], result)
    if options.write:
        report.store(made)
    return int(not good)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="build.py libraries")
    parser.add_argument("names", nargs="*", help="names of libraries (default: all)")
    parser.add_argument("--tests", type=Path, metavar="FOLDER", help="sources of the library, if"
                        " the package index does not have its tests")  # fmt: skip
    parser.add_argument("-n", default="auto", help="number of processes (default: one per core)")
    parser.add_argument("--write", action="store_true", help="also write docs/libraries.md")
    return parser


def run(library: Library, given: Path | None, processes: str) -> Result:
    """Run the tests of a library on tfpy, and compare them with their outcomes on TensorFlow."""
    folder = sources.folder(library, given)
    reference = _reference(library, folder, processes)
    found = running.outcomes(library, folder, True, processes)
    return report.compared(version(library.name), reference, found)


def _reference(library: Library, folder: Path, processes: str) -> dict[str, str]:
    """Return the outcomes with TensorFlow, which are cached."""
    parts = ("plugin.py", "running.py")
    inputs = {
        "tests": tree_hash(*(folder / path for path in library.paths)),
        "options": [library.options, library.environment, [r.tests for r in library.left_out]],
        "environment": file_hash(sources.LOCK),
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


if __name__ == "__main__":
    sys.exit(main())
