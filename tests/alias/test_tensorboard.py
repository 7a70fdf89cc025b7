"""Keras's TensorBoard callback, which writes with `tf.summary`."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from api.summary_programs import events

PROGRAM = Path(__file__).with_name("tensorboard.py")


def by_tag(folder: Path) -> dict[str, list[Any]]:
    """Return the steps and the values of each tag."""
    (path,) = folder.iterdir()
    found = defaultdict(list)
    for step, tag, plugin, *_, shape, values in events(path):
        found[tag].append((step, plugin, shape, values))
    return found


def test_the_callback_of_keras_writes_events(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    losses, errors = map(ast.literal_eval, done.stdout.strip().replace("] [", "]|[").split("|"))
    train, validation = (by_tag(tmp_path / "1" / name) for name in ("train", "validation"))
    weights = [f"sequential/{layer}/{name}" for layer in ("dense", "dense_1")
               for name in ("kernel", "bias")]  # fmt: skip
    plain = by_tag(tmp_path / "epoch" / "train")
    assert set(plain) == {
        *("keras", "epoch_loss", "epoch_mae", "epoch_learning_rate"),
        *(f"{weight}/histogram" for weight in weights),
        *(f"{weight}/image" for weight in weights[:-1]),  # the last one is a single number
    }
    assert set(train) - set(plain) >= {
        *("batch_loss", "batch_mae", "batch_steps_per_second", "epoch_steps_per_second"),
    }
    assert [float(row[3][0]) for row in train["epoch_loss"]] == pytest.approx(losses)
    assert [float(row[3][0]) for row in validation["epoch_mae"]] == pytest.approx(errors)
    assert [row[0] for row in train["batch_loss"]] == list(range(1, 9))
    assert [row[1:3] for row in train[f"{weights[0]}/histogram"]] == [("histograms", [30, 3])] * 2
    assert plain["keras"][0][1] == "graph_keras_model"
    assert bytes.fromhex(plain["keras"][0][3][0]).startswith(b'{"module": "keras"')
    assert set(validation) >= {"evaluation_loss_vs_iterations", "epoch_loss"}
