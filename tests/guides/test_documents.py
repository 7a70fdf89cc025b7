"""Tests that the programs in README.md and in docs/ run unchanged."""

from __future__ import annotations

import gc
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guides.documents import ROOT, block, blocks, blocks_of, documents, run, run_all, run_as_said

import tfpy


def test_the_readme_under_both() -> None:
    (program,) = blocks("README.md", "python")
    mine = run(program, {})
    assert mine == run(program.replace("import tfpy as tf", "import tensorflow as tf"), {})
    assert mine == "[[2.0], [-3.0]] [0.5]\n"


def test_the_functions_page() -> None:
    names: dict[str, Any] = {}
    printed = "".join(run(program, names) for program in blocks("docs/functions.md", "python"))
    assert "100% compiled" in printed
    tf = names["tf"]
    images, labels = tf.fill([3, 784], 0.05), tf.one_hot([1, 2, 3], 10)
    losses = [float(names["step"](images, labels)) for _ in range(3)]
    assert losses[2] < losses[0]
    assert names["model"](tf.ones([1, 28, 28])).shape == (1, 10)
    assert names["predict"](images).shape == (3, 10)


WITH_KERAS = ("docs/first_model.md", "docs/keras.md", "docs/tensorflow_js.md", "docs/training.md")
OWN = ("README.md", "docs/functions.md")
"""Documents with programs that the tests above run."""
GUIDES = [
    document
    for document in documents()
    if any(one.language == "python" for one in blocks_of(document))
    and document not in (*WITH_KERAS, *OWN)
]


@pytest.mark.parametrize("document", GUIDES)
def test_a_guide(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the programs of a guide in order, and check the output that their comments announce."""
    gc.collect()  # a guide measures memory, from which tensors of other tests must not disappear
    monkeypatch.chdir(tmp_path)  # the guide writes files here
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # the fastest backend is stored here
    assert run_all(document)["tf"] is tfpy


def test_a_gradient_that_is_none() -> None:
    """Run the program of an exercise, which the reader corrects."""
    names = run_all("docs/tensors.md")
    run_as_said(block("docs/tensors.md", "py"), {**names, "np": np})


def test_pages_with_keras(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}", "TF_CPP_MIN_LOG_LEVEL": "3"}
    script = Path(__file__).with_name("documents.py")
    done = subprocess.run(
        [sys.executable, script, *WITH_KERAS],
        cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {"history", "loss", "model", "y"} <= set(re.findall(r"\w+", done.stdout))
    assert (tmp_path / "my-model" / "model.json").exists()
    table = (tmp_path / "daylight.csv").read_text()
    assert table == (ROOT / "docs/figures/daylight.csv").read_text()
    assert table.startswith(block("docs/first_model.md", "text"))


def test_fragments(tmp_path: Path) -> None:
    """Run incomplete programs of the guides with the names that they need.

    They run in a separate process, because they register operations and backends.
    """
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT / "tests")))}
    script = Path(__file__).with_name("fragments.py")
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "call.trace.json").exists()
    assert (tmp_path / "logs").is_dir()


def test_fragments_of_scale(tmp_path: Path) -> None:
    """Run the short programs of docs/scale.md with the command of the page."""
    command = block("docs/scale.md", "sh", "X64")
    (tmp_path / "program.py").symlink_to(Path(__file__).with_name("fragments_of_scale.py"))
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT / "tests"))),
        "JAX_NUM_CPU_DEVICES": "8",
        "XLA_FLAGS": "--xla_backend_optimization_level=0",
    }
    done = subprocess.run(
        ["bash", "-ec", command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_variable_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    _, variable, *_ = shlex.split(block("docs/scale.md", "sh", "export TF_CONFIG"))
    monkeypatch.setenv(*variable.split("=", 1))
    cluster = tfpy.distribute.cluster_resolver.TFConfigClusterResolver()
    assert cluster.cluster_spec().as_dict() == {"worker": ["host0:12345", "host1:12345"]}
    assert (cluster.task_type, cluster.task_id) == ("worker", 0)
