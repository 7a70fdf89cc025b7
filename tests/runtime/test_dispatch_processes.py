"""Processes with the dispatch extension: tests of several areas, random programs, new imports."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import dispatch_differences
import pytest

from buildsys import dispatch
from buildsys.paths import ROOT
from tfpy._src.core import fast_path

ENV = {**os.environ, "PYTHONPATH": dispatch_differences.PATH}
FILES = {
    "runtime": "dispatch eager storage temporaries complex_slots interrupts registry holders",
    "function": "function executable donation repeat threads made_results variable_arguments "
    "call_async lost_constants bad_calls",
    "api": "tape forward variables operators number_operands debugging lifetimes memory_errors "
    "custom_gradient check_numerics jacobian",
}
"""Tests of ops and compiled calls, by folder. CI runs all tests of these folders in both ways."""


@pytest.fixture(autouse=True)
def compiled() -> None:
    """Compile the extension, or skip a test if this is not possible or already done."""
    if fast_path.extension is not None:
        pytest.skip("this process has the extension")
    if shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]) is None:
        pytest.skip("needs the C compiler of Python")
    dispatch.for_python(Path(sys.executable))


@pytest.mark.parametrize("folder", FILES)
def test_with_the_extension(folder: str) -> None:
    """Run the tests of some files in a process with the extension."""
    files = [f"tests/{folder}/test_{name}.py" for name in FILES[folder].split()]
    words = [sys.executable, "-m", "pytest", "-p", "compiled_dispatch", "-q", "--no-header"]
    done = subprocess.run([*words, *files], cwd=ROOT, env=ENV, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    number = re.search(r"^(\d+) fast ops", done.stdout, re.M)
    assert number is not None
    assert int(number[1]) > 100


AGAIN = """
import compiled_dispatch, gc, sys
extension = sys.modules[compiled_dispatch.NAME]
import tfpy as tf
x = tf.constant([1.0, 2.0])
_ = x + x
old = x + x, tf
for name in [name for name in sys.modules if name.startswith("tfpy") and "_dispatch" not in name]:
    del sys.modules[name]
import tfpy as tf
before, y = extension.taken()[0], tf.constant([1.0, 2.0])
_ = y + y
assert (y + y).numpy().tolist() == [2.0, 4.0]
assert extension.taken()[0] == before + 1
assert (old[0] + x).numpy().tolist() == [3.0, 6.0]
assert extension.taken()[0] == before + 1
tensors, buffers = old[1].memory()["numTensors"], old[1].memory()["numDataBuffers"]
del x, old, _
from runtime.fake import FakeDevice
tf.register_backend("fake", FakeDevice)
tf.set_backend("fake")
y = tf.ones([3]) + tf.ones([3])
del y
gc.collect()
assert tf.memory()["numTensors"] == 0, tf.memory()
"""


def test_a_program_can_import_tfpy_again() -> None:
    words = [sys.executable, "-c", AGAIN]
    done = subprocess.run(words, cwd=ROOT, env=ENV, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stderr.strip(), "finalizers report errors"


@pytest.mark.parametrize("seed", range(3))
def test_random_programs(seed: int) -> None:
    """Compare results, errors, counts of runs and memory with and without the extension."""
    differences, fast = dispatch_differences.compare(seed, steps=500)
    assert not differences
    assert fast > 100
