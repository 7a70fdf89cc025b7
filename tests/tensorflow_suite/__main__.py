"""``build.py tensorflow-tests``: TensorFlow's own tests on tfpy, with shares and causes."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from . import judging

MARK = "tensorflow/python"


def root_of(folder: Path) -> Path:
    """Return the root of the checkout in which a folder or a file is."""
    for parent in (folder, *folder.parents):
        if (parent / MARK).is_dir():
            return parent
    raise SystemExit(f"{folder} is not in a checkout of TensorFlow, with the folder {MARK}.")


def test_files(place: Path) -> list[Path]:
    """Return the test files below a folder, or the file itself."""
    return [place] if place.is_file() else sorted(place.rglob("*_test.py"))


def python(module: str, *words: object, files: list[Path], log: Path) -> None:
    """Run a module of this package, with the paths of files as its standard input."""
    argv = [sys.executable, "-m", f"{__package__}.{module}", *map(str, words)]
    env = os.environ | {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    text = "".join(f"{file}\n" for file in files)
    with log.open("w") as out:
        done = subprocess.run(argv, input=text, env=env, stdout=out, stderr=out, text=True)
    if done.returncode:
        raise SystemExit(f"{module} failed:\n{log.read_text()[-4000:]}")


def run(files: list[Path], root: Path, results: Path) -> None:
    """Run files with both libraries. Results of TensorFlow that exist already are used."""
    names = results / "names.json"
    for library in ("tensorflow", "tfpy"):
        place = results / library
        place.mkdir(parents=True, exist_ok=True)
        new = [f for f in files if library == "tfpy" or not (place / _name(f, root)).is_file()]
        log = results / f"{library}.log"
        if new:
            python("worker", library, names, root, place, files=new, log=log)


def _name(file: Path, root: Path) -> str:
    """Return the name of the file with the results of a test file."""
    return file.relative_to(root).with_suffix("").as_posix().replace("/", ".") + ".jsonl"


def report(files: list[Path], root: Path, results: Path, details: bool) -> int:
    """Print the table and the causes of failures. Return the number of failures."""
    columns: list[tuple[str, str]] = []
    missing, private, causes = Counter[str](), Counter[str](), Counter[str]()
    for file in files:
        name = _name(file, root)
        expected, actual = (judging.read(results / k / name) for k in ("tensorflow", "tfpy"))
        for test, (column, outcome) in judging.compare(expected, actual).items():
            columns.append((file.relative_to(root).as_posix(), column))
            if outcome is None or column == "passed":
                continue
            if column == "private":
                private.update(outcome.get("private", ()))
                continue
            missing.update(outcome.get("missing", ()))
            if column != "missing name":
                text = f"{outcome.get('kind', '')}: {str(outcome['error']).splitlines()[0:1]}"
                causes[f"{column}: {text[:150]}"] += 1
            if details:
                print(f"{column}: {name} {test}\n  {outcome['error']}\n  {outcome.get('frames')}")
    for title, counts in (
        ("private names", private),
        ("missing names", missing),
        ("causes", causes),
    ):
        print(f"\n{title}:")
        print("\n".join(f"{count:6} {what}" for what, count in counts.most_common(40)))
    print(f"\n{judging.table(columns)}")
    return sum(column not in ("passed", "private") for _, column in columns)


def main() -> int:
    """Run the tests, and return the exit status 1 if one fails that passes under TensorFlow."""
    parser = argparse.ArgumentParser(prog="build.py tensorflow-tests")
    parser.add_argument("places", nargs="+", type=Path, metavar="FOLDER",
                        help="of a checkout of TensorFlow, or a test file in it")  # fmt: skip
    parser.add_argument("--results", type=Path, help="folder that keeps the results; TensorFlow's"
                        " are computed once")  # fmt: skip
    parser.add_argument("--details", action="store_true", help="print each failure")
    options = parser.parse_args()
    files = [file for place in options.places for file in test_files(place.resolve())]
    if not files:
        parser.error("there are no files *_test.py in these folders")
    root = root_of(files[0])
    with tempfile.TemporaryDirectory() as folder:
        results = (options.results or Path(folder)).resolve()
        run(files, root, results)
        return int(report(files, root, results, options.details) > 0)


if __name__ == "__main__":
    sys.exit(main())
