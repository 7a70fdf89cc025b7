"""`tf.lite.Interpreter` returns what TensorFlow's returns, for models of TensorFlow's converter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfpy

pytestmark = pytest.mark.filterwarnings("ignore:.*tf.lite.Interpreter is deprecated")

Steps = Callable[[Any], Any]


class _Two(tf.Module):  # type: ignore[misc]
    """A model with two signatures."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x")])
    def rows(self, x: Any) -> Any:
        return {"y": tf.nn.relu(tf.matmul(x, self.w)), "z": tf.reduce_sum(x, 1)}

    @tf.function(
        input_signature=[
            tf.TensorSpec([2], tf.int64, name="b"),
            tf.TensorSpec([2], tf.int64, name="a"),
        ]
    )
    def total(self, b: Any, a: Any) -> Any:
        return {"s": a + 2 * b}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the paths of a model with numbers and of one with quantized numbers."""
    folder, found = tmp_path_factory.mktemp("lite"), {}
    module = _Two()
    signatures = {"rows": module.rows, "total": module.total}
    tf.saved_model.save(module, str(folder / "saved"), signatures=signatures)
    for name, keys in (("floats", ["rows", "total"]), ("integers", ["rows"])):
        convert = tf.lite.TFLiteConverter.from_saved_model(str(folder / "saved"), keys)
        if name == "integers":
            convert.optimizations = [tf.lite.Optimize.DEFAULT]
            convert.representative_dataset = lambda: (
                [np.random.default_rng(i).normal(size=(1, 4)).astype(np.float32)] for i in range(5)
            )
            convert.inference_input_type = convert.inference_output_type = tf.int8
        path = folder / f"{name}.tflite"
        path.write_bytes(convert.convert())
        found[name] = str(path)
    return found


def inputs(one: Any, count: int = 1) -> Any:
    details = one.get_input_details()[0]
    return details["index"], np.arange(4 * count).reshape(count, 4).astype(details["dtype"])


def ran(one: Any) -> Any:
    one.allocate_tensors()
    one.set_tensor(*inputs(one))
    one.invoke()
    return [one.get_tensor(d["index"]) for d in one.get_output_details()]


def resized(one: Any) -> Any:
    one.resize_tensor_input(0, [3, 4], strict=True)
    one.allocate_tensors()
    shapes = [d["shape"] for d in one.get_input_details() + one.get_output_details()]
    one.tensor(0)()[...] = inputs(one, 3)[1]
    one.invoke()
    return shapes, [one.get_tensor(d["index"]) for d in one.get_output_details()]


def by_signature(one: Any) -> Any:
    run = one.get_signature_runner("rows")
    value = inputs(one, 2)[1]
    return run(x=value), run.get_input_details(), one.get_signature_list()


def constants(one: Any) -> Any:
    one.allocate_tensors()
    index = next(d["index"] for d in one.get_tensor_details() if "MatMul" in d["name"])
    return one.get_tensor(index)


def kept(one: Any) -> Any:
    return one.get_input_details(), one.get_output_details(), one.get_tensor_details()


@pytest.mark.parametrize("steps", [ran, resized, by_signature, constants, kept])
@pytest.mark.parametrize("name", ["floats", "integers"])
def test_results(models: dict[str, str], name: str, steps: Steps) -> None:
    mine, wanted = (steps(lib.lite.Interpreter(models[name])) for lib in (tfpy, tf))
    np.testing.assert_equal(_listed(mine), _listed(wanted))


def _listed(value: Any) -> Any:
    """Return a result as lists, dicts and strings, with rounded numbers."""
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, np.round(value, 4).tolist()
    return value


def test_a_signature_of_another_graph_has_64_bit_integers(models: dict[str, str]) -> None:
    for lib in (tfpy, tf):
        one = lib.lite.Interpreter(model_content=Path(models["floats"]).read_bytes())
        found = one.get_signature_runner("total")(
            a=np.array([1, 2], np.int64), b=np.array([3, 4], np.int64)
        )
        assert found["s"].dtype == np.int64
        assert found["s"].tolist() == [7, 10]


@pytest.mark.parametrize(
    ("steps", "error", "message"),
    [
        (lambda one: one.invoke(), RuntimeError, "model that is not ready"),
        (lambda one: one.get_tensor(0), ValueError, "Run allocate_tensors"),
        (lambda one: one.set_tensor(*inputs(one)), ValueError, "calling allocate_tensors"),
        (lambda one: one.get_tensor(99), ValueError, "Invalid tensor index 99 exceeds"),
        (
            lambda one: (one.allocate_tensors(), one.set_tensor(0, np.zeros([1, 4]))),
            ValueError,
            "Got value of type FLOAT64 but expected type FLOAT32 for input 0",
        ),
        (
            lambda one: (one.allocate_tensors(), one.set_tensor(0, inputs(one, 2)[1])),
            ValueError,
            "Got 2 but expected 1 for dimension 0 of input 0",
        ),
        (
            lambda one: one.resize_tensor_input(0, [1, 7], strict=True),
            RuntimeError,
            "Attempting to resize dimension 1 of tensor 0 with value 4 to 7",
        ),
        (lambda one: one.get_signature_runner("other"), ValueError, "Invalid signature_key"),
        (lambda one: one.get_signature_runner(), ValueError, "model has 2 Signatures"),
        (lambda one: one.get_signature_runner("rows")(), ValueError, "expected 1 vs provided 0"),
    ],
)
def test_errors(models: dict[str, str], steps: Steps, error: type, message: str) -> None:
    for lib in (tfpy, tf):
        with pytest.raises(error, match=message):
            steps(lib.lite.Interpreter(models["floats"]))


def test_values_between_inputs_and_outputs_are_kept_on_request(models: dict[str, str]) -> None:
    one = tfpy.lite.Interpreter(models["integers"], experimental_preserve_all_tensors=True)
    ran(one)
    for details in one.get_tensor_details():
        assert one.get_tensor(details["index"]).shape == tuple(details["shape"])


def test_files_that_are_not_models() -> None:
    for lib in (tfpy, tf):
        with pytest.raises(ValueError, match=r"Could not open .no such\.tflite."):
            lib.lite.Interpreter("no such.tflite")
        with pytest.raises(ValueError, match="not a valid Flatbuffer"):
            lib.lite.Interpreter(model_content=b"abcdefghijkl")
