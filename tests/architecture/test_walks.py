"""The number of file changes while reading a call. Code that runs often is close together."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import walks
from guides.documents import block

import tfpy as tf

LIMITS = {"to the shader": 55, "compiled": 8, "predict": 15, "gradient": 60}


@pytest.mark.parametrize("name", LIMITS)
def test_changes_of_file(name: str) -> None:
    found = walks.WALKS[name]()
    assert found.calls, "the walk notes calls"
    assert found.changes <= LIMITS[name], f"more than {LIMITS[name]} changes of file\n{found}"


def test_the_docs_show_the_way_to_the_shader() -> None:
    files = walks.to_the_shader().files
    assert {"core/eager.py", "compiler/lower/webgl/glsl/shader.py"} <= {*files}
    shown = block("docs/architecture.md", "text", "core/primitives.py").split()
    assert " ".join(shown) == " → ".join(files)


EAGER: dict[str, tuple[Callable[[Any, Any], Any], int]] = {
    "add": (lambda x, y: x + y, 8),
    "multiply": (lambda x, y: x * y, 10),
    "negative": (lambda x, y: -x, 7),
    "add a number": (lambda x, y: x + 1.0, 11),
    "add a Variable": (lambda x, y: x + y, 13),
    "softmax": (lambda x, y: tf.nn.softmax(x), 134),
    "slice": (lambda x, y: x[:1], 18),
}
"""Eager ops on few numbers of the host, with the most calls of functions that each may make."""


@pytest.mark.parametrize("name", EAGER)
def test_calls_of_an_eager_op(name: str) -> None:
    function, most = EAGER[name]
    x: Any = tf.constant([1.0, 2.0])
    y: Any = tf.Variable([3.0, 4.0]) if "Variable" in name else tf.constant([3.0, 4.0])
    with walks.webgl_without_a_device() as backend:
        backend.few = 1000
        found = walks.warm(lambda: function(x, y))
    assert "core/eager.py" in found.files
    assert len(found.calls) <= most, f"more than {most} calls\n{found}"


INTEROP = "backends/javascript/interop.py"


def conversions(folder: Path) -> None:
    """Make calls that would also accept values of JavaScript in a page."""
    array = np.ones([2, 3], np.float32)
    tf.constant([[1, 2], [3, 4]])
    tf.convert_to_tensor([tf.constant(1.0), 2.0])
    tf.nest.map_structure(tf.identity, {"a": [array, range(3)], "b": (1.0, "text")})
    tf.function(lambda x, y: x + y[0])(array, [2.0])
    file = folder / "lines.txt"
    file.write_text("one\ntwo\n")
    for names in (str(file), [str(file)], tf.data.FileDataSource(str(file))):
        asyncio.run(first(tf.data.TextLineDataset(names)))
    tf.browser.from_pixels(np.zeros([2, 2, 3], np.uint8))
    asyncio.run(tf.browser.from_pixels_async(np.zeros([2, 2, 3], np.uint8)))
    tf.browser.to_pixels(tf.zeros([2, 2, 3]))


async def first(dataset: Any) -> Any:
    async for element in dataset:
        return element


def test_conversions_do_not_ask_for_values_of_javascript(tmp_path: Path) -> None:
    with walks.walk() as found:
        conversions(tmp_path)
    assert {"core/conversion.py", "core/nest.py", "data/files.py"} <= {*found.files}
    assert not {call.function for call in found.calls if call.file == INTEROP}


KERAS_STEPS = f"""
import tfpy
tfpy.as_tensorflow(replace=True)
import keras, numpy as np, walks

model = keras.Sequential([keras.Input([3]), keras.layers.Dense(2)])
model.compile("adam", "mse")
x, y = np.ones([4, 3], "float32"), np.ones([4, 2], "float32")
step = walks.warm(lambda: model.train_on_batch(x, y)).before_kernels()
with walks.walk() as found:
    model.fit(x, y, verbose=0)
    model(x)
assert "core/conversion.py" in {{*step.files}} & {{*found.files}}
asked = {{call.function for call in (*step.calls, *found.calls) if call.file == {INTEROP!r}}}
assert not asked, asked
assert step.changes <= 80, step
"""


def test_steps_of_keras_are_short_and_do_not_ask_for_values_of_javascript() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", KERAS_STEPS], capture_output=True, text=True, env=env
    )
    assert done.returncode == 0, done.stderr
