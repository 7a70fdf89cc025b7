"""The command ``build.py hub-tests``: KerasHub's own tests, which its packages do not contain."""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from hub_families.report import write_page

from buildsys.cache import entry, tree_hash

from . import hub_folders, report
from .comparison import outcomes, shown
from .hub_folders import SOURCES
from .table import libraries

NAME = "keras-hub"


def main() -> int:
    """Run the tests with TensorFlow and with tfpy.

    Return the exit status, which is 1 if a test fails without a reason or too many tests fail.
    """
    options = _options()
    library = libraries()[NAME]
    if options.parts:
        library = replace(library, paths=tuple(f"{SOURCES}/{part}" for part in options.parts))
    if options.k:
        library = replace(library, options=(*library.options, "-k", options.k))
    folder = tests_of_package(options.folder.resolve())
    reference, found = outcomes(library, folder, options.n)
    if options.write:
        hub_folders.store(version(NAME), reference, found)
        write_page()
        report.store({NAME: hub_folders.total()})
    return int(not shown(library, report.compared(version(NAME), reference, found)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build.py hub-tests")
    parser.add_argument("folder", type=Path, help="checkout of KerasHub's repository")
    parser.add_argument("parts", nargs="*", help="folders or files below keras_hub/src, such as"
                        " samplers or models/bert (default: all)")  # fmt: skip
    parser.add_argument("-n", default="auto", help="number of processes (default: one per core)")
    parser.add_argument("-k", default="", help="only the tests that pytest's -k selects")
    parser.add_argument("--write", action="store_true", help="also write the results of the"
                        " folders to docs/keras_hub.md and docs/libraries.md")  # fmt: skip
    options = parser.parse_args()
    if options.write and options.k:
        parser.error("--write needs the results of all tests in a folder, so pass it without -k")
    return options


def tests_of_package(checkout: Path) -> Path:
    """Return a folder with the installed package and the tests of a checkout.

    A checkout contains modules that are older or newer than the release. The tests import the
    modules next to them, so they are copied into the package.
    """
    spec = find_spec("keras_hub")
    assert spec is not None
    assert spec.submodule_search_locations
    package = Path(spec.submodule_search_locations[0])
    found = sorted((checkout / SOURCES).rglob("*_test.py"))
    tests = [f for f in found if (package.parent / f.relative_to(checkout)).parent.is_dir()]
    others = [checkout / "conftest.py", checkout / SOURCES / "tests"]

    def make(into: Path) -> None:
        shutil.copytree(package, into / "keras_hub", ignore=shutil.ignore_patterns("__pycache__"))
        for file in tests:
            shutil.copy(file, into / file.relative_to(checkout))
        shutil.copytree(others[1], into / SOURCES / "tests", dirs_exist_ok=True)
        shutil.copy(others[0], into)

    inputs = {"package": version(NAME), "tests": tree_hash(*tests, *others)}
    return entry("hub-tests", inputs, "KerasHub with its tests", make)


if __name__ == "__main__":
    sys.exit(main())
