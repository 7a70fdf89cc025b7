"""The errors of typical mistakes name the value, what was expected and what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from api.beginner_errors import ERRORS

RUNNER = """
import json, sys, warnings
sys.path.insert(0, sys.argv[1])
from api.beginner_errors import ERRORS, START
import tfpy
tfpy.as_tensorflow(replace=True)
names, found = {}, {}
exec(START, names)
for mistake, (program, _, _) in ERRORS.items():
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", RuntimeWarning)
        try:
            exec(program, dict(names))
        except Exception as error:
            text = "\\n".join([str(error), *getattr(error, "__notes__", ())])
            found[mistake] = [type(error).__name__, text]
        else:
            found[mistake] = ["", ""]
    for one in warned:
        if found[mistake][0] == "":
            found[mistake] = [one.category.__name__, str(one.message)]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """Return the error of each program. They run in one process, because TensorFlow is replaced."""
    argv = [sys.executable, "-c", RUNNER, str(Path(__file__).parents[1])]
    folder = tmp_path_factory.mktemp("mistakes")
    done = subprocess.run(argv, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    errors: dict[str, tuple[str, str]] = json.loads(done.stdout.splitlines()[-1])
    return errors


@pytest.mark.parametrize("mistake", ERRORS)
def test_the_error_helps(found: dict[str, tuple[str, str]], mistake: str) -> None:
    _, error, words = ERRORS[mistake]
    name, text = found[mistake]
    assert name == error, text
    for word in words:
        assert word in text
