"""The first program of a page does not need the modules that pages download late."""

from __future__ import annotations

import subprocess
import sys
from fnmatch import fnmatch

from buildsys.package_wheels import ENGINE, ENGINE_LATE
from buildsys.paths import ROOT

PROGRAM = """
import sys
import tfpy as tf

w = tf.Variable(2.0)
step = tf.function(lambda x: tf.nn.relu(x) * w)
with tf.GradientTape() as tape:
    y = step(tf.constant([1.0]))
tape.gradient(y, w)
print(*(name for name in sys.modules if name.startswith("tfpy._src")))
"""


def test_a_first_program_needs_no_late_module() -> None:
    environment = {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    packages = {path.parent for path in (ROOT / "src").rglob("__init__.py")}
    files = [
        f"{name}.__init__" if ROOT / "src" / name.replace(".", "/") in packages else name
        for name in done.stdout.split()
    ]
    loaded = [file.replace(".", "/") for file in files]
    assert f"{ENGINE}core/eager" in loaded
    assert [f for f in loaded if any(fnmatch(f, late) for late in ENGINE_LATE)] == []


def test_each_late_module_is_there() -> None:
    files = [
        p.relative_to(ROOT / "src").with_suffix("").as_posix() for p in (ROOT / "src").rglob("*.py")
    ]
    assert [late for late in ENGINE_LATE if not any(fnmatch(f, late) for f in files)] == []
