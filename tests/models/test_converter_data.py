"""The test data of TensorFlow.js's converter returns the same as in TensorFlow.js."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tests.models.crossing import HERE, MODULES, need_node, run


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return folders of models, each with io.json and tfjs.json."""
    need_node()
    folder = tmp_path_factory.mktemp("converter")
    run("node", HERE / "converter_data.mjs", MODULES.resolve(), folder)
    return folder


def parts(folder: Path) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a model, its inputs and TensorFlow.js's results."""
    model = asyncio.run(tf.load_graph_model_async(folder))
    given, wanted = (json.loads((folder / f"{name}.json").read_text()) for name in ("io", "tfjs"))
    return model, given, wanted


def test_a_hash_table_and_its_initializer(data: Path) -> None:
    model, given, wanted = parts(data / "hash_table_v2")
    assert [spec.name for spec in model.inputs] == ["input"]
    words = tf.constant(given["input"])
    assert model(words).numpy().tolist() == wanted["output_0"] == [1, 0, -1, 1]
    assert model.predict({"input": words}).numpy().tolist() == wanted["output_0"]


def test_structured_outputs(data: Path) -> None:
    model, given, wanted = parts(data / "structured_outputs")
    found = model({name: tf.constant(x, tf.float32) for name, x in given.items()})
    assert list(found) == list(wanted) == ["a", "b", "c"]
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value, 1e-5, err_msg=name)
