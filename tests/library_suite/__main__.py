"""The command ``build.py libraries``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from buildsys.console import BuildError

from . import report
from .comparison import run, shown
from .report import Result
from .table import libraries


def main() -> int:
    """Run the tests of libraries.

    Return the exit status, which is 1 if a test fails without a reason or too many tests fail.
    """
    options = _parser().parse_args()
    known = {name: one for name, one in libraries().items() if one.lock == "libraries"}
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


if __name__ == "__main__":
    sys.exit(main())
