"""The process that runs test files with one of the libraries. Each file runs in a fork."""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import types
import unittest
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, TextIO

from . import eager, moved, names
from .importing import PrivateFinder, SourceFinder, Usage

ADDRESS = re.compile("0x[0-9a-f]+")
SECONDS = 20
"""Time limit of a test."""
FILE_SECONDS = 240
"""Time limit of a file."""


class TimeLimitError(BaseException):
    """The error of a test that ran for too long. No test catches it."""


class Recorder(unittest.TestResult):
    """A result that writes a line of JSON for each test."""

    def __init__(self, file: str, out: TextIO) -> None:
        super().__init__()
        self._file = file
        self._out = out
        self._outcome: dict[str, Any] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._outcome = {"outcome": "passed"}
        Usage.private.clear()
        Usage.missing.clear()
        self._write({"test": _name(test), "outcome": "started"})
        self._began = time.perf_counter()
        signal.alarm(SECONDS)

    def stopTest(self, test: unittest.TestCase) -> None:
        signal.alarm(0)
        used = {"private": sorted(Usage.private), "missing": sorted(Usage.missing)}
        seconds = round(time.perf_counter() - self._began, 3)
        self._write({"test": _name(test), **self._outcome, **used, "seconds": seconds})
        super().stopTest(test)

    def _write(self, line: dict[str, Any]) -> None:
        self._out.write(json.dumps({"file": self._file, **line}) + "\n")
        self._out.flush()

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self._outcome = {"outcome": "skipped", "error": reason}

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        self._failed(err)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self._failed(err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self._failed(err)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        self._outcome = {"outcome": "skipped", "error": "expected to fail"}

    def _failed(self, err: Any) -> None:
        if self._outcome.get("outcome") == "failed":
            return
        kind, error, trace = err
        frames = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(trace)]
        self._outcome = {
            "outcome": "hang" if isinstance(error, TimeLimitError) else "failed",
            "kind": kind.__name__,
            "error": ADDRESS.sub("0x", str(error))[:1500],
            "asserted": any(f.name.startswith("assert") for f in traceback.extract_tb(trace)[-3:]),
            "frames": frames[-12:],
        }


def _name(test: unittest.TestCase) -> str:
    return f"{type(test).__name__}.{getattr(test, '_testMethodName', test.id())}"


def _alarm(number: int, frame: object) -> None:
    raise TimeLimitError


def prepare(library: str, table: dict[str, Any], root: Path) -> None:
    """Import a library, and make the modules that tests import available."""
    if library == "tensorflow":
        import tensorflow  # noqa: F401
        from tensorflow.python.framework import test_util

        moved.restore()
        vars(test_util).update(eager.TEST_UTIL)
        sys.meta_path.insert(0, SourceFinder(root, table.__contains__))
        made = types.ModuleType("tensorflow.python.framework.combinations")
        vars(made).update(vars(eager.combinations))
        sys.modules[made.__name__] = made
        importlib.import_module("tensorflow.python.framework").combinations = made
        return
    import tfpy

    tfpy.as_tensorflow(replace=True)
    source = SourceFinder(root, table.__contains__)
    sys.meta_path[:0] = [source, PrivateFinder(table, source)]


def _run(file: Path, root: Path, results: Path) -> None:
    """Run the tests of a file, and write their outcomes."""
    signal.signal(signal.SIGALRM, _alarm)
    name = file.relative_to(root).with_suffix("").as_posix()
    with tempfile.TemporaryDirectory() as folder, results.open("w") as out:
        os.chdir(folder)
        os.environ["TEST_TMPDIR"] = folder
        sink = os.open(results.with_suffix(".log"), os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(sink, stream)
        recorder = Recorder(name, out)
        try:
            suite = _loaded(file, name.replace("/", "."))
        except BaseException as error:
            line = {"file": name, "test": "", "outcome": "failed", "kind": type(error).__name__}
            frames = [f"{Path(f.filename).name}:{f.lineno}"
                      for f in traceback.extract_tb(error.__traceback__)]  # fmt: skip
            used = {"private": sorted(Usage.private), "missing": sorted(Usage.missing)}
            out.write(json.dumps({**line, "error": str(error), "frames": frames[-5:], **used}))
            return
        Usage.at_import = False
        suite.run(recorder)


def _loaded(file: Path, name: str) -> unittest.TestSuite:
    """Return the tests of a file.

    The name of the module does not begin with "tensorflow.", because AutoGraph converts programs
    and not the library.
    """
    from absl import flags

    if not flags.FLAGS.is_parsed():
        flags.FLAGS(["test"])
    spec = spec_from_file_location(f"tests_of_{name}", file)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(made)
    return unittest.TestLoader().loadTestsFromModule(made)


def main() -> None:
    """Run the files that are named in the standard input."""
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=("tensorflow", "tfpy"))
    parser.add_argument("names", type=Path, help="table of TensorFlow's private names")
    parser.add_argument("root", type=Path, help="folder that contains the folder tensorflow")
    parser.add_argument("results", type=Path, help="folder for the results")
    options = parser.parse_args()
    files = [Path(line) for line in sys.stdin.read().splitlines()]
    if not options.names.is_file():
        helpers = [
            f for f in (options.root / "tensorflow/python").rglob("*.py") if "test" in f.name
        ]
        options.names.write_text(json.dumps(names.table({*helpers, *files})))
    prepare(options.library, json.loads(options.names.read_text()), options.root)
    fork = multiprocessing.get_context("fork")
    for file in files:
        name = file.relative_to(options.root).with_suffix("").as_posix()
        results = options.results / (name.replace("/", ".") + ".jsonl")
        process = fork.Process(target=_run, args=(file, options.root, results))
        process.start()
        process.join(FILE_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()
        print(name, flush=True)


if __name__ == "__main__":
    main()
