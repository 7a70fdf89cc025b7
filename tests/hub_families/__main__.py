"""The command ``build.py hub-families``."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from library_suite.hub import tests_of_package

from . import report
from .cases import families

PROGRAM = "import sys; from hub_families.measuring import measure; measure(*sys.argv[1:])"
PROGRAMS = {
    "tensorflow": PROGRAM,
    "tfpy": f"import tfpy; tfpy.as_tensorflow(replace=True); {PROGRAM}",
}
"""Programs that compute outputs with each library."""


def main() -> int:
    """Compare families. Return the exit status, which is 1 if a measurement fails with tfpy."""
    parser = argparse.ArgumentParser(prog="build.py hub-families")
    parser.add_argument("folder", type=Path, help="checkout of KerasHub's repository")
    parser.add_argument("names", nargs="*", help="names of families (default: all)")
    parser.add_argument("--write", action="store_true", help="also write docs/keras_hub.md")
    options = parser.parse_args()
    folder = tests_of_package(options.folder.resolve())
    names = options.names or families(folder)
    with tempfile.TemporaryDirectory() as place:
        reference, found = [
            _outputs(library, folder, Path(place, f"{library}.npz"), names) for library in PROGRAMS
        ]
    rows = report.compared(reference, found)
    for family, row in rows.items():
        print(family, row)
    if options.write:
        report.store(rows)
    return int(any(isinstance(value, str) for row in rows.values() for value in row.values()))


def _outputs(library: str, folder: Path, file: Path, names: list[str]) -> dict[str, np.ndarray]:
    """Return the outputs of families with a library."""
    path = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    argv = [sys.executable, "-c", PROGRAMS[library], folder, file, *names]
    environment = {**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["KERAS_BACKEND"] = "tensorflow"
    subprocess.run(argv, env=environment, cwd=file.parent, check=True)
    with np.load(file) as outputs:
        return dict(outputs)


if __name__ == "__main__":
    sys.exit(main())
