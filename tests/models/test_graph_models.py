"""TensorFlow.js graph-models from packages compute the same as TensorFlow."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from buildsys import model_files

HUMAN, BASIC_PITCH, NSFWJS = "@vladmandic/human", "@spotify/basic-pitch", "nsfwjs"
CONDITIONING = {"basic_pitch": 4e-3}
"""Tolerances of networks in which float32 differs more from float64; the others are below 1e-4."""
MODELS = {
    **dict.fromkeys(("antispoof", "blazeface", "centernet", "emotion", "facemesh"), HUMAN),
    **dict.fromkeys(("faceres", "handlandmark-lite", "handtrack", "iris", "liveness"), HUMAN),
    "movenet-lightning": HUMAN,
    "basic_pitch": BASIC_PITCH,
    "mobilenet_v2_mid": NSFWJS,
}


def loaded(name: str, **how: Any) -> Any:
    path = model_files.ensure(MODELS[name]) / name / f"{name}.json"
    return asyncio.run(tf.load_graph_model_async(path, **how))


def reference(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return inputs and outputs by name."""
    arrays = np.load(model_files.graph_references(MODELS[name]) / f"{name}.npz")
    given, made = ({}, {})
    for key in arrays:
        kind, _, value = key.partition(" ")
        (given if kind == "in" else made)[value] = arrays[key]
    return given, made


def assert_near(found: Any, wanted: Any, name: str) -> None:
    tolerance = CONDITIONING.get(name, 1e-4)
    largest = np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * largest)


@pytest.mark.parametrize("name", MODELS)
def test_outputs(name: str) -> None:
    model = loaded(name)
    given, wanted = reference(name)
    found = model.predict(given)
    found = found if isinstance(found, list) else [found]
    assert model.outputs == list(wanted)
    for key, value in zip(model.outputs, found, strict=True):
        assert_near(value, wanted[key], name)


def test_one_network_in_four_formats() -> None:
    """Compare the notes that a SavedModel, an ONNX file, a TFLite file and a graph model detect."""
    given, made = reference("basic_pitch")
    wanted = [made["contour"], made["Identity_1"], made["Identity_2"]]
    (x,) = given.values()
    folder = model_files.ensure("basic-pitch")
    for file in ("nmp", "nmp.onnx", "nmp.tflite"):
        found = tf.models.load(folder / file)(x)
        arrays = [y.numpy() for y in (found.values() if isinstance(found, dict) else found)]
        for y, z in zip(sorted(arrays, key=np.mean), sorted(wanted, key=np.mean), strict=True):
            assert_near(y, z, "basic_pitch")
