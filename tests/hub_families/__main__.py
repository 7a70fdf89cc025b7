"""The command ``build.py hub-families``."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from library_suite.hub import SOURCES, tests_of_package

from . import report

PROGRAM = "import sys; from hub_families.measuring import measure; measure(*sys.argv[1:])"
SHORT_PREFILLS = (
    "from tfpy._src.keras_support import hub_generation; "
    "hub_generation.SMALLEST, hub_generation.GROWTH = 1, 2"
)
PROGRAMS = {
    "tensorflow": PROGRAM,
    "tfpy": f"import tfpy; tfpy.as_tensorflow(replace=True); {SHORT_PREFILLS}; {PROGRAM}",
}
"""Programs that compute outputs with each library. The prompts are shorter than usual prefills."""


def main() -> int:
    """Compare families. Return the exit status, which is 1 if a measurement fails with tfpy."""
    parser = argparse.ArgumentParser(prog="build.py hub-families")
    parser.add_argument("folder", type=Path, help="checkout of KerasHub's repository")
    parser.add_argument("names", nargs="*", help="names of families (default: all)")
    parser.add_argument("--only", action="append", metavar="MEASUREMENT", help="only this one,"
                        " such as forward or greedy; can be repeated")  # fmt: skip
    parser.add_argument("--write", action="store_true", help="also write docs/keras_hub.md")
    options = parser.parse_intermixed_args()
    folder = tests_of_package(options.folder.resolve())
    names = options.names or _families(folder)
    with tempfile.TemporaryDirectory() as place:
        reference, found = [
            _outputs(library, folder, Path(place, f"{library}.npz"), names, options.only or ())
            for library in PROGRAMS
        ]
    rows = report.compared(reference, found)
    for family, row in rows.items():
        print(family, row)
    if options.write:
        report.store(rows)
    return int(any(isinstance(value, str) for row in rows.values() for value in row.values()))


def _families(folder: Path) -> list[str]:
    """Return the names of all families."""
    models = folder / SOURCES / "models"
    return sorted({file.parent.name for file in models.glob("*/*_test.py")})


def _outputs(
    library: str, folder: Path, file: Path, names: list[str], only: Sequence[str]
) -> dict[str, np.ndarray]:
    """Return the outputs of families with a library."""
    path = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    argv = [sys.executable, "-c", PROGRAMS[library], folder, file, ",".join(only), *names]
    environment = {**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["KERAS_BACKEND"] = "tensorflow"
    subprocess.run(argv, env=environment, cwd=file.parent, check=True)
    with np.load(file) as outputs:
        return dict(outputs)


if __name__ == "__main__":
    sys.exit(main())
