"""A fine-tuned imported network is saved in each format and loaded again."""

from __future__ import annotations

from pathlib import Path

import graph_def
import numpy as np
import pytest
from models.fine_tuned import FineTuned, images

import tfpy as tf


@pytest.fixture(scope="module")
def model() -> FineTuned:
    made = FineTuned()
    before = [variable.numpy() for variable in made.block]
    losses = made.train(6)
    assert losses[-1] < 0.6 * losses[0]
    assert len(before) == 4
    assert all(np.any(a != v.numpy()) for a, v in zip(before, made.block, strict=True))
    return made


def test_tensorflow_runs_it(model: FineTuned, tmp_path: Path) -> None:
    tf.save_graph_model(model.predict, tmp_path)
    x, labels = images()
    wanted = model.predict(x)["probabilities"].numpy()
    assert (wanted.argmax(-1) == labels).mean() > 0.9
    (found,) = graph_def.run(tmp_path, [x]).values()
    np.testing.assert_allclose(found, wanted, 0, 1e-5)


@pytest.mark.parametrize("name", ["model", "model.onnx"])
def test_saved_and_loaded(model: FineTuned, tmp_path: Path, name: str) -> None:
    write = tf.save_onnx if name.endswith("onnx") else tf.save_graph_model
    write(model.predict, tmp_path / name)
    x, labels = images()
    again = tf.models.load(tmp_path / name, trainable=True)
    (found,) = again.signatures["serving_default"](x).values()
    np.testing.assert_allclose(found, model.predict(x)["probabilities"], 0, 1e-5)
    with tf.GradientTape() as tape:
        (found,) = again.signatures["serving_default"](x[:3]).values()
        loss = -tf.reduce_sum(tf.math.log(tf.gather(found, labels[:3], axis=1, batch_dims=1)))
    gradients = tape.gradient(loss, again.trainable_variables)
    assert sum(g is not None and bool(np.any(g.numpy())) for g in gradients) > 5
