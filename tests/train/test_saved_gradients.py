"""SavedModels of functions with custom gradients, and of functions called with open sizes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from tensorflow.core.protobuf import saved_model_pb2

import tfpy


def module_of(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([2.0, 3.0])

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def captures(self, x: Any) -> Any:
            @tf.custom_gradient
            def exponential(x: Any) -> Any:
                e = tf.exp(x)
                return e + 1, lambda up: up * e * 100.0

            return exponential(x) * 2

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def variable(self, x: Any) -> Any:
            @tf.custom_gradient
            def product(x: Any) -> Any:
                def gradient(up: Any, variables: Any = None) -> Any:
                    return up * self.w * 10.0, [up * x]

                return x * self.w, gradient

            return product(x)

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def nested(self, x: Any) -> Any:
            return self.variable(x) + self.captures(x)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def several(self, x: Any) -> Any:
            @tf.custom_gradient
            def both(x: Any, y: Any, number: Any) -> Any:
                def gradient(first: Any, second: Any) -> Any:
                    return first * y * 3.0, second * 7.0, None

                return (x * y, x + y), gradient

            first, second = both(x, x + 1, 3)
            return first + second * second

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def stopped(self, x: Any) -> Any:
            return x * tf.stop_gradient(x * 2) + tf.nn.silu(x)

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def branch(self, x: Any) -> Any:
            @tf.custom_gradient
            def double(x: Any) -> Any:
                return x * 2, lambda up: up * 5.0

            return tf.cond(tf.reduce_sum(x) > 0, lambda: double(x), lambda: x)

    return Model()


FUNCTIONS = ("captures", "variable", "nested", "several", "stopped", "branch")


def results(tf: Any, module: Any, names: Sequence[str] = FUNCTIONS) -> list[Any]:
    """Return values and gradients of functions."""
    found = []
    for name in names:
        x = tf.constant([0.5, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = getattr(module, name)(x)
        found += [y, tape.gradient(y, x)]
        if name in ("variable", "nested"):
            found.append(tape.gradient(y, module.w))
    return [value.numpy() for value in found]


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    return results(tensorflow, module_of(tensorflow))


def check(found: list[Any], expected: list[Any]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("writer", [tfpy, tensorflow])
@pytest.mark.parametrize("reader", [tfpy, tensorflow])
def test_custom_gradients(writer: Any, reader: Any, expected: list[Any], tmp_path: Path) -> None:
    writer.saved_model.save(module_of(writer), str(tmp_path))
    loaded = reader.saved_model.load(str(tmp_path))
    check(results(reader, loaded), expected)


@pytest.mark.parametrize("writer", [tfpy, tensorflow])
def test_models_that_are_saved_again(writer: Any, expected: list[Any], tmp_path: Path) -> None:
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    writer.saved_model.save(module_of(writer), first)
    tfpy.saved_model.save(tfpy.saved_model.load(first), second)
    check(results(tfpy, tfpy.saved_model.load(second)), expected)
    # TensorFlow cannot differentiate branches with gradients that read tensors of the branch.
    found = results(tensorflow, tensorflow.saved_model.load(second), FUNCTIONS[:-1])
    check(found, expected[:-2])


def test_models_without_custom_gradients(tmp_path: Path) -> None:
    options = tfpy.saved_model.SaveOptions(experimental_custom_gradients=False)
    tfpy.saved_model.save(module_of(tfpy), tmp_path, options=options)
    loaded = tfpy.saved_model.load(tmp_path)
    x = tfpy.constant([1.0, 2.0])
    with tfpy.GradientTape() as tape:
        tape.watch(x)
        y = loaded.variable(x)
    np.testing.assert_array_equal(tape.gradient(y, x), [2.0, 3.0])  # of the multiplication


def test_gradients_that_cannot_be_written(tmp_path: Path) -> None:
    @tfpy.function(input_signature=[tfpy.TensorSpec(None)])
    def clipped(x: Any) -> Any:
        @tfpy.custom_gradient
        def same(x: Any) -> Any:
            return x, lambda up: tfpy.clip_by_norm(up, 0.5)

        return same(x) * 2

    module = tfpy.Module()
    module.clipped = clipped
    with pytest.warns(UserWarning, match="custom gradients of clipped are not saved"):
        tfpy.saved_model.save(module, tmp_path)
    loaded = tfpy.saved_model.load(tmp_path)
    np.testing.assert_array_equal(loaded.clipped(tfpy.constant([1.0, 2.0])), [2.0, 4.0])


@pytest.mark.parametrize("tf", [tfpy, tensorflow])
def test_gradients_of_second_order(tf: Any, tmp_path: Path) -> None:
    @tfpy.function(input_signature=[tfpy.TensorSpec([2])])
    def cube(x: Any) -> Any:
        @tfpy.custom_gradient
        def first(x: Any) -> Any:
            return x**3, lambda up: second(up, x)

        @tfpy.custom_gradient
        def second(up: Any, x: Any) -> Any:
            return up * x * x, lambda u: (u * x, u * up * 11.0)

        return first(x)

    module = tfpy.Module()
    module.cube = cube
    tfpy.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.cube(x)
    np.testing.assert_array_equal(tape.gradient(y, x), [1.0, 4.0])


def _damaged(folder: Path, change: Any) -> None:
    file = folder / "saved_model.pb"
    message = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    change(message.meta_graphs[0])
    file.write_bytes(message.SerializeToString())


def _captured(graph: Any) -> Any:
    nodes = graph.object_graph_def.nodes
    return next(n for n in nodes if n.WhichOneof("kind") == "captured_tensor").captured_tensor


def _unknown_tensor(graph: Any) -> None:
    _captured(graph).name = "absent:0"


def _too_few_values(graph: Any) -> None:
    for one in graph.graph_def.library.registered_gradients:
        del graph.object_graph_def.concrete_functions[one.gradient_func].bound_inputs[:]


@pytest.mark.parametrize(
    ("change", "text"),
    [(_unknown_tensor, "does not have the tensor"), (_too_few_values, "does not match")],
)
def test_damaged_gradients(change: Any, text: str, tmp_path: Path) -> None:
    tfpy.saved_model.save(module_of(tfpy), tmp_path)
    _damaged(tmp_path, change)
    with pytest.raises(ValueError, match=text):
        results(tfpy, tfpy.saved_model.load(tmp_path))


@pytest.mark.parametrize("writer", [tfpy, tensorflow])
@pytest.mark.parametrize("reader", [tfpy, tensorflow])
def test_functions_called_with_open_sizes(writer: Any, reader: Any, tmp_path: Path) -> None:
    class Layer(writer.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = writer.Variable(np.arange(8, dtype=np.float32).reshape(4, 2))

        @writer.function
        def __call__(self, x: Any) -> Any:
            return writer.identity(writer.matmul(x, self.w))

    class Model(writer.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = Layer()

        @writer.function(input_signature=[writer.TensorSpec([None, None, None])])
        def __call__(self, x: Any) -> Any:
            return self.layer(writer.reshape(x, [-1, 4]) / 2)

    model = Model()
    model.layer(writer.ones([3, 4]))
    writer.saved_model.save(model, str(tmp_path))
    loaded = reader.saved_model.load(str(tmp_path))
    x = np.arange(16, dtype=np.float32)
    wanted = model(x.reshape(2, 2, 4)).numpy()
    np.testing.assert_array_equal(loaded(x.reshape(2, 2, 4)), wanted)
    np.testing.assert_array_equal(loaded(x.reshape(8, 1, 2)), wanted)
    np.testing.assert_array_equal(loaded.layer(x[:8].reshape(2, 4)), 2 * wanted[:2])


@pytest.mark.parametrize("tf", [tfpy, tensorflow])
def test_gradients_of_loops(tf: Any, tmp_path: Path) -> None:
    module = tfpy.Module()
    module.w = tfpy.Variable(2.0)

    @tfpy.function(input_signature=[tfpy.TensorSpec([None])])
    def loops(x: Any) -> Any:
        for i in tfpy.range(3):
            x = x * module.w + tfpy.cast(i, tfpy.float32) * x
        while tfpy.reduce_sum(x) < 1000.0:
            x = x * x * module.w
        return x

    module.loops = loops
    tfpy.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    found = []
    for lib, one in ((tfpy, module), (tf, loaded)):
        x = lib.constant([0.1, 0.2])
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = one.loops(x)
        found.append([y.numpy(), *(g.numpy() for g in tape.gradient(y, [x, one.w]))])
    check(*found)
