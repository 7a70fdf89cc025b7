"""The whole package: imports, namespaces, and the examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import tfpy

ONLY_NUMPY = """
import sys

class Refuse:
    allowed = {"numpy", "tfpy", *sys.stdlib_module_names}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in self.allowed:
            raise ImportError(f"{name} is not to be imported")

sys.meta_path.insert(0, Refuse())
import tfpy as tf
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.nn.softmax(x) * x)
tape.gradient(y, x)
print(tf.get_backend())
"""


def test_numpy_is_all_that_is_needed() -> None:
    command = [sys.executable, "-c", ONLY_NUMPY]
    environment = {"PYTHONPATH": ":".join(p for p in sys.path if p)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("cpu\n", "")


@pytest.mark.parametrize("name", ["nn", "math", "linalg", "random", "bitwise", "errors", "dtypes"])
def test_namespaces_are_modules(name: str) -> None:
    assert importlib.import_module(f"tfpy.{name}") is getattr(tfpy, name)


def test_the_example_learns_its_line() -> None:
    program = Path(__file__).parents[2] / "examples" / "learn_a_line.py"
    line, losses = runpy.run_path(str(program))["learn"](100)
    assert losses[-1] < 0.01 * losses[0]
    assert [v.name for v in line.trainable_variables] == ["offset:0", "slopes:0"]


MODULES = [
    module.name
    for module in pkgutil.walk_packages(tfpy.__path__, "tfpy.")
    if not module.name.startswith("tfpy.testing")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for files that examples write
    module = importlib.import_module(name)
    assert module.__doc__ or not module.__file__ or module.__file__.endswith("__init__.py")
    program = {"__name__": "__main__"}  # AutoGraph does not convert functions of tfpy's modules
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(module, extraglobs=program):
        if test.examples:  # even a run without examples takes milliseconds
            runner.run(test)
    assert runner.failures == 0
