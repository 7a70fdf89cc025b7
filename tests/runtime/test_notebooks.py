"""Tracebacks of programs, and in IPython, simulated by an object that hides marked frames."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import traceback
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.display import tracebacks

HERE = __file__


class Shown:
    """A substitute for IPython's ``InteractiveTB``, which hides marked frames except the last."""

    skip_hidden = True

    def structured_traceback(
        self, kind: Any, error: Any, trace: Any, tb_offset: int | None = None
    ) -> list[str]:
        steps = list(traceback.walk_tb(trace))
        return [
            frame.f_code.co_filename
            for frame, _ in steps
            if frame is steps[-1][0]
            or not (self.skip_hidden and frame.f_locals.get("__tracebackhide__"))
        ]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    shell = SimpleNamespace(InteractiveTB=Shown())
    module = ModuleType("IPython")
    vars(module)["get_ipython"] = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", module)
    tracebacks.hide_frames()
    return shell.InteractiveTB


def error_of(call: Any) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("no error")


def files(shown: Shown, error: Exception) -> list[str]:
    return shown.structured_traceback(type(error), error, error.__traceback__, tb_offset=1)


def reshaped(x: tf.Tensor) -> tf.Tensor:
    return tf.reshape(x, [4])


def test_frames_of_tfpy_are_left_out(shown: Shown) -> None:
    """Check that frames of eager ops and compiled functions are hidden.

    They are between user frames and at the end.
    """
    for function in (reshaped, tf.function(reshaped, autograph=False)):
        error = error_of(lambda function=function: function(tf.zeros([2, 3])))
        steps = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
        assert any(file != HERE for file in steps)
        assert set(files(shown, error)) == {HERE}
        assert error.__traceback__ is not None
        kept = traceback.extract_tb(error.__traceback__)
        assert [step.filename for step in kept] == steps, "the error itself is as it was"


def test_causes_are_marked(shown: Shown) -> None:
    cause = error_of(lambda: reshaped(tf.zeros([2, 3])))
    try:
        raise KeyError("after") from cause
    except KeyError as error:
        files(shown, error)
    marked = [
        frame.f_code.co_filename
        for frame, _ in traceback.walk_tb(cause.__traceback__)
        if frame.f_locals.get("__tracebackhide__")
    ]
    assert marked
    assert HERE not in marked


def test_all_frames_are_shown_where_that_is_asked_for(shown: Shown) -> None:
    shown.skip_hidden = False
    error = error_of(lambda: reshaped(tf.zeros([2, 3])))
    assert set(files(shown, error)) > {HERE}


def test_errors_of_tfpy_alone_are_shown(shown: Shown) -> None:
    """Check that an error without any frame of the program keeps its frames."""
    error = error_of(lambda: reshaped(tf.zeros([2, 3])))
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == HERE:
        trace = trace.tb_next
    assert len(shown.structured_traceback(type(error), error, trace)) == 1


PROGRAM = """\
import tfpy as tf

def mine():
    return tf.reshape(tf.zeros([2, 3]), [7])

try:
    tf.constant([1])[5]
except tf.errors.InvalidArgumentError:
    mine()
"""


@pytest.mark.parametrize("full", [False, True])
def test_tracebacks_of_programs(full: bool, tmp_path: Path) -> None:
    """Check that a chain of exceptions is shown without frames of the library.

    A flag shows these frames.
    """
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    env = {**os.environ, "TFPY_FLAGS": f"TFPY_FULL_TRACEBACKS:{str(full).lower()}"}
    done = subprocess.run(
        [sys.executable, file], env=env, capture_output=True, text=True, check=False
    )
    frames = re.findall(r'File "(.*)", line (\d+)', done.stderr)
    assert done.stderr.count("Error: ") == 2
    if full:
        assert len(frames) > 6
    else:
        assert frames == [(str(file), "7"), (str(file), "9"), (str(file), "4")]


FAILING = """\
import numpy as np
import tfpy as tf

@tf.function
def product(x):
    return tf.matmul(x, x)

def test_eager():
    tf.reshape(tf.zeros([2, 3]), [7])

def test_compiled():
    product(tf.zeros([2, 3]))

def test_keras():
    tf.as_tensorflow(replace=True)
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
    model.compile("sgd", "sparse_categorical_crossentropy")
    model.fit(np.ones((10, 4)), np.full(10, 3), verbose=0)
"""


@pytest.mark.parametrize("full", [False, True])
def test_reports_of_pytest(full: bool, tmp_path: Path) -> None:
    """Check that reports of failures show the lines of tests, and all frames on request."""
    (tmp_path / "test_failing.py").write_text(FAILING)
    options = ["--tb=short", "-p", "tfpy_pytest", *(["--full-trace"] if full else [])]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options], cwd=tmp_path, capture_output=True, text=True
    )
    frames = re.findall(r"^(\S+\.py):(\d+): (?:in|\w*$)", done.stdout, re.MULTILINE)
    assert "3 failed" in done.stdout
    if full:
        assert len(frames) > 30
    else:
        assert [(Path(file).name, line) for file, line in frames] == [
            *(("test_failing.py", "9"), ("test_failing.py", "12")),
            *(("test_failing.py", "6"), ("test_failing.py", "18")),
        ]


def test_reports_of_a_project_without_tfpy(tmp_path: Path) -> None:
    """Check that the plugin keeps Keras's frames in errors that did not pass through tfpy."""
    (tmp_path / "keras" / "src").mkdir(parents=True)
    (tmp_path / "keras" / "src" / "layer.py").write_text("def build():\n    raise ValueError\n")
    test = "import layer\n\ndef test_layer():\n    layer.build()\n"
    (tmp_path / "test_failing.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "--tb=short", "-p", "tfpy.testing.plugin"]
    done = subprocess.run(
        [*command, "-o", "pythonpath=keras/src"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "test_failing.py:4: in test_layer" in done.stdout
    assert "layer.py:2: in build" in done.stdout


def test_another_excepthook_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "IPython" not in sys.modules
    monkeypatch.setattr(sys, "excepthook", print)
    tracebacks.hide_frames()
    assert sys.excepthook is print
