"""The programs of docs/coming_from.md. Each port computes the same as its original."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guides.documents import ROOT, block, blocks, run

import tfpy as tf

MODULES = ROOT / "node_modules"
CUBIC = [2.0, 0.0, -1.0, 0.0]


def weights_of(names: dict[str, Any]) -> list[float]:
    return [float(weight) for weight in names["weights"]]


def test_the_first_program_under_both() -> None:
    program = blocks("docs/coming_from.md", "python")[0]
    theirs = run(program.replace("import tfpy as tf", "import tensorflow as tf"), {})
    assert run(program, {}) == theirs == "[3.0, 12.0]\n"


def test_the_app_in_python() -> None:
    """Check that the loop prints the loss and that both loops learn the same weights."""
    names: dict[str, Any] = {}
    start, data, model, step, loop, compiled = blocks("docs/coming_from.md", "python")[:6]
    run(start + data + model + step, names)
    lines = run(loop, names).splitlines()
    assert [line.partition(":")[0] for line in lines[:5]] == [
        f"step {i}" for i in range(0, 300, 60)
    ]
    eager = weights_of(names)
    np.testing.assert_allclose(eager, CUBIC, atol=0.1)
    assert run(compiled, names) == "True\n"
    np.testing.assert_allclose(weights_of(names), eager, atol=1e-3)


def test_the_app_in_javascript() -> None:
    if shutil.which("node") is None or not MODULES.is_dir():
        pytest.skip("needs node and node_modules: python build.py demo")
    found = blocks("docs/coming_from.md", "javascript")
    program = "\n".join(["const report = {};", *found])
    asked = ["a", "b", "c", "d", "norm", "largest"]
    given = [{"given": "vector", "asked": asked, "text": program}]
    done = subprocess.run(
        ["node", Path(__file__).with_name("tensorflow_js.mjs"), MODULES],
        input=json.dumps(given), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    np.testing.assert_allclose(found[:4], CUBIC, atol=0.1)
    np.testing.assert_allclose(found[4], np.linalg.norm(np.linspace(-1, 1, 100)), 1e-5)
    assert 0.8 < found[5] < 1.3


def test_the_page() -> None:
    page = block("docs/coming_from.md", "html", "tfpy.mjs")
    (program,) = re.findall(r'<script type="text/tfpy" worker>\n(.*?)</script>', page, re.S)
    names: dict[str, Any] = {}
    assert "step 240: loss 0.0" in run(program, names)
    np.testing.assert_allclose(weights_of(names), CUBIC, atol=0.1)


def test_the_files_of_both_pages() -> None:
    """Check that the guide shows the files of examples/ and the blocks of the original page."""
    ported = (ROOT / "examples/learn_a_curve.html").read_text(encoding="utf-8")
    shown = block("docs/coming_from.md", "html", "tfpy.mjs")
    assert ported == shown.replace('src="tfpy.mjs"', 'src="../tfpy.mjs"')
    original = block("docs/coming_from.md", "html", "tf.min.js")
    file = ROOT / "examples/tensorflow_js/learn_a_curve.html"
    assert original == file.read_text(encoding="utf-8")
    for part in blocks("docs/coming_from.md", "javascript")[:4]:
        for line in part.splitlines():
            assert line.partition(" //")[0] in original


def test_the_step_in_jax() -> None:
    pytest.importorskip("jax")
    names: dict[str, Any] = {}
    run(block("docs/coming_from.md", "py"), names)
    np.testing.assert_allclose(names["w"], CUBIC, atol=0.1)


def test_dtypes_are_not_promoted() -> None:
    """Check that the mistake of an exercise raises an error."""
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tf.constant([1, 2, 3]) * tf.linspace(-1.0, 1.0, 100)[:3]


def test_counterparts_of_jax() -> None:
    """Run the rows of the tables that have code."""
    found = tf.value_and_grad(lambda x: tf.reduce_sum(x * x))(tf.constant([1.0, 2.0]))
    assert float(found["value"]) == 5.0
    assert found["grad"].numpy().tolist() == [2.0, 4.0]
    changed = tf.tensor_scatter_nd_update(tf.zeros([3]), [[1]], [5.0])
    assert changed.numpy().tolist() == [0.0, 5.0, 0.0]
    v = tf.Variable([0.0, 2.0])
    v[0].assign(1.0)
    assert v.numpy().tolist() == [1.0, 2.0]
    keys = tf.random.split([1, 2], 2)
    assert tf.random.stateless_normal([2], seed=keys[0]).shape == (2,)
    assert tf.vectorized_map(tf.reduce_sum, tf.ones([2, 3])).numpy().tolist() == [3.0, 3.0]
